# A trigger that writes down each change of a row, as many keep one for audits:
# it sees every refill, of sessions and of the worker, each going on where the
# one before has ended.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('audit', conf => 'max_connections = 30');

# Those who draw have no privilege on the log.
$node->safe_psql(
	'postgres', q{
	CREATE SCHEMA audit;
	CREATE TABLE audit.log (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		at timestamptz NOT NULL DEFAULT clock_timestamp(),
		operation text NOT NULL,
		old_row jsonb,
		new_row jsonb);
	CREATE FUNCTION audit.log_change() RETURNS trigger
		LANGUAGE plpgsql SECURITY DEFINER SET search_path = audit, pg_catalog, pg_temp AS $$
	BEGIN
		IF TG_OP = 'INSERT' THEN
			INSERT INTO log (operation, new_row) VALUES (TG_OP, to_jsonb(NEW));
		ELSIF TG_OP = 'UPDATE' THEN
			INSERT INTO log (operation, old_row, new_row) VALUES (TG_OP, to_jsonb(OLD), to_jsonb(NEW));
		ELSE
			INSERT INTO log (operation, old_row) VALUES (TG_OP, to_jsonb(OLD));
		END IF;
		RETURN NULL;
	END$$;
	CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON id_sequences
		FOR EACH ROW EXECUTE FUNCTION audit.log_change();
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('gapless', block_size => 1), idgen_create('bulk', block_size => 5);
	CREATE ROLE app LOGIN;
	CREATE TABLE drawn (id bigint PRIMARY KEY);
	GRANT INSERT ON drawn TO app});

# Single draws, transactions that are rolled back, as a whole or to a savepoint,
# and statements that refill many times. A transaction draws from one id
# sequence only, since two that take turns on the same rows can deadlock.
local $ENV{PGOPTIONS} = '-c role=app';
my @clients = start_clients($node, 6, q{
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
INSERT INTO drawn VALUES (idgen_next('gapless'));
BEGIN;
INSERT INTO drawn SELECT idgen_next('gapless') FROM generate_series(1, 3);
ROLLBACK;
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
ROLLBACK;
DO $$
BEGIN
	PERFORM idgen_next('own') FROM generate_series(1, 3);
	BEGIN
		PERFORM idgen_next('own') FROM generate_series(1, 5);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		PERFORM idgen_next('own') FROM generate_series(1, 3);
	END;
END$$;
DO $$
BEGIN
	BEGIN
		INSERT INTO drawn SELECT idgen_next('gapless') FROM generate_series(1, 3);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		INSERT INTO drawn SELECT idgen_next('gapless') FROM generate_series(1, 2);
	END;
END$$;
SELECT 'bulk ' || idgen_next('bulk') FROM generate_series(1, 100);
}, times => 25);
delete $ENV{PGOPTIONS};
finish_clients(@clients);
is(join('', map { slurp_file($_->{err}) } @clients), '', 'no session met with an error');
is(duplicates(grep { !/^own/ } seen_ids(@clients)), '', 'no id was issued twice');
is($node->safe_psql('postgres', 'SELECT count(*), min(id), max(id) FROM drawn'), '450|1|450', 'gapless ones have no gap');

# The worker may still be refilling ahead.
wait_for_no_worker($node);

is( $node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM audit.log WHERE operation = 'UPDATE' AND new_row ->> 'name' = 'worker') = refills
		FROM idgen_stats WHERE name = 'worker'}),
	't', "every refill of the worker's is in the log");
$node->safe_psql('postgres', "SELECT idgen_restart('own', 1000000)");

is( $node->safe_psql(
		'postgres', q{
		SELECT name, count(*) FILTER (WHERE old_row IS DISTINCT FROM previous)
		FROM (
			SELECT new_row ->> 'name' AS name, old_row, lag(new_row) OVER (PARTITION BY new_row ->> 'name' ORDER BY id) AS previous
			FROM audit.log) changes
		GROUP BY name ORDER BY name}),
	"bulk|0\ngapless|0\nown|0\nworker|0", 'each change goes on where the one before has ended');
is( $node->safe_psql(
		'postgres', q{
		SELECT name FROM id_sequences s
		WHERE to_jsonb(s) = (SELECT new_row FROM audit.log WHERE new_row ->> 'name' = s.name ORDER BY id DESC LIMIT 1)
		ORDER BY name}),
	"bulk\ngapless\nown\nworker", 'and the last one at what the table says');
is( $node->safe_psql('postgres', q{
		SELECT count(*) > 1000 FROM audit.log WHERE operation = 'UPDATE'}),
	't', 'there were many');

$node->stop;
done_testing();
