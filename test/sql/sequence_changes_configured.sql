--
-- Source "sequence": what is changed outside of idgen
--
-- needs test/idgen.conf
--

--
-- Which changes of a native sequence make cached ids void: those that could
-- make it give the same ids again, or others
--
-- A cache per session is emptied by any change of a sequence.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('row', 1, 'sequence', 'gen_seq');
CREATE VIEW blocks AS SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
TABLE blocks;

-- RESTART, where it started or elsewhere
ALTER SEQUENCE gen_seq RESTART;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
ALTER SEQUENCE gen_seq RESTART WITH 100;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence'), idgen_next('row');
ALTER SEQUENCE gen_seq RESTART 102;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

-- INCREMENT: blocks of another size
ALTER SEQUENCE gen_seq INCREMENT 3;
TABLE blocks;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 3);
SELECT last_value FROM gen_seq;
ALTER SEQUENCE gen_seq INCREMENT -5;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 3);
ALTER SEQUENCE gen_seq INCREMENT 10;
SELECT idgen_next('gen', 'sequence');

-- MAXVALUE: nothing beyond it
ALTER SEQUENCE gen_seq MAXVALUE 120;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ALTER SEQUENCE gen_seq NO MAXVALUE;
SELECT idgen_next('gen', 'sequence');

-- others that may matter to what comes next
ALTER SEQUENCE gen_seq MINVALUE -1000;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq CYCLE;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq START 7;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq CACHE 1;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq AS integer;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq SET UNLOGGED;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq SET LOGGED;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- a change that fails does nothing
ALTER SEQUENCE gen_seq RESTART 9223372036854775807;
ALTER SEQUENCE gen_seq INCREMENT 0;
SELECT idgen_next('gen', 'sequence');

-- what has nothing to do with its values leaves the cache alone
SELECT idgen_next('row');
CREATE TABLE owner (id bigint DEFAULT nextval('gen_seq'));
CREATE ROLE regress_idgen_user;
ALTER SEQUENCE gen_seq OWNED BY owner.id;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq OWNER TO CURRENT_USER;
GRANT USAGE ON gen_seq TO regress_idgen_user;
COMMENT ON SEQUENCE gen_seq IS 'for orders';
SELECT idgen_next('gen', 'sequence');
VACUUM owner;
ANALYZE owner;
TRUNCATE owner;
TRUNCATE owner CONTINUE IDENTITY;
ALTER TABLE owner ADD n integer;
SELECT idgen_next('gen', 'sequence');
TABLE blocks;

-- a table's truncation with RESTART IDENTITY
TRUNCATE owner RESTART IDENTITY;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner DEFAULT VALUES;
SELECT id FROM owner;
SELECT idgen_next('gen', 'sequence');

-- lost ids are counted
SELECT name, ids_lost_changed = ids_lost AND ids_lost > 0 AS lost FROM idgen_stats ORDER BY name;

DROP VIEW blocks;
DROP TABLE owner;
DROP ROLE regress_idgen_user;
DROP EXTENSION idgen;

\c -
--
-- A transaction that has created, altered or restarted a native sequence draws
-- from the new state by itself, until it commits
--
-- A cache per session is emptied by changes that are rolled back.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- created and committed
BEGIN;
CREATE SEQUENCE gen_seq INCREMENT 10;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- altered and committed: what others had cached is gone then, not before
BEGIN;
ALTER SEQUENCE gen_seq RESTART 100;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_peek('gen'), idgen_last('gen');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- several blocks
BEGIN;
ALTER SEQUENCE gen_seq RESTART 200;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 25);
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- rolled back: the old ids go on
BEGIN;
ALTER SEQUENCE gen_seq RESTART 300 INCREMENT 5;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 12);
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- drawn from before: the ids left are those of the old state
BEGIN;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 400;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 500;
SELECT idgen_next('gen', 'sequence');
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- drawn from, and then changed once more: what is left is void
BEGIN;
CREATE SEQUENCE again_seq INCREMENT 10;
SELECT idgen_next('again', 'sequence');
ALTER SEQUENCE again_seq RESTART;
COMMIT;
SELECT idgen_next('again', 'sequence');
BEGIN;
ALTER SEQUENCE again_seq RESTART;
SELECT idgen_next('again', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE again_seq RESTART;
RELEASE a;
COMMIT;
SELECT idgen_next('again', 'sequence');
BEGIN;
ALTER SEQUENCE again_seq RESTART;
SELECT idgen_next('again', 'sequence');
DROP SEQUENCE again_seq;
COMMIT;
SELECT first_id, last_id, state FROM blocks WHERE name = 'again';

-- the same, undone by a savepoint: what is left is good
BEGIN;
ALTER SEQUENCE gen_seq RESTART 560;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE gen_seq RESTART 560;
ROLLBACK TO a;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- savepoints
BEGIN;
ALTER SEQUENCE gen_seq RESTART 600;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 700;
SELECT idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT b;
ALTER SEQUENCE gen_seq RESTART 800;
RELEASE b;
SELECT idgen_next('gen', 'sequence');
COMMIT;
TABLE blocks;

-- altered in a savepoint that is rolled back, and drawn from there
BEGIN;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE gen_seq RESTART 900;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen', 'sequence');
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 10);
COMMIT;
TABLE blocks;

