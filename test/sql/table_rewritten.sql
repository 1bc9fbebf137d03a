--
-- A command that makes a new table of the rows of id_sequences does not see
-- what an expression in it writes to them meanwhile: nothing is written then
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never
SELECT idgen_create('gen', block_size => 2), idgen_create('other'), idgen_create('third');
CREATE FUNCTION draw(text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN idgen_next(''gen''); END';

-- a refill
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING draw(name);
\echo :SQLSTATE
BEGIN;
LOCK TABLE id_sequences;
DO $$ BEGIN ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('gen'); END $$;
\echo :SQLSTATE
ROLLBACK;

-- a gapless one, in a savepoint
SELECT idgen_create('gapless', block_size => 1);
BEGIN;
SAVEPOINT a;
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('gapless');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('gapless');
COMMIT;
SELECT idgen_next('gapless');

-- a new row, and other changes
SET idgen.auto_create = on;
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('new');
\echo :SQLSTATE
RESET idgen.auto_create;
ALTER TABLE id_sequences ALTER time_zone TYPE text USING idgen_create('new')::text;
\echo :SQLSTATE
ALTER TABLE id_sequences ALTER time_zone TYPE text USING idgen_restart('gen', 1001)::text;
\echo :SQLSTATE
CREATE FUNCTION remove() RETURNS bigint LANGUAGE sql AS 'DELETE FROM id_sequences WHERE name = ''gen'' RETURNING 1';
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING remove();
\echo :SQLSTATE

-- nothing has come of that
SELECT idgen_next('gen');

-- where the ids come from elsewhere, there is nothing to write
CREATE SEQUENCE native_seq;
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('native', 'sequence');
SELECT count(DISTINCT start_value) FROM id_sequences;
SELECT idgen_next('native', 'sequence');

-- ids that are there already can be drawn, cached or pending
SELECT idgen_next('other');
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('other');
SELECT min(start_value), max(start_value) FROM id_sequences;
BEGIN;
SELECT idgen_next('third');
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('third');
SELECT min(start_value), max(start_value) FROM id_sequences;
COMMIT;
SELECT idgen_next('other'), idgen_next('third');

-- other commands, locks and queries over the table are no hindrance
BEGIN;
LOCK TABLE id_sequences;
SELECT count(DISTINCT idgen_next('gen')) FROM id_sequences, generate_series(1, 4);
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING 1;
SELECT count(DISTINCT idgen_next('gen')) FROM id_sequences, generate_series(1, 4);
CLUSTER id_sequences USING id_sequences_pkey;
SELECT idgen_next('gen');
COMMIT;
DO $$
DECLARE
	seen bigint[];
	r record;
BEGIN
	FOR r IN SELECT name FROM id_sequences LOOP
		seen := seen || idgen_next('gen') || idgen_next('gen') || idgen_next('gen');
	END LOOP;
	RAISE NOTICE '% different ids of 12', (SELECT count(DISTINCT id) FROM unnest(seen) AS id);
END $$;
UPDATE id_sequences SET start_value = idgen_next('gen') WHERE name <> 'gen';
SELECT count(DISTINCT start_value) FROM id_sequences WHERE name <> 'gen';
INSERT INTO id_sequences (name, next_block_start) SELECT 'made' || n, idgen_next('gen') FROM generate_series(1, 5) AS n;
SELECT count(DISTINCT next_block_start) FROM id_sequences WHERE name LIKE 'made%';
SELECT idgen_next('gen') - next_block_start BETWEEN -2 AND 0 FROM id_sequences WHERE name = 'gen';

DROP FUNCTION remove;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
DROP FUNCTION draw;
