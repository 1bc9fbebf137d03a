# refill auto where the server has no place for another background worker: the
# session refills in its own transaction, and the worker does once there is one.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('auto', conf => q{
max_worker_processes = 1
idgen.worker_idle_timeout = '1000s'
idgen.worker_timeout = '1000s'
idgen.worker_start_timeout = '1000s'
});
run_sql($node, q{SELECT idgen_create('x', block_size => 3, refill => 'auto'), idgen_create('strict', refill => 'worker')});
run_sql($node, q{CREATE SEQUENCE native_seq INCREMENT BY 10; SELECT idgen_create('native', source => 'sequence', refill => 'auto')});

# The server's own worker for logical replication has taken the only place.
is(run_sql($node, q{SELECT idgen_next('x')}), '1', 'the session refills itself');
is( run_sql($node, q{
		BEGIN;
		SELECT string_agg(idgen_next('x')::text, ' ') FROM generate_series(1, 4);
		SELECT first_id, last_id, state FROM idgen_cache;
		ROLLBACK;
		SELECT idgen_next('x')}),
	"2 3 4 5\n6|6|pending\n4", 'in its own transaction');
is(run_sql($node, q{SELECT max(idgen_next('x')) FROM generate_series(1, 100000)}), '100004', 'a bulk load');
cmp_ok(run_sql($node, q{SELECT refills FROM idgen_stats WHERE name = 'x'}), '<', 150, 'takes larger steps');
is(run_sql($node, q{SELECT session_refills = refills, waits FROM idgen_stats WHERE name = 'x'}),
	't|0', 'counted as refills of sessions, and not as waits for a worker');
is(run_sql($node, q{SELECT max(idgen_next('native')) FROM generate_series(1, 25)}), '25', 'from a native sequence');
is(sqlstate($node, q{SELECT idgen_next('strict')}), '53400', 'refill worker is strict');

# One that has decided so waits for the table. Its row is strict by then.
run_sql($node, q{SELECT idgen_create('z', refill => 'auto')});
my $changer = $node->background_psql('postgres');
$changer->query_safe(q{BEGIN; LOCK TABLE id_sequences IN EXCLUSIVE MODE; UPDATE id_sequences SET refill = 'worker' WHERE name = 'z'});
my $decided = start_statement($node, q{SELECT idgen_next('z')}, q{SET statement_timeout = '20s'}, '\set VERBOSITY sqlstate');
wait_for_waiters($node, 1, 'idgen_next');
$changer->query_safe('COMMIT');
like(answer($decided, ''), qr/53400/, 'a row that has become strict while a session waited for the table');
$_->quit for $changer, $decided;

# Sessions that wait for each other's refill get blocks from one refill.
run_sql($node, q{SELECT idgen_create('y', block_size => 2, refill => 'auto')});
my $first = $node->background_psql('postgres');
$first->query_safe(q{BEGIN; SELECT idgen_next('y') FROM generate_series(1, 2)});
my @sessions = map { start_statement($node, q{SELECT idgen_next('y')}) } 1 .. 3;
wait_for_waiters($node, 3, 'idgen_next');

# All of them wake up at once. The one that refills counts those that wait: two
# are kept from saying that they do not any more.
my $waiting = q{SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'idgen_next' LIMIT 2};
my @stopped = split /\n/, run_sql($node, $waiting);
kill('STOP', @stopped);
$first->query_safe('COMMIT');
wait_for_true($node, q{SELECT refills = 2 FROM idgen_stats WHERE name = 'y'}, 'a refill');
kill('CONT', @stopped);
is(join(' ', sort map { scalar $_->query('') } @sessions), '3 4 5', 'each gets an id');
is(run_sql($node, q{SELECT refills FROM idgen_stats WHERE name = 'y'}), '2', 'from one refill');

# There is a place now.
$_->quit for $first, @sessions;
$node->append_conf('postgresql.conf', 'max_logical_replication_workers = 0');
$node->restart;
my $gap = q{BEGIN; SELECT idgen_next('x') FROM generate_series(1, 10); ROLLBACK; SELECT idgen_next('x')};
run_sql($node, q{SELECT idgen_restart('x', 1000000)});
like(run_sql($node, $gap), qr/\n1000010$/, 'the worker refills: a rollback leaves a gap');
worker_pid($node, 'postgres');

# Another database's worker takes the place, and leaves it again. A session that
# has done without a worker meanwhile finds the new one.
run_sql($node, 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE EXTENSION idgen; SELECT idgen_create('x', refill => 'auto')});
my $session = $node->background_psql('postgres');
run_sql($node, sprintf('SELECT pg_terminate_backend(%d, 60000)', worker_pid($node, 'postgres')));
is($node->safe_psql('other', q{SELECT idgen_next('x')}), '1', 'the other database has a worker');
my $pid = worker_pid($node, 'other');
$session->query_safe(q{SELECT idgen_next('x') FROM generate_series(1, 1000)});
is($session->query_safe(q{BEGIN; SELECT count(idgen_next('x')) FROM generate_series(1, 1000); SELECT count(*) FROM idgen_cache WHERE state = 'pending' AND name = 'x'}),
	"1000\n1", 'the session does without');
$session->query_safe('ROLLBACK');
run_sql($node, "SELECT pg_terminate_backend($pid, 60000)");

my $served = 0;
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
{
	my $last = $session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 1000)});

	$session->query_safe(q{BEGIN; SELECT idgen_next('x') FROM generate_series(1, 1000); ROLLBACK});
	$served = $session->query_safe(q{SELECT idgen_next('x')}) == $last + 1001;
	last if $served;
	select(undef, undef, undef, 0.1);
}
ok($served, 'until there is a place');
$session->quit;

run_sql($node, 'DROP DATABASE other');
pass('a database with such an id sequence can be dropped');

$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
run_sql($node, q{SELECT idgen_create('new', refill => 'auto')});
is(run_sql($node, q{SELECT max(idgen_next('new')) FROM generate_series(1, 50)}), '50', 'no background workers at all');

$node->stop;
done_testing();
