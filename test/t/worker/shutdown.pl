# A server that is stopped does not wait for its workers, be they idle, busy or
# waited for. Until the last session has gone, a smart shutdown leaves them at
# work.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('shutdown', conf => q{
idgen.worker_idle_timeout = '1000s'
idgen.worker_timeout = '1000s'
});

$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 5, refill => 'worker')});

# Answers whether the server stops before it would be killed. It may have done
# so by now, if it was told before.
sub stops
{
	my ($mode) = @_;
	my $started = time;
	my $stopped = $node->stop($mode, fail_ok => 1) || !-e $node->data_dir . '/postmaster.pid';

	return $stopped && time - $started < 30;
}

# Idle
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'first id');
worker_pid($node, 'postgres');
end_kept_sessions($node);
ok(stops('smart'), 'smart shutdown, idle worker');
$node->start;
$node->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 20)});
worker_pid($node, 'postgres');
ok(stops('fast'), 'fast shutdown, idle worker');
$node->start;

# Smart, with a session that goes on drawing
my $session = $node->background_psql('postgres');
my $last = $session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 200)});
my $pid = worker_pid($node, 'postgres');
end_kept_sessions($node);
my $log = -s $node->logfile;
$node->command_ok([ 'pg_ctl', '-D', $node->data_dir, '-m', 'smart', '-W', 'stop' ], 'smart shutdown begins');
$node->wait_for_log(qr/received smart shutdown request/, $log);
is( $session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 200)}),
	$last + 200, 'a session draws on');
$session->query_safe("SELECT pg_terminate_backend($pid, 60000)");
is( $session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 5000)}),
	$last + 5200, 'even a worker is started for it');
$session->quit;
ok(stops('smart'), 'the server stops when it has gone');
$node->start;
cmp_ok($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '>', $last + 5200, 'ids go on');

# Fast, with sessions that wait for a worker that cannot refill
my $holder = $node->background_psql('postgres', on_error_stop => 0);
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE});
use_up($node, 'x');
my @waiters = map { start_statement($node, q{SELECT idgen_next('x')}) } 1 .. 3;
wait_for_waiters($node, 3, 'idgen_next', 'Extension');
ok(stops('fast'), 'fast shutdown, sessions wait for the worker');
$_->{run}->finish for ($holder, @waiters);
$node->start;

# Fast, under load
my @clients = start_clients($node, 6, "SELECT 'x ' || idgen_next('x');\n");
wait_for_lines(50, @clients);
ok(stops('fast'), 'fast shutdown, busy worker');
finish_clients(@clients);
$node->start;
my @ids = seen_ids(@clients);
is(duplicates(@ids), '', 'no id was issued twice');
my ($max) = sort { $b <=> $a } map { /(\d+)/ } @ids;
cmp_ok($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '>', $max, 'ids go on');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal/, 'nothing has crashed');

$node->stop;
done_testing();