-- created in a savepoint, released and rolled back
BEGIN;
SAVEPOINT a;
CREATE SEQUENCE new_seq INCREMENT 10;
SELECT idgen_next('new', 'sequence');
RELEASE a;
SELECT idgen_next('new', 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
BEGIN;
DROP SEQUENCE new_seq;
SAVEPOINT a;
CREATE SEQUENCE new_seq START 1000 INCREMENT 10;
SELECT idgen_next('new', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('new', 'sequence');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('new', 'sequence');

-- a truncated table
CREATE TABLE orders (id bigint DEFAULT nextval('new_seq'));
ALTER SEQUENCE new_seq OWNED BY orders.id;
BEGIN;
TRUNCATE orders RESTART IDENTITY;
SELECT idgen_next('new', 'sequence');
ROLLBACK;
SELECT idgen_next('new', 'sequence');
BEGIN;
TRUNCATE orders RESTART IDENTITY;
SELECT idgen_next('new', 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
BEGIN;
TRUNCATE orders RESTART IDENTITY;
COMMIT;
SELECT idgen_next('new', 'sequence');

-- one value at a time
CREATE SEQUENCE runs_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs', 1, 10, 'sequence');
SELECT idgen_next('runs');
BEGIN;
ALTER SEQUENCE runs_seq RESTART 100;
SELECT idgen_next('runs');
SELECT first_id, last_id, state FROM blocks WHERE name = 'runs';
SELECT last_value FROM runs_seq;
ROLLBACK;
SELECT idgen_next('runs');
SELECT last_value FROM runs_seq;
BEGIN;
ALTER SEQUENCE runs_seq RESTART 100;
SELECT idgen_next('runs');
SELECT nextval('runs_seq');
COMMIT;
SELECT idgen_next('runs'), idgen_next('runs');
SELECT first_id, last_id, state FROM blocks WHERE name = 'runs';

-- two names of one sequence
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('other', 1, 'sequence', 'gen_seq');
SELECT idgen_next('other') > 0 AS drawn;
BEGIN;
ALTER SEQUENCE gen_seq RESTART 3000;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');
COMMIT;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');
BEGIN;
ALTER SEQUENCE gen_seq RESTART 4000;
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');

-- bulk loads
BEGIN;
ALTER SEQUENCE gen_seq RESTART 10001;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen', 'sequence') AS id FROM generate_series(1, 1005)) AS s;
COMMIT;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

DROP VIEW blocks;
DROP TABLE orders;
DROP SEQUENCE gen_seq, runs_seq;
DROP EXTENSION idgen;

\c -
--
-- Native sequences that are renamed, moved to another schema, dropped and
-- created again while ids of theirs are cached
--
-- A cache per session is emptied by any change of a sequence.
--
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE other_seq START 500 INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('row', 1, 'sequence', 'gen_seq');
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
PREPARE draw_row AS SELECT idgen_next('row');
EXECUTE draw;
EXECUTE draw_row;

-- renamed: the name stands for nothing, and the new one for the same sequence
ALTER SEQUENCE gen_seq RENAME TO new_seq;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_next('new', 'sequence');

-- and back: ids that were cached under that name were never issued
ALTER SEQUENCE new_seq RENAME TO gen_seq;
EXECUTE draw;
EXECUTE draw_row;

-- rolled back
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO new_seq;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('new', 'sequence');
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;

-- two sequences that change places
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO tmp_seq;
ALTER SEQUENCE other_seq RENAME TO gen_seq;
ALTER SEQUENCE tmp_seq RENAME TO other_seq;
EXECUTE draw;
EXECUTE draw_row;
COMMIT;
EXECUTE draw;
SELECT idgen_next('other', 'sequence');
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO tmp_seq;
ALTER SEQUENCE other_seq RENAME TO gen_seq;
ALTER SEQUENCE tmp_seq RENAME TO other_seq;
COMMIT;
EXECUTE draw;
EXECUTE draw_row;

-- to another schema, that is in the path or not
ALTER SEQUENCE gen_seq SET SCHEMA regress_a;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_next('regress_a.gen', 'sequence');
SET search_path = public, regress_a;
EXECUTE draw;
EXECUTE draw_row;
RESET search_path;
BEGIN;
ALTER SEQUENCE regress_a.gen_seq SET SCHEMA public;
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
\echo :SQLSTATE
ALTER SCHEMA regress_a RENAME TO regress_b;
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_b.gen', 'sequence');
ALTER SEQUENCE regress_b.gen_seq SET SCHEMA public;
EXECUTE draw;
EXECUTE draw_row;

-- dropped
BEGIN;
DROP SEQUENCE gen_seq;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
EXECUTE draw_row;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;
DROP SEQUENCE gen_seq;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;

-- and created again: it starts at its start
CREATE SEQUENCE gen_seq START 7000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;

-- both in one transaction, rolled back and committed
BEGIN;
DROP SEQUENCE gen_seq;
CREATE SEQUENCE gen_seq START 8000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;
BEGIN;
DROP SEQUENCE gen_seq;
CREATE SEQUENCE gen_seq START 8000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;
COMMIT;
EXECUTE draw;
EXECUTE draw_row;

-- dropped as part of something else
BEGIN;
CREATE TABLE owner (id integer);
ALTER SEQUENCE gen_seq OWNED BY owner.id;
EXECUTE draw;
DROP TABLE owner;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;

-- owned by somebody else, nothing changes
CREATE ROLE regress_idgen_owner;
ALTER SEQUENCE gen_seq OWNER TO regress_idgen_owner;
EXECUTE draw;
EXECUTE draw_row;

DEALLOCATE draw;
DEALLOCATE draw_row;
DROP SEQUENCE gen_seq, other_seq;
DROP SCHEMA regress_b;
DROP ROLE regress_idgen_owner;
DROP EXTENSION idgen;

\c -
--
-- idgen_restart of id sequences with source "sequence": transactional, unlike
-- setval()
--
-- A cache per session is emptied by restarts that are rolled back.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 10 MINVALUE 1 MAXVALUE 1000;
SELECT idgen_next('gen', 'sequence');

-- without a row, there is nothing of that name to restart or to look at, as
-- with idgen_next of the name alone; but ALTER SEQUENCE restarts it
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 500);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence'), nextval('gen_seq');
ALTER SEQUENCE gen_seq RESTART WITH 500;
SELECT idgen_next('gen', 'sequence'), nextval('gen_seq'), idgen_next('gen', 'sequence');

-- START is where it was
SELECT start_value FROM pg_sequences WHERE sequencename = 'gen_seq';

-- with a row, which stays as it is
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('gen', 77, 'sequence');
SELECT idgen_restart('gen', 100);
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 200);
SELECT idgen_next('gen');
SELECT next_block_start FROM id_sequences;

-- out of bounds
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 0);
\echo :SQLSTATE
SELECT idgen_restart('gen', 1001);
\echo :SQLSTATE
SELECT idgen_restart('gen', -9223372036854775808);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 1000);
SELECT idgen_next('gen');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen');

