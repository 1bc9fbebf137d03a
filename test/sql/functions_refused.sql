--
-- Source "function": which functions will do, and whose rights count
--

--
-- Which function source_name stands for: always the same, whatever search_path
-- is
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;
CREATE SCHEMA "Regress B";
CREATE FUNCTION allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 100, 100$$;
CREATE FUNCTION regress_a.allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 200, 200$$;
CREATE FUNCTION "Regress B"."Allocate ids"(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 300, 300$$;

-- idgen_create finds it along search_path, and stores its qualified name
SELECT idgen_create('public', source => 'function', source_name => 'allocate');
SET search_path = regress_a, "Regress B", public;
SELECT idgen_create('a', source => 'function', source_name => 'ALLOCATE');
SELECT idgen_create('b', source => 'function', source_name => '"Allocate ids"');
RESET search_path;
SELECT idgen_create('qualified', source => 'function', source_name => 'Regress_A . Allocate');
SELECT idgen_create('quoted', source => 'function', source_name => '"Regress B"."Allocate ids"');
SELECT name, source_name, idgen_next(name) FROM id_sequences ORDER BY name;

-- one in a temporary schema is found when it is named
CREATE FUNCTION pg_temp.allocate_temporarily(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 400, 400$$;
SELECT idgen_create('temporary', source => 'function', source_name => 'pg_temp.allocate_temporarily');
SELECT source_name LIKE 'pg\_temp\__%.allocate\_temporarily' AS stored FROM id_sequences WHERE name = 'temporary';
SELECT idgen_next('temporary');
SELECT idgen_create('other', source => 'function', source_name => 'allocate_temporarily');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'temporary';

-- by SQL, only a qualified name is taken
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('other', 1, 'function', 'allocate');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('other', 1, 'function');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('other', 1, 'function', '');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('other', 1, 'function', 'a b.c');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = NULL WHERE name = 'a';
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'allocate' WHERE name = 'a';
\echo :SQLSTATE

-- idgen_create checks that it is there, and what it returns
SELECT idgen_create('other', source => 'function');
\echo :SQLSTATE
SELECT idgen_create('other', source => 'function', source_name => 'no_such_function');
\echo :SQLSTATE
SELECT idgen_create('other', source => 'function', source_name => 'regress_a.no_such_function');
\echo :SQLSTATE
SELECT idgen_create('other', source => 'function', source_name => 'regress_no_such_schema.allocate');
\echo :SQLSTATE
SELECT idgen_create('other', source => 'function', source_name => 'a b');
\echo :SQLSTATE
SELECT idgen_create('other', source => 'function', source_name => 'pg_catalog.lower');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences WHERE name = 'other';

-- nothing that is found earlier gets in the way, neither function nor operator
-- nor type
CREATE SCHEMA regress_hostile;
CREATE FUNCTION regress_hostile.allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE DOMAIN regress_hostile.text AS integer;
CREATE DOMAIN regress_hostile.int4 AS text;
CREATE DOMAIN regress_hostile.int8 AS text;
SET search_path = regress_hostile, pg_catalog, public;
SELECT idgen_next('public'::pg_catalog.text), idgen_next('a'), idgen_next('b');
RESET search_path;

-- other functions of the same name do not matter: the arguments have exactly
-- these types
CREATE FUNCTION allocate(varchar, integer, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION allocate(text, bigint, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION allocate(text, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION allocate(text, VARIADIC integer[], OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION allocate(text, integer, integer DEFAULT 1, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
SELECT idgen_next('public');
DROP FUNCTION allocate(text, integer);
SELECT idgen_next('public');
\echo :SQLSTATE

-- as it is called, the function sees the caller's search_path, unless it sets
-- its own
CREATE FUNCTION allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE plpgsql AS
	$$BEGIN RAISE NOTICE '%', current_setting('search_path'); $3 := 500; $4 := 500; END$$;
SET search_path = public, regress_a;
SELECT idgen_next('public');
ALTER FUNCTION allocate(text, integer) SET search_path = pg_catalog;
SELECT idgen_next('public');
RESET search_path;

-- renamed or moved, it is not found; the next call after the fix works
ALTER FUNCTION regress_a.allocate(text, integer) RENAME TO allocate_ids;
SELECT idgen_next('a');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'regress_a.allocate_ids' WHERE name = 'a';
SELECT idgen_next('a');
ALTER FUNCTION regress_a.allocate_ids(text, integer) SET SCHEMA public;
SELECT idgen_next('a');
\echo :SQLSTATE
ALTER FUNCTION allocate_ids(text, integer) SET SCHEMA regress_a;
SELECT idgen_next('a');

SET client_min_messages = warning;
DROP SCHEMA regress_a, "Regress B", regress_hostile CASCADE;
DROP FUNCTION allocate(varchar, integer), allocate(text, bigint), allocate(text), allocate(text, integer[]),
	allocate(text, integer, integer), allocate(text, integer);
DROP FUNCTION pg_temp.allocate_temporarily;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Functions that are no allocators are refused
--
CREATE EXTENSION idgen;
CREATE FUNCTION no_argument(OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION one_argument(text, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION other_arguments(varchar, bigint, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION wrong_order(integer, text, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION variadic_arguments(text, VARIADIC integer[], OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION any_element(text, anyelement, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION one_bigint(text, integer) RETURNS bigint LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION one_column(text, integer) RETURNS TABLE (first_id bigint) LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION three_columns(text, integer, OUT bigint, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1, 1$$;
CREATE FUNCTION integers(text, integer, OUT integer, OUT integer) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION second_is_numeric(text, integer, OUT bigint, OUT numeric) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION record(text, integer) RETURNS record LANGUAGE sql AS $$SELECT 1::bigint, 1::bigint$$;
CREATE FUNCTION nothing(text, integer) RETURNS void LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION array_of_two(text, integer) RETURNS bigint[] LANGUAGE sql AS $$SELECT ARRAY[1, 1]$$;
CREATE PROCEDURE procedure(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION step(bigint, text, integer) RETURNS bigint LANGUAGE sql AS $$SELECT $1$$;
CREATE AGGREGATE aggregate(text, integer) (SFUNC = step, STYPE = bigint);
CREATE FUNCTION window_function(text, integer, OUT bigint, OUT bigint) LANGUAGE internal WINDOW AS 'window_row_number';

-- by idgen_create, which stores nothing then
CREATE FUNCTION try_create(function text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_create('gen', source => 'function', source_name => function);
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END$$;
CREATE VIEW functions AS
	SELECT proname FROM pg_proc
	WHERE pronamespace = 'public'::regnamespace AND proname NOT IN ('try_create', 'try_draw', 'step') AND
		NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e');
SELECT proname, try_create(proname) FROM functions ORDER BY proname;
SELECT count(*) FROM id_sequences;

-- by a refill
CREATE FUNCTION try_draw(function text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET source_name = 'public.' || function;
	RETURN idgen_next('gen');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.no_such');
SELECT proname, try_draw(proname) FROM functions ORDER BY proname;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'public.one_bigint';
SELECT idgen_next('gen');
\echo :SQLSTATE

-- one that is right, at last
CREATE FUNCTION no_such(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS
	$$SELECT 1, 2$$;
UPDATE id_sequences SET source_name = 'public.no_such';
SELECT idgen_next('gen'), idgen_next('gen');

-- changed for the worse while it is in use
DROP FUNCTION no_such;
CREATE FUNCTION no_such(name text, blocks integer) RETURNS bigint LANGUAGE sql AS $$SELECT 1$$;
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP FUNCTION no_such;
CREATE TYPE id_range AS (first_id bigint, last_id bigint);
CREATE FUNCTION no_such(text, integer) RETURNS id_range LANGUAGE sql AS $$SELECT (5, 5)::id_range$$;
SELECT idgen_next('gen');
ALTER TYPE id_range ADD ATTRIBUTE note text;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TYPE id_range DROP ATTRIBUTE note;
SELECT idgen_next('gen');

DROP VIEW functions;
DROP FUNCTION try_create, try_draw, no_argument, one_argument, other_arguments, wrong_order, variadic_arguments,
	any_element, one_bigint, one_column, three_columns, integers, second_is_numeric, record, nothing, array_of_two,
	no_such, window_function;
DROP PROCEDURE procedure;
DROP AGGREGATE aggregate(text, integer);
DROP FUNCTION step;
DROP TYPE id_range;
DROP EXTENSION idgen;

\c -
--
-- Allocators that fail or return nonsense: nothing is left behind, and the next
-- call works as soon as they do
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE TABLE answer (first_id bigint, last_id bigint);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	UPDATE public.counter SET next_id = next_id + 1;
	RETURN QUERY TABLE public.answer;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
PREPARE draw AS SELECT idgen_next('gen');

-- nothing: exhausted, until there is something
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw;
\echo :SQLSTATE
INSERT INTO answer VALUES (1, 3);
EXECUTE draw;

-- a null
SELECT idgen_next('gen'), idgen_next('gen');
UPDATE answer SET first_id = NULL;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 1, last_id = NULL;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 10, last_id = 11;
INSERT INTO answer VALUES (NULL, NULL);
EXECUTE draw;
\echo :SQLSTATE

-- the wrong way round, or too large
TRUNCATE answer;
INSERT INTO answer VALUES (11, 10);
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 9223372036854775807, last_id = -9223372036854775808;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = -9223372036854775808, last_id = 9223372036854775807;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 0, last_id = 576460752303423488;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET last_id = 576460752303423487;
INSERT INTO answer VALUES (-1, -1);
EXECUTE draw;
\echo :SQLSTATE

-- overlapping each other
TRUNCATE answer;
INSERT INTO answer VALUES (10, 12), (20, 22), (12, 13);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (10, 30), (20, 20);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (10, 11), (10, 11);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (9223372036854775807, 9223372036854775807), (9223372036854775806, 9223372036854775807);
EXECUTE draw;
\echo :SQLSTATE

-- none of these calls has left anything behind
TABLE counter;
SELECT * FROM idgen_cache;
TRUNCATE answer;
INSERT INTO answer VALUES (100, 101), (102, 103);
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 4);
TABLE counter;

-- an error raised half-way
CREATE TABLE trouble (message text);
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	UPDATE public.counter c SET next_id = c.next_id + 10 RETURNING c.next_id - 10, c.next_id - 1 INTO first_id, last_id;
	RETURN NEXT;
	IF EXISTS (SELECT FROM public.trouble) THEN
		RAISE EXCEPTION 'no ids for %', name USING ERRCODE = 'P0123', DETAIL = 'Half-way.', HINT = 'Try again.';
	END IF;
END$$;
UPDATE counter SET next_id = 200;
INSERT INTO trouble VALUES ('yes');
EXECUTE draw;
\echo :SQLSTATE
TABLE counter;
BEGIN;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
TRUNCATE trouble;
EXECUTE draw;
SELECT first_id, last_id, state FROM idgen_cache;
ROLLBACK TO a;
SELECT count(*) FROM idgen_cache;
COMMIT;
EXECUTE draw;
\echo :SQLSTATE
DO $$
BEGIN
	PERFORM idgen_next('gen');
EXCEPTION WHEN SQLSTATE 'P0123' THEN
	RAISE NOTICE 'caught: %', SQLERRM;
	DELETE FROM trouble;
	RAISE NOTICE 'drawn: %', idgen_next('gen');
END$$;
EXECUTE draw;
TABLE counter;

-- one that the server raises, after ids that are drawn for good
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 1 / (blocks - 1), 1::bigint$$;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(202, 210);
\echo :SQLSTATE
SELECT count(*) FROM idgen_cache;

-- it cannot be started again, nor looked ahead
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- in a read-only transaction it is not called
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;

DEALLOCATE draw;
DROP FUNCTION allocate;
DROP TABLE counter, answer, trouble;
DROP EXTENSION idgen;

\c -
--
-- An allocator runs with the rights of the role that draws
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
ALTER TABLE counter OWNER TO regress_idgen_owner;
CREATE FUNCTION allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'called by %', current_user;
	UPDATE public.counter SET next_id = next_id + 2 RETURNING next_id - 2, next_id - 1 INTO $3, $4;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
PREPARE draw AS SELECT idgen_next('gen');

-- what the function does takes the caller's privileges
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
SET ROLE regress_idgen_owner;
EXECUTE draw;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, UPDATE ON counter TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE UPDATE ON counter FROM regress_idgen_user;

-- EXECUTE on the function is needed for a refill only
REVOKE EXECUTE ON FUNCTION allocate FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

-- SECURITY DEFINER: those of its owner
GRANT EXECUTE ON FUNCTION allocate TO PUBLIC;
ALTER FUNCTION allocate OWNER TO regress_idgen_owner;
ALTER FUNCTION allocate SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
SELECT current_user;
RESET ROLE;

-- in a schema without USAGE
CREATE SCHEMA regress_a;
ALTER FUNCTION allocate SET SCHEMA regress_a;
UPDATE id_sequences SET source_name = 'regress_a.allocate';
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON SCHEMA regress_a TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;

-- SELECT on id_sequences, as for any source
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

DEALLOCATE draw;
DROP FUNCTION regress_a.allocate;
DROP SCHEMA regress_a;
DROP TABLE counter;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user, regress_idgen_owner;
