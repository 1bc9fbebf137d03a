--
-- Rows of id_sequences, and what a change of one does
--
-- needs test/idgen.conf
--

--
-- What drops the cached ids of an id sequence: deleting or renaming its row,
-- a lower next_block_start or max_value. For others only when it commits.
--
-- A cache per session is emptied even by changes that are rolled back.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('other', 1, 10);
CREATE VIEW blocks AS SELECT * FROM idgen_cache ORDER BY name, first_id;
SELECT idgen_next('gen'), idgen_next('other');

-- DELETE, rolled back: in between there is nothing to draw from
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- a new row of that name in the same transaction, rolled back
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 500, 10);
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- and committed
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 500, 10);
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- one after the other
DELETE FROM id_sequences WHERE name = 'gen';
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10);
SELECT idgen_next('gen');

-- a lower next_block_start, rolled back and committed
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- also a block that the transaction itself has allocated before
SELECT count(idgen_next('gen')) FROM generate_series(1, 9);
BEGIN;
SELECT idgen_next('gen');
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- undone with a savepoint
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET next_block_start = 5 WHERE name = 'gen';
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
RELEASE b;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
TABLE blocks;

-- a lower max_value: what is above it must not be issued
UPDATE id_sequences SET max_value = 5 WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 15 WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 5);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- rename, rolled back and committed: the ids go with neither name
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET name = 'new' WHERE name = 'gen';
SELECT idgen_next('new');
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen');
SELECT idgen_next('new');
\echo :SQLSTATE
UPDATE id_sequences SET name = 'new' WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('new');

-- the old name may be given to another one, at once or later
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 700, 10);
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET name = 'newer' WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 800, 10);
SELECT idgen_next('gen'), idgen_next('newer');
COMMIT;
SELECT idgen_next('gen'), idgen_next('newer');
DELETE FROM id_sequences WHERE name IN ('gen', 'newer');

-- swapping two names in one transaction
UPDATE id_sequences SET next_block_start = 501, max_value = 1000, exhausted = 0 WHERE name = 'new';
BEGIN;
UPDATE id_sequences SET name = 'tmp' WHERE name = 'other';
UPDATE id_sequences SET name = 'other' WHERE name = 'new';
UPDATE id_sequences SET name = 'new' WHERE name = 'tmp';
SELECT idgen_next('new');
COMMIT;
SELECT idgen_next('new'), idgen_next('other');
SELECT name, next_block_start, max_value FROM id_sequences ORDER BY name;

-- the last block of another program leaves the cache alone; what sets that back
-- does not
UPDATE id_sequences SET next_block_start = next_block_start + 20, exhausted = 1;
TABLE blocks;
UPDATE id_sequences SET exhausted = 0;
TABLE blocks;

-- each other column holds for the next id: block_size 1 is gapless from now on
DO $$
DECLARE
	change text;
BEGIN
	FOREACH change IN ARRAY ARRAY['block_size = 5', 'max_value = 10000000', 'source_name = ''x''', 'refill = ''auto''', 'big_base = 100',
		'start_value = 0', 'format = ''{id}''', 'block_size = 1'] LOOP
		PERFORM idgen_next(name) FROM id_sequences;
		ASSERT EXISTS (SELECT FROM blocks), change;
		EXECUTE 'UPDATE id_sequences SET ' || change;
	END LOOP;
END $$;
TABLE blocks;
SELECT idgen_next('new') - next_block_start FROM id_sequences WHERE name = 'new';
SELECT idgen_next('new') - next_block_start FROM id_sequences WHERE name = 'new';
UPDATE id_sequences SET block_size = 5;
SELECT count(idgen_next(name)) FROM id_sequences;
TABLE blocks;

-- TRUNCATE, rolled back and committed
BEGIN;
TRUNCATE id_sequences;
SELECT idgen_next('new');
\echo :SQLSTATE
ROLLBACK;
TABLE blocks;
BEGIN;
TRUNCATE id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('new', 1000);
SELECT idgen_next('new');
COMMIT;
TABLE blocks;
SELECT idgen_next('new');
INSERT INTO id_sequences (name, next_block_start) VALUES ('other', 2000);
SELECT idgen_next('other');

-- after TRUNCATE, draws do not look for the row where it was before
INSERT INTO id_sequences (name, next_block_start) SELECT 'n' || i, 1 FROM generate_series(1, 300) AS i;
BEGIN;
SELECT idgen_next('n300');
TRUNCATE id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('n300', 100);
SELECT idgen_next('n300');
COMMIT;
SELECT idgen_next('n300');

DROP VIEW blocks;
DROP EXTENSION idgen;

\c -
--
-- A change of one row has nobody look again at others
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) SELECT n, 1, 100 FROM unnest('{a,b,c,other,another}'::text[]) AS n;

-- how often the row was looked for
CREATE FUNCTION looks(VARIADIC names text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT idx_scan FROM pg_stat_xact_all_tables WHERE relid = 'id_sequences'::regclass);
BEGIN
	PERFORM idgen_next(n) FROM unnest(names) AS n;
	RETURN (SELECT idx_scan FROM pg_stat_xact_all_tables WHERE relid = 'id_sequences'::regclass) - before;
END $$;
SELECT looks('a', 'b', 'c', 'other', 'another') > 0;
SELECT looks('a', 'b', 'c', 'other', 'another');
DELETE FROM id_sequences WHERE name = 'other';
SELECT looks('a', 'b', 'c', 'another');
UPDATE id_sequences SET block_size = 50 WHERE name = 'another';
SELECT looks('a', 'b', 'c');
SELECT looks('another') > 0;
INSERT INTO id_sequences (name, next_block_start) VALUES ('one more', 1);
SELECT looks('a', 'b', 'c');

