# There are as many entries for workers as the server can have workers. A
# request that is handed over to a worker without an entry may lie in the very
# entry that this one gets.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The server's own worker for logical replication has one of the two places.
my $node = idgen_server('entry', conf => q{
max_worker_processes = 2
idgen.worker_idle_timeout = '1000s'
idgen.server_timeout = '100ms'
});
run_sql($node, q{CREATE SERVER nowhere FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/nonexistent');
	CREATE USER MAPPING FOR CURRENT_USER SERVER nowhere;
	SELECT idgen_create('x', refill => 'auto'), idgen_create('y', refill => 'auto')});
is(run_sql($node, q{SELECT idgen_next('x')}), '1', 'the worker refills');

# That of another database takes the other place.
run_sql($node, 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE EXTENSION idgen; SELECT idgen_create('x', refill => 'auto')});
run_sql($node, sprintf('SELECT pg_terminate_backend(%d, 60000)', worker_pid($node, 'postgres')));
$node->safe_psql('other', q{SELECT idgen_next('x')});
worker_pid($node, 'other');

is(run_sql($node, q{SELECT max(idgen_next('x')) FROM generate_series(1, 15)}), '16', 'x has asked ahead of need');
run_sql($node, q{UPDATE id_sequences SET source = 'server', source_name = 'nowhere' WHERE name = 'x'});
is(sqlstate($node, q{SELECT idgen_next('x')}), '08001', 'x draws from a server now');
is($node->safe_psql('postgres', q{SELECT idgen_next('y')}), '1', 'y gets the entry that x has had');

$node->stop;

done_testing();
