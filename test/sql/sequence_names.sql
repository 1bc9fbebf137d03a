--
-- Source "sequence": which native sequence it is
--

--
-- Which native sequence an id sequence's name and source_name stand for
--
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;
CREATE SCHEMA "Regress B";
CREATE SEQUENCE gen_seq START 100 INCREMENT 10;
CREATE SEQUENCE "Gen_seq" START 200 INCREMENT 10;
CREATE SEQUENCE "my gen_seq" START 300 INCREMENT 10;
CREATE SEQUENCE "a.b_seq" START 400 INCREMENT 10;
CREATE SEQUENCE "with ""quotes""_seq" START 500 INCREMENT 10;
CREATE SEQUENCE regress_a.gen_seq START 1000 INCREMENT 10;
CREATE SEQUENCE regress_a."Gen_seq" START 2000 INCREMENT 10;
CREATE SEQUENCE "Regress B".gen_seq START 3000 INCREMENT 10;
CREATE SEQUENCE "Regress B"."Gen_seq" START 4000 INCREMENT 10;

-- no row: read as the argument of nextval() is, with _seq added to the name
SELECT idgen_next('gen', 'sequence');
SELECT idgen_next('"Gen"', 'sequence');
SELECT idgen_next('"my gen"', 'sequence');
SELECT idgen_next('"a.b"', 'sequence');
SELECT idgen_next('"with ""quotes"""', 'sequence');
SELECT idgen_next('regress_a.gen', 'sequence');
SELECT idgen_next('regress_a."Gen"', 'sequence');
SELECT idgen_next('"Regress B".gen', 'sequence');
SELECT idgen_next('"Regress B"."Gen"', 'sequence');
SELECT idgen_next(current_database() || '.regress_a.gen', 'sequence');
CREATE TEMPORARY SEQUENCE temporary_seq START 5000 INCREMENT 10;
SELECT idgen_next('pg_temp.temporary', 'sequence');