DROP FUNCTION looks;
DROP EXTENSION idgen;

\c -
--
-- One transaction changes very many rows: the session needs little memory for
-- that and gives it back, and what each change means for cached ids holds, with
-- savepoints too.
--
CREATE EXTENSION idgen;
CREATE VIEW memory AS
	SELECT coalesce(sum(total_bytes), 0) / 1024 AS kilobytes FROM pg_backend_memory_contexts WHERE name LIKE 'idgen%';
BEGIN;
INSERT INTO id_sequences (name, next_block_start, block_size)
	SELECT 'name' || i, 1001, 20 FROM generate_series(1, 11000) i;
SELECT kilobytes < 1500 FROM memory;
COMMIT;
SELECT idgen_create('a'), idgen_create('b'), idgen_create('c');
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

BEGIN;
UPDATE id_sequences SET exhausted = 1;
SELECT kilobytes < 1500 FROM memory;
COMMIT;
SELECT kilobytes < 100 FROM memory;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;
UPDATE id_sequences SET exhausted = 0;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

-- an allocation leaves the cache alone
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + 100;
SELECT kilobytes < 100 FROM memory;
COMMIT;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;

-- what makes ids void, rolled back as a whole and in part
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start - 1;
SELECT kilobytes < 1500 FROM memory;
ROLLBACK;
SELECT kilobytes < 100 FROM memory;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;
BEGIN;
UPDATE id_sequences SET next_block_start = 61 WHERE name = 'a';
SAVEPOINT s;
UPDATE id_sequences SET next_block_start = 41 WHERE name <> 'c';
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;
SAVEPOINT t;
DELETE FROM id_sequences;
RELEASE t;
ROLLBACK TO s;
SELECT kilobytes < 1500 FROM memory;
SELECT idgen_next('b'), idgen_next('c');
COMMIT;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

-- the same, with a change that counts for more inside of the savepoint
BEGIN;
UPDATE id_sequences SET block_size = 10 WHERE name IN ('a', 'b', 'c');
SAVEPOINT s;
DELETE FROM id_sequences WHERE name <> 'c';
SAVEPOINT t;
UPDATE id_sequences SET next_block_start = 1;
ROLLBACK TO t;
RELEASE s;
COMMIT;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;
SELECT idgen_next('c');
SELECT idgen_next('a');

-- rows that are made again, and ids of the same transaction before and after
INSERT INTO id_sequences (name, next_block_start) SELECT 'name' || i, 1 FROM generate_series(1, 1100) i;
INSERT INTO id_sequences (name, next_block_start) VALUES ('a', 1), ('b', 1);
SELECT idgen_next('a'), idgen_next('b'), idgen_next('name1');
BEGIN;
SELECT idgen_next('name2');
DELETE FROM id_sequences WHERE name <> 'a';
SELECT kilobytes < 300 FROM memory;
SELECT idgen_next('a');
INSERT INTO id_sequences (name, next_block_start) SELECT 'name' || i, 101 FROM generate_series(1, 1100) i;
SELECT kilobytes < 300 FROM memory;
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('name3');
SAVEPOINT s;
SELECT idgen_next('name1'), idgen_next('name4');
ROLLBACK TO s;
SELECT idgen_next('name1'), idgen_next('name4');
COMMIT;
SELECT idgen_next('a'), idgen_next('name1'), idgen_next('name2'), idgen_next('name3'), idgen_next('name4');

-- restarts
BEGIN;
SELECT count(idgen_restart(name, 201)) FROM id_sequences;
SELECT kilobytes < 2000 FROM memory;
SELECT idgen_next('name1');
COMMIT;
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('a');

-- prepared
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start - 50;
PREPARE TRANSACTION 'bulk';
SELECT kilobytes < 2000 FROM memory;
SELECT name, ids_cached FROM idgen_stats WHERE name IN ('a', 'name1', 'name2') ORDER BY name;
COMMIT PREPARED 'bulk';
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('a');

DROP EXTENSION idgen CASCADE;

\c -
--
-- A row that gets another source: each draws from the new one as soon as it may
-- see it
--
-- A cache per session is emptied by changes that are rolled back.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 10;
CREATE TABLE counter AS SELECT 5000::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 10 RETURNING next_id - 10, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1);
PREPARE draw AS SELECT idgen_next('gen');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- one after the other
EXECUTE draw;
UPDATE id_sequences SET source = 'sequence' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
TABLE blocks;

-- in one transaction, which has pending ids of each, and is rolled back
BEGIN;
EXECUTE draw;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
TABLE counter;

-- committed
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
TABLE blocks;
COMMIT;
TABLE blocks;
EXECUTE draw;
BEGIN;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
COMMIT;
EXECUTE draw;
BEGIN;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
COMMIT;
EXECUTE draw;

-- savepoints
SELECT count(idgen_next('gen')) FROM generate_series(1, 8);
BEGIN;
EXECUTE draw;
SAVEPOINT a;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
SAVEPOINT b;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
ROLLBACK TO b;
EXECUTE draw;
ROLLBACK TO a;
EXECUTE draw;
COMMIT;
TABLE blocks;

-- gapless ids that were reserved ahead are given back, and there for the way
-- back
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 100);
UPDATE id_sequences SET source = 'sequence', source_name = 'gen_seq' WHERE name = 'gapless';
SELECT idgen_next('gapless') >= 1000 AS of_the_sequence;
UPDATE id_sequences SET source = 'table' WHERE name = 'gapless';
SELECT idgen_next('gapless');
COMMIT;
SELECT idgen_next('gapless');

DEALLOCATE draw;
DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter;
DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;
