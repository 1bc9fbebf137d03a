# Where the server has no place for another background worker, callers are told,
# once no id is left; and all is well when there is one.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('slots', conf => q{
max_worker_processes = 1
idgen.worker_idle_timeout = '1000s'
idgen.worker_timeout = '1000s'
});
my $create = q{SELECT idgen_create('x', block_size => 10, refill => 'worker')};
my $draw = q{SELECT idgen_next('x')};

run_sql($node, $create);
run_sql($node, 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION idgen; $create");

# The server's own worker for logical replication has taken the only place. Who
# is refused leaves nothing behind for which others would wait.
foreach my $call ('a call', 'the next call')
{
	is(sqlstate($node, "SET statement_timeout = '3s'; $draw"), '53400', "$call is refused");
}

# The other database's worker takes the only place.
$node->append_conf('postgresql.conf', 'max_logical_replication_workers = 0');
$node->restart;
is($node->safe_psql('other', $draw), '1', 'the first database has a worker');
my $pid = worker_pid($node, 'other');
my ($ret, $stdout, $stderr) = $node->psql('postgres', $draw, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
like($stderr, qr/ERROR:  53400: out of background worker slots\n.*max_worker_processes/, 'the second one has none');
is(sqlstate($node, $draw), '53400', 'nor has the next call');

# No place while it is not needed: what is cached is issued, though it runs low.
$node->safe_psql('other', "SELECT pg_terminate_backend($pid, 60000)");
ok($node->poll_query_until('postgres', $draw, '1'), 'the place is free again');
run_sql($node, sprintf('SELECT pg_terminate_backend(%d, 60000)', worker_pid($node, 'postgres')));
ok($node->poll_query_until('other', "SELECT count(idgen_next('x')) FROM generate_series(1, 100)", '100'),
	'for the first one, too');
worker_pid($node, 'other');
my $cached = run_sql($node, 'SELECT ids_cached FROM idgen_stats');
is(run_sql($node, "SELECT max(idgen_next('x')) FROM generate_series(1, $cached)"),
	1 + $cached, 'what is cached is issued without a worker');
is(sqlstate($node, $draw), '53400', 'then callers are told');

$node->append_conf('postgresql.conf', q{idgen.worker_idle_timeout = '0'});
$node->reload;
wait_for_no_worker($node);
$node->poll_query_until('postgres', $draw, 1 + $cached + 1) or die 'there is no place for long';
pass('a worker that has nothing to do makes room');

$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
run_sql($node, q{SELECT idgen_create('new', refill => 'worker')});
is(sqlstate($node, q{SELECT idgen_next('new')}), '53400', 'no background workers at all');
run_sql($node, q{UPDATE id_sequences SET refill = 'transaction' WHERE name = 'new'});
is(run_sql($node, q{SELECT idgen_next('new')}), '1', 'the other mode needs none');

$node->stop;
done_testing();
