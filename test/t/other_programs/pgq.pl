# Replication by triggers: pgq's trigger on id_sequences puts every change of it
# into a queue, and a consumer that takes all of them from there has the table
# as it is. Refills, of sessions and of the worker, are such changes.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('queue', conf => 'max_connections = 30');

plan skip_all => 'pgq is not here' unless extension_available($node, 'pgq');

# Those who draw may put something into a queue, as those who write to any table
# with such a trigger.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION pgq;
	SELECT idgen_create('before');
	CREATE TABLE copied (LIKE id_sequences INCLUDING INDEXES);
	INSERT INTO copied SELECT * FROM id_sequences;
	SELECT pgq.create_queue('ids'), pgq.register_consumer('ids', 'copier'), pgq.create_queue('londiste');
	CREATE TRIGGER to_queue AFTER INSERT OR UPDATE OR DELETE ON id_sequences
		FOR EACH ROW EXECUTE FUNCTION pgq.sqltriga('ids');
	CREATE TRIGGER londiste AFTER INSERT OR UPDATE OR DELETE ON id_sequences
		FOR EACH ROW EXECUTE FUNCTION pgq.logutriga('londiste');
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('gapless', block_size => 1), idgen_create('deleted');
	CREATE ROLE app LOGIN IN ROLE pgq_writer});

local $ENV{PGOPTIONS} = '-c role=app';
my @clients = start_clients($node, 4, q{
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
SELECT 'gapless ' || idgen_next('gapless');
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 2);
ROLLBACK;
SELECT 'before ' || idgen_next('before') FROM generate_series(1, 3);
}, times => 20);
delete $ENV{PGOPTIONS};
finish_clients(@clients);
is(join('', map { slurp_file($_->{err}) } @clients), '', 'no session met with an error');
is(duplicates(committed_ids(@clients)), '', 'no id was issued twice');

# The worker may still be refilling ahead.
wait_for_no_worker($node);
$node->safe_psql(
	'postgres', q{
	SELECT idgen_restart('own', 1000000);
	UPDATE id_sequences SET block_size = 7, layout = 'session' WHERE name = 'before';
	DELETE FROM id_sequences WHERE name = 'deleted'});

# Take everything from the queue: batches end at ticks.
$node->safe_psql('postgres', "SELECT pgq.force_tick('ids')");
$node->safe_psql('postgres', "SELECT pgq.ticker('ids')");
$node->safe_psql(
	'postgres', q{
	CREATE TABLE event (type text, data text, id bigint);
	INSERT INTO event SELECT ev_type, ev_data, ev_id FROM pgq.get_batch_events(pgq.next_batch('ids', 'copier'));
	DO $$
	DECLARE
		e event;
	BEGIN
		FOR e IN SELECT * FROM event ORDER BY id LOOP
			EXECUTE CASE e.type WHEN 'I' THEN 'INSERT INTO copied ' WHEN 'U' THEN 'UPDATE copied SET ' ELSE 'DELETE FROM copied WHERE ' END || e.data;
		END LOOP;
	END$$});

is( $node->safe_psql('postgres', 'SELECT count(*) FROM (TABLE copied EXCEPT TABLE id_sequences) d'),
	'0', 'the copy has nothing that the table has not');
is( $node->safe_psql('postgres', 'SELECT count(*) FROM (TABLE id_sequences EXCEPT TABLE copied) d'),
	'0', 'nor the other way round');
is( $node->safe_psql('postgres', q{SELECT name FROM copied ORDER BY name}),
	"before\ngapless\nown\nworker", 'all rows are there');
is( $node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM event WHERE type = 'U' AND data ~ 'worker') = refills
		FROM idgen_stats WHERE name = 'worker'}),
	't', "every refill of the worker's is in the queue");


# Londiste's trigger writes the same in another form.
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM pgq.event_template WHERE ev_type LIKE 'U:name' AND ev_data ~ 'name=worker&'}),
	$node->safe_psql('postgres', q{SELECT refills FROM idgen_stats WHERE name = 'worker'}),
	"and in Londiste's");

$node->stop;
done_testing();
