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

\c -
--
-- block_size holds from the next id on
--
-- A cache per session is emptied by any change of a row.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4);
CREATE VIEW taken AS SELECT next_block_start, block_size FROM id_sequences WHERE name = 'gen';

SELECT idgen_next('gen');
TABLE taken;

-- larger
UPDATE id_sequences SET block_size = 100;
SELECT idgen_next('gen') FROM generate_series(1, 3);
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- smaller
UPDATE id_sequences SET block_size = 2;
SELECT array_agg(id) = array_agg(id ORDER BY id) AS ascending, min(id), max(id), count(DISTINCT id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 99)) AS s;
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- 1: gapless from the next id on
UPDATE id_sequences SET block_size = 1;
SELECT idgen_next('gen');
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
SELECT * FROM idgen_cache;

-- and back
UPDATE id_sequences SET block_size = 3;
SELECT idgen_next('gen');
TABLE taken;
SELECT * FROM idgen_cache;

-- within a transaction: from its next refill, and undone with it
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 3);
UPDATE id_sequences SET block_size = 10;
SELECT idgen_next('gen') FROM generate_series(1, 2);
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;
ROLLBACK;
SELECT idgen_next('gen');
TABLE taken;

-- from gapless to blocks, with a rest of the gapless block that goes back
UPDATE id_sequences SET next_block_start = 1, block_size = 1;
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 98);
SELECT first_id <= 99 AND last_id >= 99 AS has_rest, state FROM idgen_cache;
UPDATE id_sequences SET block_size = 5;
SELECT idgen_next('gen');
COMMIT;
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- from blocks to gapless, with a rest that is published as usual
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 5);
UPDATE id_sequences SET block_size = 1;
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen') FROM generate_series(1, 5);
TABLE taken;
SELECT * FROM idgen_cache;

-- as large as can be
UPDATE id_sequences SET block_size = 2147483647;
SELECT idgen_next('gen');
TABLE taken;

DROP VIEW taken;
DROP EXTENSION idgen;

\c -
--
-- A transaction that has drawn gapless ids finds that the name leads elsewhere,
-- because it has changed the source of the row, or does not see the row any
-- more
--
-- needs test/idgen.conf: a session with slots of its own has one for each name
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 5;
SELECT idgen_create('gen', block_size => 1);
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);
SAVEPOINT a;
UPDATE id_sequences SET source = 'sequence';
SELECT idgen_next('gen');
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('gen');

CREATE ROLE regress_idgen_user;
GRANT USAGE ON SEQUENCE gen_seq TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON id_sequences USING (current_setting('idgen_test.tenant', true) = 'one');
SET ROLE regress_idgen_user;
SET idgen_test.tenant = 'one';
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);
SAVEPOINT a;
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen');
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen');
RESET ROLE;
SELECT idgen_next('gen');

DROP EXTENSION idgen;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;

\c -
--
-- A command that makes a new table of the rows of id_sequences does not see
-- what an expression in it writes to them meanwhile: nothing is written then
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
\set SHOW_CONTEXT errors

\c -
--
-- View id_sequences_by_last_id: other programs keep the last id allocated
--
-- A cache of the session's own is emptied by a change of a row.
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 5), ('other', 101, 20);
SELECT * FROM id_sequences_by_last_id ORDER BY seq_name;

-- a program that adds to the number and then reads it
SELECT max(idgen_next('gen')) FROM generate_series(1, 3);
BEGIN;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 WHERE seq_name = 'gen';
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
COMMIT;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 4);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 7 WHERE seq_name = 'gen' RETURNING *;
SELECT name, next_block_start FROM id_sequences ORDER BY name;

-- a program that writes what it has computed itself
BEGIN;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'other' FOR UPDATE;
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = 120 WHERE seq_name = 'other' AND seq_count = 100;
UPDATE id_sequences_by_last_id SET seq_count = 120 WHERE seq_name = 'other' AND seq_count = 100;
\set QUIET on
COMMIT;
SELECT idgen_next('other');

-- it locks the rows that it looks for, and no others
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
RESET enable_seqscan;