-- rolled back: as if nothing had been, but what was drawn before stays drawn
BEGIN;
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 300);
SELECT idgen_next('gen'), idgen_next('gen');
SELECT last_value FROM gen_seq;
ROLLBACK;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- a savepoint, rolled back and released
BEGIN;
SELECT idgen_restart('gen', 400);
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_restart('gen', 500);
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_restart('gen', 600);
SELECT idgen_next('gen');
ROLLBACK TO b;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
RELEASE a;
SAVEPOINT c;
SELECT idgen_restart('gen', 700);
RELEASE c;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
SELECT * FROM idgen_cache;

-- only within a savepoint that is rolled back
BEGIN;
SAVEPOINT a;
SELECT idgen_restart('gen', 1);
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- in an exception block
DO $$
BEGIN
	PERFORM idgen_restart('gen', 1);
	PERFORM idgen_next('gen');
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE '%', idgen_next('gen');
END$$;

-- several in one transaction, drawn from in between or not
BEGIN;
SELECT idgen_restart('gen', 1), idgen_next('gen'), idgen_restart('gen', 50), idgen_restart('gen', 60);
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- descending
CREATE SEQUENCE down_seq INCREMENT -10;
SELECT idgen_next('down', 'sequence');
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('down', 1, 1, 'sequence');
SELECT idgen_restart('down', -500);
SELECT idgen_next('down'), idgen_next('down');

