# Sessions that end in the middle of a refill, or while they wait for one,
# hold up nobody and leave nothing behind in the cache.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# With room for one id sequence only, whatever keeps it busy is noticed.
my $node = idgen_server('terminated', conf => 'idgen.max_sequences = 1');

$node->safe_psql('postgres', "SELECT idgen_create('x'), idgen_create('other')");

sub start_waiter
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_until(qr/waiting/, "\\echo waiting\nSELECT idgen_next('x');\n");
	return $session;
}

# psql ends when its connection does.
sub gone
{
	my ($session) = @_;
	$session->{run}->finish;
	return $session->{stderr} =~ /terminating connection due to administrator command/;
}

# Waiting sessions are terminated and cancelled, then the one that they waited
# for is terminated.
my $refiller = $node->background_psql('postgres', on_error_stop => 0);
is($refiller->query_safe("BEGIN; SELECT idgen_next('x')"), '1', 'a refill is pending');
my @waiters = map { start_waiter() } 1 .. 4;
wait_for_waiters($node, 4, 'idgen_next');
my @pids = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT pid FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ 'idgen_next' ORDER BY backend_start});

$node->safe_psql('postgres', "SELECT pg_terminate_backend($pids[0]), pg_cancel_backend($pids[1])");
wait_for_waiters($node, 2, 'idgen_next');
ok(gone($waiters[0]), 'a waiting session is terminated');
$waiters[1]->query('');
like($waiters[1]->{stderr}, qr/canceling statement due to user request/, 'another one is cancelled');

$node->safe_psql(
	'postgres', q{
	SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE state = 'idle in transaction'});
$refiller->{stdin} .= "SELECT 1;\n";
ok(gone($refiller), 'the session that refilled is terminated');
is(join(' ', sort map { $waiters[$_]->query_safe('') } 2, 3), '1 2', 'the others go on, with its ids');
$_->quit for @waiters[ 1 .. 3 ];

# A session terminated while it waits for the row itself, with the claim its own
$node->safe_psql('postgres', "SELECT count(idgen_next('x')) FROM generate_series(1, 100)");
$node->safe_psql('postgres', "UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'");
my $program = $node->background_psql('postgres');
$program->query_safe("BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE");
@waiters = map { start_waiter() } 1 .. 3;
wait_for_waiters($node, 3, 'idgen_next');
$node->safe_psql(
	'postgres', q{
	SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ 'idgen_next'});
is(join(' ', map { gone($_) } @waiters), '1 1 1', 'all of them are terminated');
$program->query_safe('COMMIT');
$program->quit;
is($node->safe_psql('postgres', "SELECT idgen_next('x')"), '1', 'the next one is not held up');

# The slot can be given to another id sequence: no claim or waiter is left.
$node->safe_psql('postgres', "SELECT idgen_next('other')");
is($node->safe_psql('postgres', 'SELECT name, ids_cached FROM idgen_stats'),
	'other|19', 'nothing is left behind');

$node->stop;
done_testing();
