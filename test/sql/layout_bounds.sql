--
-- Values that are too wide for their layout, or negative: the call fails and
-- the id goes back, so that the next call finds everything as it was
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, exhausted,
		coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached, coalesce(ids_lost, 0) AS ids_lost,
		(SELECT array_agg(first_id || '-' || last_id || ' ' || state ORDER BY first_id)
			FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;
CREATE FUNCTION value(id numeric, layout text) RETURNS numeric LANGUAGE sql
	AS 'SELECT sequence_value FROM idgen_parts(id, layout)';

-- the end of the field is in the middle of a block
INSERT INTO id_sequences (name, next_block_start, layout) VALUES
	('prefixed', 99999999999998, 'prefixed'), ('prefixed_reversed', 99999999999998, 'prefixed_reversed'),
	('session', 999999999999998, 'session'), ('session_reversed', 999999999999998, 'session_reversed');
SELECT name, sequence_value FROM id_sequences, idgen_parts(idgen_next(name), layout) ORDER BY name;
SELECT name, sequence_value FROM id_sequences, idgen_parts(idgen_next(name), layout) ORDER BY name;
INSERT INTO before TABLE state;
SELECT idgen_next('prefixed');
\echo :SQLSTATE
SELECT idgen_next('prefixed_reversed');
\echo :SQLSTATE
SELECT idgen_next('session');
\echo :SQLSTATE
SELECT idgen_next('session_reversed');
\echo :SQLSTATE
SELECT idgen_peek('prefixed');
\echo :SQLSTATE
SELECT idgen_peek('session_reversed');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('session', 2);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- numeric ids have room
SELECT name, value(idgen_next_big(name), layout) FROM id_sequences ORDER BY name;

-- the last one was drawn so, and does not fit here
SELECT idgen_last('prefixed');
\echo :SQLSTATE

-- pending ones, in savepoints
BEGIN;
SELECT count(idgen_next_big('prefixed')) FROM generate_series(1, 20);
TRUNCATE before;
INSERT INTO before TABLE state;
SAVEPOINT a;
SELECT idgen_next('prefixed');
\echo :SQLSTATE
ROLLBACK TO a;
TABLE before EXCEPT TABLE state;
SELECT value(idgen_next_big('prefixed'), 'prefixed');
COMMIT;
SELECT value(idgen_next_big('prefixed'), 'prefixed');

-- caught
DO $$
BEGIN
	PERFORM idgen_next('session');
EXCEPTION WHEN sequence_generator_limit_exceeded THEN
	RAISE NOTICE 'then a wide one: %', value(idgen_next_big('session'), 'session');
END $$;

-- a refill that brings nothing but too wide ones is undone, or negative ones,
-- which only replication writes
DELETE FROM id_sequences;
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, block_size, layout) VALUES
	('gen', 100000000000000, 20, 'prefixed'), ('gapless', 100000000000000, 1, 'prefixed'),
	('below', -20, 20, 'session'), ('below gapless', -1, 1, 'session_reversed');
RESET session_replication_role;
TRUNCATE before;
INSERT INTO before SELECT name, xmin, next_block_start FROM id_sequences;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT idgen_next('below');
\echo :SQLSTATE
SELECT idgen_next('below gapless');
\echo :SQLSTATE
SELECT idgen_next_big('below');
\echo :SQLSTATE
SELECT idgen_peek('below');
\echo :SQLSTATE
SELECT idgen_peek('below gapless');
\echo :SQLSTATE
SELECT name, row_version, next_block_start FROM before EXCEPT SELECT name, xmin, next_block_start FROM id_sequences;
SELECT count(*) FROM idgen_cache;
SELECT name, ids_issued, ids_lost FROM idgen_stats WHERE ids_issued <> 0 OR ids_lost <> 0;

-- without a layout they can be used
UPDATE id_sequences SET layout = 'plain';
SELECT idgen_next('gen'), idgen_next('gapless'), idgen_next('below'), idgen_next('below gapless');
UPDATE id_sequences SET layout = 'session';
SELECT (idgen_parts(idgen_next('below'), 'session')).sequence_value;
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'plain';
SELECT idgen_next('below');

-- a range of which one end is outside
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, block_size, layout) VALUES
	('wide range', 99999999999975, 20, 'prefixed'), ('negative range', -5, 20, 'prefixed');
RESET session_replication_role;
SELECT * FROM idgen_next_range('negative range', 10);
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'negative range' RETURNING next_block_start;
SELECT (idgen_parts(last_id, 'prefixed')).sequence_value FROM idgen_next_range('wide range', 16);
TRUNCATE before;
INSERT INTO before SELECT * FROM state WHERE name = 'wide range';
SELECT * FROM idgen_next_range('wide range', 6);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT (idgen_parts(last_id, 'prefixed')).sequence_value FROM idgen_next_range('wide range', 5);

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP VIEW state;
DROP TABLE before;
DROP FUNCTION value;
DROP EXTENSION idgen;
