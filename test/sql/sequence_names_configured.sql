--
-- Source "sequence": which native sequence it is
--
-- needs test/idgen.conf
--

--
-- A native sequence is found by search_path at every call: one name, a stream
-- of ids for each schema
--
-- A cache per session is emptied by any change of a sequence or of
-- id_sequences.
--
CREATE EXTENSION idgen;
-- The schema of the session's temporary tables is there: when that is made, a
-- session looks again at what it has found by name.
CREATE TEMPORARY TABLE regress_first ();
DROP TABLE regress_first;
CREATE SCHEMA regress_a;
CREATE SCHEMA regress_b;
CREATE SEQUENCE regress_a.gen_seq START 1000 INCREMENT 10;
CREATE SEQUENCE regress_b.gen_seq START 2000 INCREMENT 10;
PREPARE draw AS SELECT idgen_next('gen', 'sequence');

SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SET search_path = regress_a, public;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 3);
EXECUTE draw;
SET search_path = regress_b, public;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 3);
EXECUTE draw;

-- back and forth: each goes on with what is cached
SET search_path = regress_a, public;
EXECUTE draw;
SET search_path = regress_b, public;
EXECUTE draw;
SET search_path = public;
EXECUTE draw;
\echo :SQLSTATE

-- idgen_last does not tell what was drawn from another one
CREATE SCHEMA regress_c;
CREATE SEQUENCE regress_c.gen_seq;
SET search_path = regress_b, public;
EXECUTE draw;
SELECT idgen_last('gen');
SET search_path = regress_c, public;
SELECT idgen_last('gen');
\echo :SQLSTATE
SET search_path = regress_a, public;
EXECUTE draw;
SELECT idgen_last('gen');
DROP SEQUENCE regress_c.gen_seq;
DROP SCHEMA regress_c;

-- another path that leads to the same one
SET search_path = public, regress_b, regress_a;
EXECUTE draw;
SELECT last_value FROM regress_b.gen_seq;

-- for a transaction, and undone with it or with a savepoint
BEGIN;
SET LOCAL search_path = regress_a, public;
EXECUTE draw;
SAVEPOINT a;
SET LOCAL search_path = regress_b, public;
EXECUTE draw;
ROLLBACK TO a;
EXECUTE draw;
COMMIT;
EXECUTE draw;

