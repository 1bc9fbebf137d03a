# table_log's trigger keeps each version of a row, and a function makes the
# table again from what it has kept: id_sequences too. (That function takes what
# two sessions have written at the same time for one change, so there is one.)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('logged');

plan skip_all => 'table_log is not here' unless extension_available($node, 'table_log');

# The log begins before the rows, so it can make all of them. Its trigger writes
# to it with the rights of the role that draws.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION table_log;
	SELECT table_log_init(5, 'public', 'id_sequences', 'public', 'id_sequences_log');
	CREATE ROLE app LOGIN;
	GRANT INSERT ON id_sequences_log TO app;
	GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO app;
	SELECT idgen_create('own', block_size => 2), idgen_create('gapless', block_size => 1), idgen_create('child/*', block_size => 2)});

local $ENV{PGOPTIONS} = '-c role=app';
my @clients = start_clients($node, 1, q{
SELECT 'own ' || idgen_next('own');
SELECT 'gapless ' || idgen_next('gapless');
SELECT 'child ' || idgen_next('child/one');
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
SAVEPOINT a;
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 2);
ROLLBACK TO a;
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 3);
COMMIT;
}, times => 20);
delete $ENV{PGOPTIONS};
finish_clients(@clients);
is(slurp_file($clients[0]->{err}), '', 'the session met with no error');
is( $node->safe_psql(
		'postgres', q{
		SELECT table_log_restore_table('id_sequences', 'name', 'id_sequences_log', 'trigger_id', 'restored', clock_timestamp()) \g /dev/null
		SELECT * FROM (TABLE restored EXCEPT TABLE id_sequences) AS more;
		SELECT * FROM (TABLE id_sequences EXCEPT TABLE restored) AS less;
		SELECT name FROM restored ORDER BY name}),
	"child/*\nchild/one\ngapless\nown", 'the log makes the table again');
is( $node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM id_sequences_log WHERE trigger_mode = 'UPDATE' AND trigger_tuple = 'new' AND name = 'child/one') = refills
		FROM idgen_stats WHERE name = 'child/one'}),
	't', 'and has every refill');

$node->stop;
done_testing();
