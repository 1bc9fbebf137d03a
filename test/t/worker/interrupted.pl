# A worker that is terminated, cancelled or stopped costs time only: sessions
# that wait for it have another one started, or are told in the end. No id is
# issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('interrupted', conf => q{
idgen.worker_idle_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});

$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 5, refill => 'worker')});

# Terminated and cancelled while sessions wait
my $holder = $node->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE});
my @waiters = map { start_statement($node, q{SELECT idgen_next('x')}) } 1 .. 4;
wait_for_waiters($node, 4, 'idgen_next', 'Extension');
my $first = worker_pid($node, 'postgres');
is($node->safe_psql('postgres', "SELECT pg_terminate_backend($first, 60000)"), 't', 'the worker is terminated');
my $second = worker_pid($node, 'postgres', $first);
pass('those who wait have another one started');
for (1 .. 20)
{
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($second)");
}
wait_for_waiters($node, 4, 'idgen_next', 'Extension');
$holder->query_safe('COMMIT');
is(join(' ', sort map { $_->query_safe('') } @waiters), '1 2 3 4', 'they get their ids');
is(worker_pid($node, 'postgres'), $second, 'a worker that is cancelled stays');
$_->quit for ($holder, @waiters);

# The same under load, at any point of its work, also when it stands in line for
# the row
my @programs = start_clients(
	$node, 2, q{
BEGIN;
SELECT FROM id_sequences, pg_sleep(0.002) WHERE name = 'x' FOR UPDATE;
COMMIT;
});
my @clients = start_clients(
	$node, 6, q{
SELECT 'x ' || idgen_next('x');
BEGIN;
SELECT 'x ' || idgen_next('x');
SELECT 'x ' || idgen_next('x');
ROLLBACK;
});
wait_for_lines(20, @clients);
$node->safe_psql(
	'postgres', q{
	DO $$
	BEGIN
		FOR i IN 1 .. 200 LOOP
			PERFORM CASE WHEN i % 20 = 0 THEN pg_terminate_backend(pid) ELSE pg_cancel_backend(pid) END
			FROM pg_stat_activity WHERE backend_type = 'idgen worker';
			PERFORM pg_sleep(0.001);
			PERFORM pg_stat_clear_snapshot();
		END LOOP;
	END$$});
my $lines = slurp_file($clients[0]->{out}) =~ tr/\n//;
wait_for_lines($lines + 20, @clients);
terminate_clients($node, @clients, @programs);
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>', 100, 'clients saw ids');
is(duplicates(@ids), '', 'no id was issued twice, whatever was rolled back');
is(join('', grep { /ERROR/ && !/administrator/ } map { slurp_file($_->{err}) } @clients), '', 'no client saw an error');
is($node->safe_psql('postgres', q{SELECT idgen_next('x') > 0}), 't', 'and it goes on');

# Stopped, with nothing to do: what is cached lasts, then callers are told.
my $pid = stop_worker($node, 'postgres');
my $cached = $node->safe_psql('postgres', 'SELECT ids_cached FROM idgen_stats');
my $last = $node->safe_psql('postgres', "SELECT max(idgen_next('x')) FROM generate_series(1, $cached)");
my $draw = q{SELECT idgen_next('x')};
is(sqlstate($node, "SET idgen.worker_timeout = '50ms'; $draw"), '53000', 'nobody answers');
is(sqlstate($node, "SET lock_timeout = '50ms'; $draw"), '55P03', 'lock_timeout ends the wait');
is(sqlstate($node, "SET statement_timeout = '50ms'; $draw"), '57014', 'so does statement_timeout');
my $patient = start_statement($node, $draw);
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
kill('CONT', $pid);
is($patient->query_safe(''), $last + 1, 'the worker goes on, and with it who has waited');
$patient->quit;

$node->stop;
done_testing();