-- null does nothing
SELECT idgen_restart('gen', NULL), idgen_restart(NULL, 1);
SELECT idgen_next('gen');

DROP SEQUENCE gen_seq, down_seq;
DROP EXTENSION idgen;

\c -
--
-- TRUNCATE … RESTART IDENTITY restarts the id sequences that belong to the
-- columns of the tables, as it does native ones
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE t (id bigserial PRIMARY KEY, what text, other int);
SELECT idgen_adopt('t', 'id'), idgen_create('other', 100, owned_by => 't.other', block_size => 1);
ALTER TABLE t ALTER other SET DEFAULT idgen_next('other');
INSERT INTO t (what) VALUES ('a'), ('b') RETURNING *;

TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('c') RETURNING *;
-- as ever
TRUNCATE t;
TRUNCATE t CONTINUE IDENTITY;
INSERT INTO t (what) VALUES ('d') RETURNING *;

-- in the same transaction, and undone with it
BEGIN;
INSERT INTO t (what) VALUES ('e') RETURNING *;
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('f') RETURNING *;
SAVEPOINT s;
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('g') RETURNING *;
ROLLBACK TO s;
INSERT INTO t (what) VALUES ('h') RETURNING id > 1 AS id, other;
ROLLBACK;
SELECT count(*) FROM t;
INSERT INTO t (what) VALUES ('i') RETURNING other;
BEGIN;
TRUNCATE t RESTART IDENTITY;
COMMIT;
INSERT INTO t (what) VALUES ('j') RETURNING *;

-- one that is used up, and where it began
UPDATE id_sequences SET max_value = 3, start_value = 2 WHERE name = 'public.t.id';
INSERT INTO t (what) VALUES ('k'), ('l');
INSERT INTO t (what) VALUES ('m');
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('n') RETURNING id;

-- along with tables that refer to it, and with partitions and children
CREATE TABLE detail (id bigserial PRIMARY KEY, t bigint REFERENCES t);
SELECT idgen_adopt('detail', 'id');
INSERT INTO detail (t) VALUES (2) RETURNING id;
TRUNCATE t RESTART IDENTITY CASCADE;
INSERT INTO detail (t) VALUES (NULL) RETURNING id;
CREATE TABLE parted (id bigint) PARTITION BY RANGE (id);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
SELECT idgen_create('parted', owned_by => 'parted.id'), idgen_create('parted1', owned_by => 'parted1.id');
SELECT idgen_next('parted'), idgen_next('parted1');
TRUNCATE parted RESTART IDENTITY;
SELECT idgen_next('parted'), idgen_next('parted1');
-- by a function, of which one part raises
CREATE FUNCTION truncates() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE parted1 RESTART IDENTITY;
	BEGIN
		TRUNCATE parted, nobody RESTART IDENTITY;
	EXCEPTION WHEN undefined_table THEN
		RAISE NOTICE 'undone';
	END;
END $$;
SELECT idgen_next('parted'), idgen_next('parted1');
SELECT truncates();
SELECT idgen_next('parted'), idgen_next('parted1');

-- what does not count itself stays: a native sequence that belongs to the
-- column is restarted by the server
CREATE SEQUENCE native_seq OWNED BY detail.t;
SELECT idgen_create('native', source => 'sequence', owned_by => 'detail.t');
SELECT idgen_next('native'), idgen_next('native');
TRUNCATE detail RESTART IDENTITY;
SELECT idgen_next('native'), idgen_next('public.detail.id');
DELETE FROM id_sequences WHERE name = 'native';
DROP SEQUENCE native_seq;

