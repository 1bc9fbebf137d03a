# Sessions that are cancelled or terminated while they refill from a native
# sequence, or wait for the session that does, hold up nobody and leave nothing
# behind in the cache.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A refill waits for a standby that never comes, if its session wants that, and
# others wait for it. With room for one id sequence only, whatever keeps it busy
# is noticed.
my $node = idgen_server('interrupted', init => [ allows_streaming => 1 ], conf => q{
synchronous_standby_names = 'nobody'
synchronous_commit = local
deadlock_timeout = 100s
idgen.max_sequences = 1
});
my $draw = q{idgen_next('gen', 'sequence')};

$node->safe_psql('postgres', 'CREATE SEQUENCE gen_seq INCREMENT BY 20; CREATE SEQUENCE other_seq');

sub start_refiller
{
	my $session = start_statement($node, "SELECT $draw", 'BEGIN', 'SET LOCAL synchronous_commit = on');

	wait_for_waiters($node, 1, 'idgen_next', 'IPC');
	return $session;
}

sub start_waiters
{
	my ($number, @before) = @_;
	my @waiters = map { start_statement($node, "SELECT $draw", @before) } 1 .. $number;

	wait_for_waiters($node, $number, 'idgen_next', 'Lock');
	return @waiters;
}

# What happens to all who refill ('IPC') or wait ('Lock')
sub signal_all
{
	my ($function, $type, $limit) = @_;

	return $node->safe_psql(
		'postgres', qq{
		SELECT $function(pid) FROM (
			SELECT pid FROM pg_stat_activity
			WHERE wait_event_type = '$type' AND query ~ 'idgen_next'
			ORDER BY backend_start LIMIT $limit) s});
}

# psql ends when its connection does.
sub gone
{
	my ($session) = @_;

	$session->{run}->finish;
	return $session->{stderr} =~ /terminating connection due to administrator command/;
}

# The slot can be given to another id sequence, and comes back empty.
sub nothing_left
{
	my ($name) = @_;

	$node->safe_psql('postgres', q{SELECT idgen_next('other', 'sequence')});
	is($node->safe_psql('postgres', 'SELECT name FROM idgen_stats'),
		'other', "$name: nothing is left behind");
	$node->safe_psql('postgres', q{ALTER SEQUENCE gen_seq RESTART});
	return;
}

# Those who wait
my $refiller = start_refiller();
my @waiters = start_waiters(5);
signal_all('pg_terminate_backend', 'Lock', 1);
ok(gone(shift @waiters), 'a waiting session is terminated');
signal_all('pg_cancel_backend', 'Lock', 1);
my $cancelled = shift @waiters;
$cancelled->query('');
like($cancelled->{stderr}, qr/canceling statement due to user request/, 'another one is cancelled');
is( sqlstate($node, "SET statement_timeout = '20ms'; SELECT $draw"),
	'57014', 'another one times out');

# ... then the one that they wait for: what the standby does not have is
# nobody's, and one of the others refills.
wait_for_waiters($node, 3, 'idgen_next', 'Lock');
signal_all('pg_cancel_backend', 'IPC', 1);
$refiller->query('');
like($refiller->{stderr}, qr/canceling statement due to user request/, 'a refill is cancelled');
$refiller->{stderr} = '';
is(join(' ', sort map { $_->query_safe('') } @waiters), '21 22 23', 'the others go on behind it');
$refiller->query_safe('ROLLBACK');
is($cancelled->query("SELECT $draw"), '24', 'who was cancelled can go on');
$_->quit for ($refiller, $cancelled, @waiters);
nothing_left('cancelled');

# Terminated while it refills
$refiller = start_refiller();
@waiters = start_waiters(3);
signal_all('pg_terminate_backend', 'IPC', 1);
ok(gone($refiller), 'the session that refills is terminated');
my @ids = map { $_->query_safe('') } @waiters;
is(scalar(grep { /^\d+$/ } @ids), 3, 'the others go on');
is(duplicates(@ids), '', 'with an id each');
$_->quit for @waiters;
nothing_left('terminated');

# A refill that fails, in a savepoint
$node->safe_psql('postgres', 'ALTER SEQUENCE gen_seq MAXVALUE 1000 RESTART WITH 1000');
is( $node->safe_psql(
		'postgres', qq{
		BEGIN;
		SELECT $draw;
		DO \$\$
		BEGIN
			PERFORM $draw;
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
			NULL;
		END\$\$;
		COMMIT}),
	'1000', 'the last id');
is( sqlstate($node, "SET statement_timeout = '60s'; SELECT $draw"),
	'2200H', 'others are told the same');
nothing_left('failed');

# The server can be shut down.
$node->safe_psql('postgres', 'ALTER SEQUENCE gen_seq NO MAXVALUE');
$refiller = start_refiller();
@waiters = start_waiters(3);
$node->stop('fast');
ok(1, 'the server stops');
gone($_) for ($refiller, @waiters);

done_testing();