-- within one statement
CREATE FUNCTION next_of(schema text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('search_path', schema || ', public', true);
	RETURN idgen_next('gen', 'sequence');
END$$;
SELECT schema, next_of(schema)
	FROM unnest(ARRAY['regress_a', 'regress_b', 'regress_b', 'regress_a']) WITH ORDINALITY AS u (schema, n) ORDER BY n;
CREATE FUNCTION next_of_a() RETURNS bigint LANGUAGE sql SET search_path = regress_a, public AS
	$$SELECT idgen_next('gen', 'sequence')$$;
SET search_path = regress_b, public;
SELECT public.next_of_a(), idgen_next('gen', 'sequence'), public.next_of_a(), idgen_next('gen', 'sequence');

-- a qualified name depends on no path
SELECT idgen_next('regress_a.gen', 'sequence');
SET search_path = public;
SELECT idgen_next('regress_a.gen', 'sequence');
SELECT last_value FROM regress_a.gen_seq;

-- a row for all of them: its source_name, or the lack of one, is looked up too
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('gen', 1, 'sequence', NULL), ('named', 1, 'sequence', 'gen_seq');
SELECT idgen_next('gen');
\echo :SQLSTATE
SET search_path = regress_a, public;
SELECT idgen_next('gen'), idgen_next('named');
SET search_path = regress_b, public;
SELECT idgen_next('gen'), idgen_next('named');
SET search_path = regress_a, public;
SELECT idgen_next('gen'), idgen_next('named');
SELECT idgen_peek('gen'), idgen_peek('named');
SELECT name, source_name, ids_cached FROM idgen_stats
	WHERE name IN ('gen', 'named') ORDER BY name, source_name;

-- a change of it is for all streams
UPDATE id_sequences SET big_base = 1000000 WHERE name = 'gen';
SELECT idgen_next_big('gen');
SET search_path = regress_b, public;
SELECT idgen_next_big('gen');

-- "$user" is another schema for another role
CREATE ROLE regress_a;
CREATE ROLE regress_b;
GRANT USAGE ON SCHEMA regress_a TO regress_a, regress_b;
GRANT USAGE ON SCHEMA regress_b TO regress_a, regress_b;
GRANT USAGE ON regress_a.gen_seq, regress_b.gen_seq TO regress_a, regress_b;
SET search_path = "$user", public;
SET ROLE regress_a;
EXECUTE draw;
SET ROLE regress_b;
EXECUTE draw;
SET ROLE regress_a;
EXECUTE draw;
RESET ROLE;

-- a sequence that is made later, in a schema that comes first, counts as soon
-- as the session looks again: search_path has changed, or what it draws from
CREATE SCHEMA regress_new;
SET search_path = regress_new, regress_a, public;
EXECUTE draw;
CREATE SEQUENCE regress_new.gen_seq START 3000 INCREMENT 10;
EXECUTE draw;
SET search_path = regress_new, regress_a, public, pg_catalog;
EXECUTE draw;
BEGIN;
DROP SEQUENCE regress_new.gen_seq;
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
DROP SEQUENCE regress_new.gen_seq;
EXECUTE draw;
ALTER SEQUENCE regress_b.gen_seq SET SCHEMA regress_new;
SET search_path = regress_new, regress_a, public;
EXECUTE draw;
ALTER SCHEMA regress_new RENAME TO regress_old;
EXECUTE draw;

-- so does a temporary one, which hides the others until it is gone
CREATE TEMPORARY SEQUENCE gen_seq START 5000 INCREMENT 10;
EXECUTE draw;
SET search_path = regress_a, public;
EXECUTE draw;
SELECT idgen_next('regress_a.gen', 'sequence');
EXECUTE draw;
DROP SEQUENCE pg_temp.gen_seq;
EXECUTE draw;
CREATE TEMPORARY SEQUENCE gen_seq START 7000 INCREMENT 10;
SET search_path = regress_a, pg_temp;
SELECT public.idgen_next('gen', 'sequence');
SET search_path = pg_temp, regress_a;
SELECT public.idgen_next('gen', 'sequence');

RESET search_path;
DEALLOCATE draw;
DROP FUNCTION next_of, next_of_a;
SET client_min_messages = warning;
DROP SCHEMA regress_a, regress_b, regress_old CASCADE;
DROP ROLE regress_a, regress_b;
DROP EXTENSION idgen;

\c -
--
-- What drawing from a native sequence without a row leaves alone: serializable
-- transactions that write to id_sequences, and a row of that name that is
-- hidden
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 5;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT idgen_next('gen', 'sequence');
SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid();
COMMIT;

INSERT INTO id_sequences (name, next_block_start) VALUES ('hidden', 1);
SELECT idgen_next('hidden');
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_user;
SET ROLE regress_idgen_user;
SET search_path = regress_idgen_schema, public;
BEGIN;
CREATE SEQUENCE hidden_seq START 1001 INCREMENT 5;
SELECT idgen_next('hidden', 'sequence');
COMMIT;
SELECT idgen_next('hidden', 'sequence');
RESET ROLE;
SELECT idgen_next('hidden');

-- who uses a sequence otherwise than by drawing does not see what is cached
GRANT SELECT ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;
RESET ROLE;
RESET search_path;

-- the last id drawn is that of the sequence that the name stands for, even if
-- another one was looked at in between
SELECT idgen_last('gen');
CREATE SEQUENCE regress_idgen_schema.gen_seq START 501 INCREMENT 5;
SELECT idgen_next('gen', 'sequence');
SET search_path = regress_idgen_schema, public;
SELECT idgen_last('gen');
\echo :SQLSTATE
RESET search_path;
SELECT idgen_last('gen');
SET search_path = regress_idgen_schema, public;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_last('gen');

RESET search_path;
DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_schema CASCADE;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;