-- a program makes the row that it lacks
INSERT INTO id_sequences_by_last_id (seq_name, seq_count) VALUES ('new', 0), ('later', 1000) RETURNING *;
SELECT idgen_next('new'), idgen_next('later');
SELECT name, next_block_start, block_size, start_value FROM id_sequences WHERE name IN ('new', 'later') ORDER BY name;
INSERT INTO id_sequences_by_last_id VALUES ('new', 0);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('end', 9223372036854775807);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('null', NULL);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES (NULL, 0);
\echo :SQLSTATE
\set QUIET off
DELETE FROM id_sequences_by_last_id WHERE seq_name = 'later';
\set QUIET on
SELECT idgen_next('later');
\echo :SQLSTATE

-- what it may not do
UPDATE id_sequences_by_last_id SET seq_count = NULL;
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_name = 'x' WHERE seq_name = 'gen';
\echo :SQLSTATE

-- the end of an id sequence
SELECT idgen_create('short', max_value => 100);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 90 WHERE seq_name = 'short' RETURNING seq_count;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'short';
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 10 WHERE seq_name = 'short' RETURNING seq_count;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'short';
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'short';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 1 WHERE seq_name = 'short';
\echo :SQLSTATE
SELECT idgen_create('bigint', next_block_start => 9223372036854775800);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 8 WHERE seq_name = 'bigint' RETURNING seq_count;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'bigint';
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'bigint';

-- back, as with next_block_start: ids are issued twice
SELECT idgen_next('gen');
UPDATE id_sequences_by_last_id SET seq_count = 0 WHERE seq_name = 'gen';
SELECT idgen_next('gen');

-- where the trigger does not fire, no program takes an update for one that was
-- made
SET session_replication_role = replica;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 RETURNING *;
RESET session_replication_role;

-- no number is before the least one, which is left out
INSERT INTO id_sequences (name, next_block_start) VALUES ('least', -9223372036854775808);
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'least';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'least' RETURNING seq_count;
SELECT next_block_start FROM id_sequences WHERE name = 'least';
DELETE FROM id_sequences WHERE name = 'least';

-- rows whose blocks come from elsewhere have no last id
CREATE SEQUENCE native_seq INCREMENT BY 20;
SELECT idgen_create('native', source => 'sequence');
SELECT count(*) FROM id_sequences_by_last_id WHERE seq_name = 'native';

-- what a role needs: the privileges on the table that any program needs, and
-- those on the view
CREATE ROLE regress_idgen_program;
SET ROLE regress_idgen_program;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, INSERT, UPDATE ON id_sequences_by_last_id TO regress_idgen_program;
SET ROLE regress_idgen_program;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('its own', 0);
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO regress_idgen_program;
SET ROLE regress_idgen_program;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen' RETURNING seq_count;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
INSERT INTO id_sequences_by_last_id VALUES ('its own', 0);
\echo :SQLSTATE
RESET ROLE;

-- and policies
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY sees ON id_sequences FOR SELECT USING (true);
CREATE POLICY takes ON id_sequences FOR UPDATE USING (name = 'gen');
SET ROLE regress_idgen_program;
SELECT seq_name FROM id_sequences_by_last_id;
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\set QUIET on
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- a trigger on the table that suppresses the update
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE UPDATE ON id_sequences
	FOR EACH ROW WHEN (OLD.name = 'other') EXECUTE FUNCTION suppress();
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other' RETURNING seq_count;
\set QUIET on
DROP TRIGGER suppress ON id_sequences;
DROP FUNCTION suppress();

-- refused where a write is
BEGIN READ ONLY;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\echo :SQLSTATE
ROLLBACK;

-- nothing that the search_path brings takes the place of the table or of an
-- operator
CREATE SCHEMA front;
CREATE TABLE front.id_sequences (LIKE id_sequences);
CREATE FUNCTION front.never(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR front.< (FUNCTION = front.never, LEFTARG = bigint, RIGHTARG = bigint);
SET search_path = front, pg_catalog, public;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other' RETURNING seq_count;
RESET search_path;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'other';
DROP SCHEMA front CASCADE;

DROP EXTENSION idgen CASCADE;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_program;
