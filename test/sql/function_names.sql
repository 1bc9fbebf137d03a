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
