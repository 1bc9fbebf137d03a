# When the server has no room for one more lock, a call that needs one fails,
# wherever that is, and the next one works. Ids from the table need none for
# each name; those of a native sequence need the one that nextval() takes.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('locks', conf => q{
max_locks_per_transaction = 10
max_connections = 15
max_worker_processes = 4
max_prepared_transactions = 5
autovacuum = off
idgen.max_sequences = 8
idgen.worker_idle_timeout = '1000s'
});
my $many = 1200;

$node->safe_psql(
	'postgres', qq{
	SELECT count(idgen_create('name' || i)) FROM generate_series(1, $many) i;
	SELECT idgen_create('table', block_size => 2), idgen_create('gapless', block_size => 1),
		idgen_create('worker', block_size => 2, refill => 'worker');
	CREATE SEQUENCE sequence_seq INCREMENT BY 2;
	SELECT idgen_create('sequence', source => 'sequence')});
create_from_function($node, 'function', 2);
for (my $i = 1; $i <= $many; $i += 200)
{
	my $last = $i + 199;
	$node->safe_psql('postgres', qq{DO 'BEGIN FOR i IN $i .. $last LOOP EXECUTE ''CREATE SEQUENCE s'' || i || ''_seq''; END LOOP; END'});
}

# Many names in one transaction
is( $node->safe_psql(
		'postgres', qq{
		BEGIN;
		SELECT count(idgen_next('name' || i)) FROM generate_series(1, $many) i;
		PREPARE TRANSACTION 'p';
		COMMIT PREPARED 'p'}),
	$many, 'the table takes no lock for each name');
is(sqlstate($node, "SELECT count(nextval('s' || i || '_seq')) FROM generate_series(1, $many) i"), '53200', 'nextval() takes one');
is(sqlstate($node, "SELECT count(idgen_next('s' || i, 'sequence')) FROM generate_series(1, $many) i"),
	'53200', 'and so does idgen_next()');
is($node->safe_psql('postgres', "SELECT idgen_next('s1', 'sequence') > 1"), 't', 'the next call works');

# Sessions have to be there before; so has the worker.
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $refiller = $node->background_psql('postgres');
my @sharers = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
$_->query_safe('\set VERBOSITY sqlstate') foreach $session, @sharers;
$session->query_safe(q{SELECT idgen_next('worker')});

# A session that takes all locks there are, and lets some go
my $locker = $node->background_psql('postgres', on_error_stop => 0);
$locker->query_safe('\set VERBOSITY sqlstate');
my $taken = 0;

sub take_all
{
	while (answer($locker, 'SELECT pg_advisory_lock_shared(' . ($taken + 1) . ')') ne '53200')
	{
		$taken++;
	}
	return;
}

sub let_go
{
	my ($number) = @_;
	$taken -= $number;
	$locker->query_safe("SELECT count(pg_advisory_unlock_shared(i)) FROM generate_series($taken + 1, $taken + $number) i");
	return;
}

my @ids;

take_all();
cmp_ok($taken, '>', 100, 'all locks are taken');

# Draw with ever more locks left, from none to as many as it takes. Answers what
# the failures were. What is cached is drawn first.
sub draw_until_it_works
{
	my ($what, $draw) = @_;
	my %failures;

	for my $free (0 .. 40)
	{
		let_go($free);
		my $answer = answer($session, $draw);
		take_all();
		if ($answer ne '' && $answer !~ /^(?:\d{5}|ERROR.*)$/)
		{
			push @ids, map { "$what $_" } split /\n/, $answer;
			return join(' ', sort keys %failures);
		}
		$failures{$answer}++;
	}
	return 'it never worked';
}

foreach my $name ('table', 'gapless', 'sequence', 'function', 'worker')
{
	is(draw_until_it_works($name, "SELECT idgen_next('$name') FROM generate_series(1, 5)"),
		'53200', "$name: fails when there are no locks");
}
is( draw_until_it_works('range', q{SELECT first_id FROM idgen_next_range('table', 7)}),
	'53200', 'a range: fails when there are no locks');
pop @ids;
is( draw_until_it_works('table', q{BEGIN; SAVEPOINT s; SELECT idgen_next('table') FROM generate_series(1, 3); RELEASE s; COMMIT}),
	'53200', 'in a savepoint');

# To wait takes a lock, too, one that the refiller has. Since 19, there is more
# room for those who share locks than for locks: others use that up.
let_go(20);
$refiller->query_safe(q{BEGIN; SELECT idgen_next('table') FROM generate_series(1, 20)});
take_all();
my $answer;
$answer = answer($_, "SELECT count(pg_advisory_lock_shared(i)) FROM generate_series(1, $taken) i") foreach @sharers;
is($answer, '53200', 'nobody can share a lock');
is(answer($session, q{SELECT idgen_next('table')}), '53200', 'waiting fails when there are no locks');
$_->quit foreach @sharers;
let_go(20);
$refiller->query_safe('COMMIT');

# All is well again.
$locker->query_safe('SELECT pg_advisory_unlock_all()');
foreach my $name ('table', 'gapless', 'sequence', 'function', 'worker')
{
	push @ids, map { "$name $_" } split /\n/,
	  $node->safe_psql('postgres', "SELECT idgen_next('$name') FROM generate_series(1, 5)");
}
is(duplicates(@ids), '', 'no id was issued twice');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype IN ('advisory', 'transactionid', 'tuple')}), '0', 'no lock is left');
$_->quit for ($session, $refiller, $locker);

# Slots that were left behind busy would not give way.
$node->safe_psql('postgres', join('', map { "SELECT idgen_next('name$_');\n" } 1 .. 24));
is( $node->safe_psql('postgres', q{SELECT count(*), count(*) FILTER (WHERE name LIKE 'name%') FROM idgen_stats}),
	'8|8', 'all slots are in use for others');

$node->stop;
done_testing();