-- it takes to own the table, as with native sequences
CREATE ROLE regress_idgen_truncates;
CREATE TABLE plain (id bigint);
GRANT TRUNCATE ON t, detail, plain TO regress_idgen_truncates;
SET ROLE regress_idgen_truncates;
TRUNCATE plain RESTART IDENTITY;
TRUNCATE t, detail RESTART IDENTITY;
\echo :SQLSTATE
TRUNCATE t, detail;
RESET ROLE;
GRANT CREATE ON SCHEMA public TO regress_idgen_truncates;
ALTER TABLE t OWNER TO regress_idgen_truncates;
ALTER TABLE detail OWNER TO regress_idgen_truncates;
SET ROLE regress_idgen_truncates;
TRUNCATE t, detail RESTART IDENTITY;
INSERT INTO t (what) VALUES ('o') RETURNING id;
RESET ROLE;

-- without the extension, nothing happens
DROP TABLE t, detail, parted;
DROP FUNCTION truncates;
DROP EXTENSION idgen;
TRUNCATE plain RESTART IDENTITY;
DROP TABLE plain;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_truncates;
DROP ROLE regress_idgen_truncates;
\set SHOW_CONTEXT errors

\c -
--
-- A change of block_size is in force from the next refill from a native
-- sequence on, and so are a row that is added, and one that is deleted
--
-- A cache per session is emptied by any change of id_sequences.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 10, 'sequence');
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;
UPDATE id_sequences SET block_size = 3;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(2, 10);
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- by the transaction that makes it
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(12, 13);
BEGIN;
UPDATE id_sequences SET block_size = 5;
SELECT idgen_next('gen');
ROLLBACK;
SELECT last_value FROM gen_seq;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(15, 19);
SELECT last_value FROM gen_seq;

-- without a row, one by one
DELETE FROM id_sequences;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(20, 23);
SELECT last_value FROM gen_seq;
SELECT count(*) FROM idgen_cache;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 4, 'sequence');
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
BEGIN;
DELETE FROM id_sequences;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 4);
SELECT last_value FROM gen_seq;
ROLLBACK;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- what is cached is a gap each time, but the sequence goes on
UPDATE id_sequences SET next_block_start = -100, max_value = -1;
SELECT idgen_next('gen');
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 4, 'sequence');
SELECT idgen_next('gen');
SELECT ids_lost FROM idgen_stats;

DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;

\c -
--
-- A change of pooling makes cached ids of a native sequence void: its values
-- stand for others then. So does with hilo what says how many they are.
--
-- A cache per session is looked at later.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT BY 10;
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- a row that says another pooling than there was without one
SELECT idgen_next('gen', 'sequence');
TABLE blocks;
SELECT idgen_create('gen', source => 'sequence', pooling => 'pooled');
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;

-- an UPDATE, in its own transaction and behind it
BEGIN;
UPDATE id_sequences SET pooling = 'pooled_lo';
SELECT idgen_next('gen'), idgen_peek('gen');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- undone
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET pooling = 'hilo';
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
BEGIN;
UPDATE id_sequences SET pooling = 'hilo';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- with hilo, block_size and max_value
ALTER SEQUENCE gen_seq INCREMENT BY 1 RESTART WITH 1;
UPDATE id_sequences SET pooling = 'hilo', block_size = 5;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET block_size = 8;
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET max_value = 12;
TABLE blocks;
UPDATE id_sequences SET max_value = 1000;
SELECT idgen_next('gen');

-- with others, and with any other column, too
UPDATE id_sequences SET next_block_start = -1, big_base = 1;
TABLE blocks;
UPDATE id_sequences SET pooling = 'pooled';
SELECT idgen_next('gen');
UPDATE id_sequences SET block_size = 3;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET max_value = 12, next_block_start = -2, block_size = 7;
TABLE blocks;

-- the row goes, or gets another name
UPDATE id_sequences SET name = 'other', source_name = 'gen_seq';
TABLE blocks;
SELECT idgen_next('other');
TABLE blocks;
DELETE FROM id_sequences;
TABLE blocks;

-- lost ids are counted
SELECT name, ids_lost_changed > 0 AS lost FROM idgen_stats ORDER BY name;

-- a transaction that makes the row draws for itself first, then for all
BEGIN;
SELECT idgen_create('gen', source => 'sequence', pooling => 'hilo', block_size => 4);
SELECT idgen_next('gen') - idgen_next('gen');
SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FROM blocks;
COMMIT;
SELECT count(*) FILTER (WHERE state = 'published') AS published, count(*) FROM blocks;

DROP VIEW blocks;
DROP EXTENSION idgen;
DROP SEQUENCE gen_seq;