-- what folds to the same is another id sequence that draws from the same one
SELECT idgen_next('GEN', 'sequence'), idgen_next('Gen', 'sequence'), idgen_next(' gen ', 'sequence'),
	idgen_next('"gen"', 'sequence'), idgen_next('public.gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_next('Regress_A . Gen', 'sequence'), idgen_next('regress_a.gen', 'sequence');

-- names as long as can be
CREATE SEQUENCE s23456789012345678901234567890123456789012345678901234567890_seq START 6000 INCREMENT 10;
SELECT idgen_next('s23456789012345678901234567890123456789012345678901234567890', 'sequence');
SELECT nextval('s23456789012345678901234567890123456789012345678901234567890_seq');
SELECT idgen_next(repeat('n', 100), 'sequence');
CREATE SEQUENCE nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn START 7000 INCREMENT 10;
SELECT idgen_next(repeat('n', 100), 'sequence');

-- a row whose source_name is null: the same rule
INSERT INTO id_sequences (name, next_block_start, source) VALUES
	('gen', 1, 'sequence'), ('"Gen"', 1, 'sequence'), ('"Regress B".gen', 1, 'sequence'), ('GEN', 1, 'sequence');
SELECT idgen_next('gen') / 100 AS a, idgen_next('"Gen"') / 100 AS b, idgen_next('"Regress B".gen') / 100 AS c,
	idgen_next('GEN') / 100 AS d;

-- with a source_name, the name of the id sequence may be anything
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('plain', 1, 'sequence', 'gen_seq'), ('folded', 1, 'sequence', 'GEN_SEQ'),
	('quoted', 1, 'sequence', '"Gen_seq"'), ('qualified', 1, 'sequence', 'regress_a.gen_seq'),
	('both', 1, 'sequence', '"Regress B"."Gen_seq"'), ('not a name', 1, 'sequence', 'public.gen_seq');
SELECT name, idgen_next(name) / 1000 AS thousands
	FROM id_sequences WHERE source_name IS NOT NULL ORDER BY name;
SELECT idgen_create('created', source => 'sequence', source_name => 'regress_a."Gen_seq"');
SELECT source, source_name FROM id_sequences WHERE name = 'created';
SELECT idgen_next('created');

-- which sequence it has become
SELECT name, source_name FROM idgen_stats
	WHERE name IN ('gen', 'GEN', 'regress_a.gen', 'folded', 'both', 'qualified') ORDER BY name, source_name;

-- another one, from the next draw on
UPDATE id_sequences SET source_name = 'regress_a.gen_seq' WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
BEGIN;
UPDATE id_sequences SET source_name = '"Regress B".gen_seq' WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
ROLLBACK;
SELECT idgen_next('gen') / 1000 AS thousands;

DROP SEQUENCE gen_seq, "Gen_seq", "my gen_seq", "a.b_seq", "with ""quotes""_seq", temporary_seq,
	s23456789012345678901234567890123456789012345678901234567890_seq,
	nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn;
SET client_min_messages = warning;
DROP SCHEMA regress_a, "Regress B" CASCADE;
DROP EXTENSION idgen;

\c -
--
-- Names that stand for no native sequence
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;

-- 42602: not a name, given as that of the id sequence, ...
SELECT idgen_next('', 'sequence');
\echo :SQLSTATE
SELECT idgen_next(' ', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('my gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('"gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('"gen"x', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('""', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('gen.', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_a..gen', 'sequence');
\echo :SQLSTATE

-- ... and as source_name: refused before it is stored
SELECT idgen_create('gen', source => 'sequence', source_name => 'my seq');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', source_name => '');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', 'my seq');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', '"');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'table', 'my seq');
UPDATE id_sequences SET source = 'sequence' WHERE name = 'gen';
\echo :SQLSTATE
DELETE FROM id_sequences;

-- a name that is none, with a source_name that is one, later
SELECT idgen_create('my gen', source => 'sequence');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('my gen', 1, 'sequence');
SELECT idgen_next('my gen');
\echo :SQLSTATE
CREATE SEQUENCE good_seq INCREMENT 10;
UPDATE id_sequences SET source_name = 'good_seq' WHERE name = 'my gen';
SELECT idgen_next('my gen');

-- too many parts, and another database
SELECT idgen_next('a.b.c.d', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_no_such_database.regress_a.gen', 'sequence');
\echo :SQLSTATE

-- no such sequence: without a row, there is no id sequence
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next_big('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_no_such_schema.gen', 'sequence');
\echo :SQLSTATE
DO $$
BEGIN
	PERFORM idgen_next(repeat('x', 2000), 'sequence');
EXCEPTION WHEN undefined_object THEN
	RAISE NOTICE 'too long';
END$$;

-- with one, its source fails
SELECT idgen_create('gen', source => 'sequence');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', source_name => 'regress_a.other');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('gen', 1, 'sequence', NULL), ('other', 1, 'sequence', 'regress_a.other'), ('third', 1, 'sequence', 'regress_c.x');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_next('other');
\echo :SQLSTATE
SELECT idgen_next('third');
\echo :SQLSTATE

-- as soon as there is one, they work
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE regress_a.other START 50 INCREMENT 10;
SELECT idgen_next('gen'), idgen_next('other');
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'sequence') > 0 AS drawn;

-- 42809: something else has that name
CREATE TABLE not_sequence_seq (id serial PRIMARY KEY);
CREATE VIEW view_seq AS SELECT 1 AS last_value;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('table', 1, 'sequence', 'not_sequence_seq'), ('index', 1, 'sequence', 'not_sequence_seq_pkey');
SELECT idgen_next('not_sequence', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('view', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('table');
\echo :SQLSTATE
SELECT idgen_next('index');
\echo :SQLSTATE
SELECT idgen_peek('table');
\echo :SQLSTATE
SELECT idgen_restart('table', 1);
\echo :SQLSTATE
SELECT idgen_create('another', source => 'sequence', source_name => 'view_seq');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'not_sequence_seq_id_seq' WHERE name = 'table';
SELECT idgen_next('table');

DROP TABLE not_sequence_seq;
DROP VIEW view_seq;
DROP SEQUENCE good_seq, gen_seq, regress_a.other;
DROP SCHEMA regress_a;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Native sequences of all kinds: of identity and serial columns, unlogged and
-- temporary ones
--
CREATE EXTENSION idgen;

-- an identity column and idgen share its sequence
CREATE TABLE orders (id bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT 10), n integer);
SELECT idgen_next('orders_id', 'sequence'), idgen_next('orders_id', 'sequence');
INSERT INTO orders (n) VALUES (1) RETURNING id;
SELECT idgen_next('orders_id', 'sequence') FROM generate_series(1, 9);
INSERT INTO id_sequences (name, next_block_start, source, source_name)
	VALUES ('order', 1, 'sequence', pg_get_serial_sequence('orders', 'id'));
SELECT source_name, idgen_next('order') FROM id_sequences;
ALTER TABLE orders ALTER id SET INCREMENT BY 100;
SELECT idgen_next('orders_id', 'sequence');
INSERT INTO orders (n) VALUES (1) RETURNING id;
ALTER TABLE orders ALTER id RESTART WITH 5000;
SELECT idgen_next('order');
ALTER TABLE orders ALTER id DROP IDENTITY;
SELECT idgen_next('orders_id', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('order');
\echo :SQLSTATE
DROP TABLE orders;
DELETE FROM id_sequences;

-- that of a serial column goes with the table
CREATE TABLE items (id smallserial);
ALTER SEQUENCE items_id_seq INCREMENT 5;
SELECT idgen_next('items_id', 'sequence');
INSERT INTO items DEFAULT VALUES RETURNING id;
DROP TABLE items;
SELECT idgen_next('items_id', 'sequence');
\echo :SQLSTATE

-- unlogged
CREATE UNLOGGED SEQUENCE gen_seq INCREMENT 10;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 11);
SELECT last_value FROM gen_seq;

-- temporary: in the cache of the session, until the session ends
CREATE TEMPORARY SEQUENCE gen_seq START 1000 INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_peek('gen'), idgen_last('gen');
SELECT last_value FROM gen_seq;
SELECT name, source_name, cache, ids_issued, ids_cached FROM idgen_stats WHERE source_name = 'gen_seq';
SELECT first_id, last_id FROM idgen_cache WHERE first_id > 1000;
ALTER SEQUENCE pg_temp.gen_seq RESTART;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_restart('gen', 2000);
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
\c -
SELECT idgen_next('gen', 'sequence') < 1000 AS of_the_other;
SELECT idgen_next('pg_temp.gen', 'sequence');
\echo :SQLSTATE
SELECT count(*) FROM idgen_cache WHERE first_id > 1000;
CREATE TEMPORARY SEQUENCE gen_seq START 3000 INCREMENT 10;
SET search_path = pg_temp, public;
SELECT idgen_next('gen', 'sequence');

-- a table's temporary sequence, dropped with it
CREATE TEMPORARY TABLE items (id serial);
ALTER SEQUENCE items_id_seq INCREMENT 10;
SELECT idgen_next('items_id', 'sequence'), idgen_next('items_id', 'sequence');
DISCARD TEMP;
SELECT idgen_next('items_id', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence') < 1000 AS of_the_other;
BEGIN;
CREATE TEMPORARY TABLE items (id serial) ON COMMIT DROP;
ALTER SEQUENCE items_id_seq INCREMENT 10;
SELECT idgen_next('items_id', 'sequence'), idgen_next('items_id', 'sequence');
COMMIT;
SELECT idgen_next('items_id', 'sequence');
\echo :SQLSTATE

DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;

\c -
--
-- a session that draws from native sequences looks again when what it draws
-- from changes, and not when other relations do
--
CREATE EXTENSION idgen;
CREATE SCHEMA early;
CREATE SCHEMA late;
SET search_path = early, late, public;
CREATE SEQUENCE late.x_seq INCREMENT BY 10;
CREATE SEQUENCE late.other_seq INCREMENT BY 10;
CREATE TABLE other (a int);

-- Does a draw read anything? From the cache, it does not.
CREATE FUNCTION looks_again(name text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT idgen_next(%L, ''sequence'')', name) INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint > 0;
END $$;

SELECT idgen_next('x', 'sequence');
SELECT looks_again('x');

-- other relations
TRUNCATE other;
SELECT looks_again('x');
ALTER TABLE other ADD b int;
SELECT looks_again('x');
DROP TABLE other;
CREATE TABLE early.x (a int);
SELECT looks_again('x');
ALTER SEQUENCE other_seq RESTART 1001;
SELECT looks_again('x');
ALTER SEQUENCE other_seq INCREMENT BY 20;
SELECT looks_again('x');
CREATE SEQUENCE unrelated_seq;
SELECT looks_again('x');

-- its own sequence
ALTER SEQUENCE x_seq INCREMENT BY 5;
SELECT looks_again('x'), looks_again('x');
ALTER SEQUENCE x_seq RESTART 1001;
SELECT looks_again('x'), looks_again('x');
ALTER SEQUENCE x_seq OWNER TO CURRENT_USER;
GRANT USAGE ON SEQUENCE x_seq TO pg_monitor;
SELECT looks_again('x'), looks_again('x');

-- others of that name, which are searched earlier: not before it looks again
CREATE TEMPORARY TABLE has_made_the_schema (a int);
SELECT idgen_next('x', 'sequence') < 1100 AS late;
CREATE SEQUENCE early.x_seq START 5000;
CREATE TEMPORARY SEQUENCE x_seq START 7000;
SELECT idgen_next('x', 'sequence') < 1100 AS late;
GRANT USAGE ON SEQUENCE late.x_seq TO pg_read_all_data;
SELECT idgen_next('x', 'sequence');
DROP SEQUENCE pg_temp.x_seq;
SELECT idgen_next('x', 'sequence');
ALTER SEQUENCE early.x_seq RENAME TO z_seq;
SELECT idgen_next('x', 'sequence') < 1100 AS late;

-- with its schema, which search_path does not matter for
CREATE SEQUENCE late.y_seq START 300 INCREMENT BY 10;
SELECT idgen_next('late.y', 'sequence');
CREATE SEQUENCE early.y_seq START 9000;
SELECT looks_again('late.y');
ALTER SEQUENCE late.y_seq RESTART;
SELECT idgen_next('late.y', 'sequence');

-- many
SET client_min_messages = warning;
DO $$
BEGIN
	FOR i IN 1..1500 LOOP
		EXECUTE format('CREATE SEQUENCE late.many%s_seq INCREMENT BY 10', i);
		EXECUTE format('SELECT idgen_next(''many%s'', ''sequence'')', i);
	END LOOP;
END $$;
SELECT count(idgen_next('many' || i, 'sequence')) FROM generate_series(1, 1500) AS i;
ALTER SEQUENCE late.many1_seq RESTART 51;
ALTER SEQUENCE late.many1500_seq RESTART 61;
SELECT idgen_next('many1', 'sequence'), idgen_next('many2', 'sequence'), idgen_next('many1500', 'sequence');
DROP SCHEMA late, early CASCADE;
DROP EXTENSION idgen;

\c -
--
-- Temporary sequences are cached in the session: until they are restarted or
-- dropped, and not longer
--
CREATE EXTENSION idgen;
BEGIN;
CREATE TEMPORARY SEQUENCE gen_seq INCREMENT 20;
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen', 'sequence');
GRANT USAGE ON SEQUENCE gen_seq TO PUBLIC;
SELECT idgen_next('gen', 'sequence');
SELECT ids_issued, ids_cached, ids_lost, refills FROM idgen_stats;
ALTER SEQUENCE gen_seq RESTART 501;
SELECT idgen_next('gen', 'sequence');
BEGIN;
ALTER SEQUENCE gen_seq RESTART 1001;
ROLLBACK;
SELECT idgen_next('gen', 'sequence');
DROP SEQUENCE gen_seq;

-- one after the other takes no more memory than one
CREATE PROCEDURE come_and_go(n integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		CREATE TEMPORARY SEQUENCE gen_seq INCREMENT 5;
		PERFORM idgen_next('gen', 'sequence');
		DROP SEQUENCE gen_seq;
		COMMIT;
	END LOOP;
END $$;
CREATE FUNCTION memory() RETURNS numeric LANGUAGE sql AS
	$$SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name ~ '^idgen' OR name = 'TopMemoryContext'$$;
CALL come_and_go(100);
SELECT memory() AS before \gset
CALL come_and_go(400);
SELECT memory() - :before < 50000 AS flat;
SELECT count(*) FROM idgen_stats;

DROP EXTENSION idgen;
DROP PROCEDURE come_and_go;
DROP FUNCTION memory;

\c -
--
-- The extension in a schema of its own
--
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
\set VERBOSITY terse
SELECT idgen_next('gen');
\set VERBOSITY default
\echo :SQLSTATE
INSERT INTO ids.id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1), ('hidden', 1, 1);
SELECT ids.idgen_next('gen'), ids.idgen_next_big('gen'), ids.idgen_last('gen'), ids.idgen_peek('gen');
SELECT ids.idgen_create('created', 10, 1);
SELECT ids.idgen_restart('created', 20);
SELECT ids.idgen_next('created');
SELECT name, ids_issued FROM ids.idgen_stats ORDER BY name;
SELECT count(*) FROM ids.idgen_cache;
SET idgen.auto_create = on;
SELECT ids.idgen_next('by itself');
RESET idgen.auto_create;

-- a table of the same name that is found first does not matter
CREATE TABLE public.id_sequences (name text, next_block_start bigint);
INSERT INTO public.id_sequences VALUES ('gen', 1000);
SELECT ids.idgen_next('gen');

-- an ordinary user, with row security, and a column default
CREATE ROLE regress_idgen_user;
GRANT USAGE ON SCHEMA ids TO regress_idgen_user;
ALTER TABLE ids.id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON ids.id_sequences USING (name <> 'hidden');
CREATE TABLE orders (id bigint DEFAULT ids.idgen_next('gen'));
GRANT INSERT, SELECT ON orders TO regress_idgen_user;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT ids.idgen_next('hidden');
\echo :SQLSTATE
RESET ROLE;

-- the right to use the schema is not needed where the function is not named,
-- with row security or without
REVOKE USAGE ON SCHEMA ids FROM regress_idgen_user;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
RESET ROLE;
ALTER TABLE ids.id_sequences DISABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT ids.idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

DROP TABLE orders, public.id_sequences;
DROP EXTENSION idgen;
DROP SCHEMA ids;
DROP ROLE regress_idgen_user;

-- names that need quotes
CREATE SCHEMA "My ids";
CREATE EXTENSION idgen SCHEMA "My ids";
SELECT "My ids".idgen_create('gen', 5);
SELECT "My ids".idgen_next('gen');
SELECT "My ids".idgen_restart('gen', 7);
SELECT "My ids".idgen_next('gen');
SET idgen.auto_create = on;
SELECT "My ids".idgen_next('new');
RESET idgen.auto_create;

-- It stays there, under that name: the bodies of functions name it. Other
-- schemas, and other changes of this one, are nobody's business.
ALTER EXTENSION idgen SET SCHEMA public;
ALTER SCHEMA "My ids" RENAME TO other;
\echo :SQLSTATE
SET session_replication_role = replica;
ALTER SCHEMA "My ids" RENAME TO other;
RESET session_replication_role;
ALTER SCHEMA "My ids" OWNER TO pg_monitor;
CREATE SCHEMA other;
ALTER SCHEMA other RENAME TO another;
-- also of a role that knows nothing of it
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_idgen_own AUTHORIZATION regress_idgen_other;
SET ROLE regress_idgen_other;
CREATE TABLE regress_idgen_own.t (i int);
CREATE TRIGGER t BEFORE UPDATE ON regress_idgen_own.t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
ALTER SCHEMA regress_idgen_own OWNER TO regress_idgen_other;
RESET ROLE;
DROP TABLE regress_idgen_own.t;
DROP SCHEMA regress_idgen_own;
DROP ROLE regress_idgen_other;
DROP SCHEMA another;
SELECT "My ids".idgen_next('gen') > 7 AS works;
DROP EXTENSION idgen;
ALTER SCHEMA "My ids" RENAME TO other;
DROP SCHEMA other;
