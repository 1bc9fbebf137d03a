# Where all places in the cache are in use by refills, an id sequence without
# one works all the same, but for refill 'worker', which has to wait for a
# place.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('full', conf => q{
idgen.max_sequences = 1
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE EXTENSION idgen; SELECT idgen_create('x')});
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('busy'), idgen_create('x', block_size => 5), idgen_create('gone'), idgen_create('w', refill => 'worker');
	INSERT INTO id_sequences (name, next_block_start, block_size, max_value, start_value) VALUES ('low', 951, 1, 1000, 1)});

sub draw
{
	my ($name) = @_;
	return $node->safe_psql('postgres', "SELECT idgen_next('$name')");
}

# How often the log says, during that number of draws, that ids run out
sub warnings_of
{
	my ($number) = @_;
	my $offset = -s $node->logfile;

	draw('low') for 1 .. $number;
	return scalar(() = slurp_file($node->logfile, $offset) =~ /LOG:  id sequence "low" has 4% of its ids left/g);
}

my $holder = $node->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT idgen_next('busy')});

is($node->safe_psql('postgres', q{SELECT idgen_peek('x')}), '1', 'peek looks at the row');
is(draw('x'), '1', 'draw');
is($node->safe_psql('postgres', q{SELECT idgen_peek('x')}), '2', 'and at what is left of the block');
is( $node->safe_psql('postgres', q{BEGIN; SELECT idgen_next('x'), idgen_next('x'), idgen_peek('x'); COMMIT}),
	'2|3|4', 'which is drawn');
is(warnings_of(3), 3, 'that ids run out is said each time');

my $deleting = $node->background_psql('postgres');
$deleting->query_safe(q{BEGIN; DELETE FROM id_sequences WHERE name = 'gone'});
my $session = start_statement($node, q{SELECT idgen_next('gone')}, '\set VERBOSITY sqlstate');
wait_for_waiters($node, 1, '^SELECT idgen_next');
$deleting->query_safe('COMMIT');
is(answer($session, ''), '42704', 'a row that is deleted meanwhile');
$_->quit for ($deleting, $session);

# Ids of a native sequence that a transaction has taken without a place are no
# reason for it to miss that the row is deleted, when there is a place again.
$node->safe_psql('postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('native', source => 'sequence', block_size => 20, pooling => 'pooled')});
my $drawing = $node->background_psql('postgres', on_error_stop => 0);
is($drawing->query_safe(q{BEGIN; SELECT idgen_next('native'), idgen_next('native')}), '1|2', 'ids without a place');
$holder->query_safe('COMMIT');
$drawing->query_safe(q{SELECT idgen_next('native')});
is($drawing->query_safe(q{SELECT count(*) FROM idgen_cache WHERE state = 'pending'}), '1', 'others are pending');
$drawing->query_safe(q{SELECT idgen_next('native')}) for 1 .. 2;
$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'native'});
$drawing->query(q{SELECT idgen_next('native')});
like($drawing->{stderr}, qr/id sequence "native" does not exist/, 'the row is gone');
$drawing->quit;
$holder->query_safe(q{BEGIN; SELECT idgen_next('busy') FROM generate_series(1, 100)});

my ($ret, $stdout, $stderr) = $node->psql('postgres', q{SET idgen.worker_timeout = '100ms'; SELECT idgen_next('w')},
	extra_params => [ '-v', 'VERBOSITY=verbose' ]);
like($stderr, qr/ERROR:  53400: there is no room in the cache for id sequence "w"\n.*\nHINT:  .*idgen\.max_sequences/,
	'no place for the worker');
$session = start_statement($node, q{SELECT idgen_next('w')});
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Extension');
$holder->query_safe('COMMIT');
is(answer($session, ''), '1', 'until there is one');
$session->quit;

# Who looks at the cache while an entry gives way sees it as idle.
$node->poll_query_until('postgres', q{SELECT idgen_next('busy') > 0 AND count(*) > 0 FROM idgen_stats WHERE name = 'busy'})
  or die 'there is no place';
is(warnings_of(3), 1, 'with a place, it is said once');
$holder->query_safe('BEGIN; LOCK TABLE id_sequences');
my @looking = map { start_statement($node, "SELECT $_()") }
  ('count(*) FROM idgen_entries', 'bool_and(state = \'idle\') FROM idgen_blocks');
wait_for_waiters($node, 2, '^SELECT (count|bool_and)');
is($node->safe_psql('other', q{SELECT idgen_next('x')}), '1', 'a place for another database');
$holder->query_safe('COMMIT');
is(join(' ', map { answer($_, '') } @looking), '0 t', 'an entry that has given way is idle');
$_->quit for ($holder, @looking);

$node->stop;
done_testing();
