--
-- Source "sequence": who may draw
--
-- needs test/idgen.conf
--

--
-- Drawing from a native sequence takes what nextval() takes, USAGE or UPDATE on
-- it, and SELECT on id_sequences
--
-- A cache per session is emptied by changes of privileges.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('regress_a.gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('row', 1, 'sequence', 'gen_seq');
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
PREPARE draw_row AS SELECT idgen_next('row');
EXECUTE draw;
EXECUTE draw_row;

-- none: refused, with ids in the cache or without
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_next_big('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT nextval('gen_seq');
\echo :SQLSTATE
RESET ROLE;

-- each of them, granted and revoked between two calls
GRANT USAGE ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw_row;
SELECT idgen_peek('gen'), idgen_last('gen'), idgen_next_big('gen', 'sequence');
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT setval('gen_seq', 1);
\echo :SQLSTATE
RESET ROLE;
REVOKE USAGE ON gen_seq FROM regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw_row;
RESET ROLE;
REVOKE UPDATE ON gen_seq FROM regress_idgen_user;
GRANT SELECT ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
RESET ROLE;
REVOKE SELECT ON gen_seq FROM regress_idgen_user;

-- rolled back, and within a transaction
BEGIN;
GRANT USAGE ON gen_seq TO regress_idgen_user;
SET LOCAL ROLE regress_idgen_user;
EXECUTE draw;
ROLLBACK;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

-- by way of a role, of PUBLIC, of being owner or superuser
GRANT USAGE ON gen_seq TO regress_idgen_owner;
GRANT regress_idgen_owner TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE regress_idgen_owner FROM regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON gen_seq TO PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE USAGE ON gen_seq FROM PUBLIC;
ALTER SEQUENCE gen_seq OWNER TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
ALTER SEQUENCE gen_seq OWNER TO regress_idgen_owner;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
ALTER ROLE regress_idgen_user SUPERUSER;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
ALTER ROLE regress_idgen_user NOSUPERUSER;

-- of the function's owner where it is SECURITY DEFINER
CREATE FUNCTION next_for_all() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS
	$$SELECT idgen_next('gen', 'sequence')$$;
SET ROLE regress_idgen_user;
SELECT next_for_all() > 0 AS drawn;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

-- idgen_restart takes UPDATE, as setval() does, and no ownership
GRANT UPDATE ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_restart('gen', 500);
EXECUTE draw;
SELECT idgen_restart('row', 600);
EXECUTE draw_row;
ALTER SEQUENCE gen_seq RESTART;
\echo :SQLSTATE
SELECT current_user;
RESET ROLE;
BEGIN;
REVOKE USAGE, UPDATE ON gen_seq FROM regress_idgen_owner;
SET LOCAL ROLE regress_idgen_owner;
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 700);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
ROLLBACK;
SET ROLE regress_idgen_user;
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 0);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT current_user;
RESET ROLE;

-- SELECT on id_sequences, with a row and without
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- in a schema without USAGE
CREATE SCHEMA regress_a;
CREATE SEQUENCE regress_a.gen_seq START 5000 INCREMENT 10;
GRANT USAGE ON regress_a.gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
SET search_path = regress_a, public;
EXECUTE draw;
RESET ROLE;
GRANT USAGE ON SCHEMA regress_a TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('regress_a.gen', 'sequence');
EXECUTE draw;
RESET ROLE;
REVOKE USAGE ON SCHEMA regress_a FROM regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
EXECUTE draw;
RESET ROLE;
RESET search_path;

-- idgen_restart does not depend on what the owner may do
ALTER SEQUENCE regress_a.gen_seq OWNER TO regress_idgen_owner;
GRANT USAGE ON SCHEMA regress_a TO regress_idgen_user;
GRANT UPDATE ON regress_a.gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_restart('regress_a.gen', 5050);
SELECT idgen_next('regress_a.gen', 'sequence');
RESET ROLE;

-- a sequence that is found first hides one that may be used
CREATE SEQUENCE regress_a.hidden_seq;
CREATE SEQUENCE hidden_seq;
GRANT USAGE ON hidden_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SET search_path = regress_a, public;
SELECT idgen_next('hidden', 'sequence');
\echo :SQLSTATE
SET search_path = public, regress_a;
SELECT idgen_next('hidden', 'sequence');
RESET search_path;
RESET ROLE;

-- as the default of a column, the one who inserts
CREATE TABLE orders (id bigint DEFAULT idgen_next('gen', 'sequence'));
GRANT INSERT, SELECT ON orders TO regress_idgen_user, regress_idgen_owner;
REVOKE UPDATE ON gen_seq FROM regress_idgen_user;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES;
\echo :SQLSTATE
SET ROLE regress_idgen_owner;
INSERT INTO orders DEFAULT VALUES RETURNING id > 0 AS drawn;
RESET ROLE;

DEALLOCATE draw;
DEALLOCATE draw_row;
DROP TABLE orders;
DROP FUNCTION next_for_all;
SET client_min_messages = warning;
DROP SCHEMA regress_a CASCADE;
DROP SEQUENCE gen_seq, hidden_seq;
DROP ROLE regress_idgen_user, regress_idgen_owner;
DROP EXTENSION idgen;

\c -
--
-- A row that row security hides does not exist: the native sequence is there
-- without it
--
-- needs test/idgen.conf: a session with slots of its own has one for each name
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE real_seq START 1000 INCREMENT 10;
CREATE SEQUENCE table_seq START 2000 INCREMENT 10;
GRANT USAGE ON gen_seq, table_seq TO regress_idgen_user;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base) VALUES
	('gen', 1, 'sequence', 'real_seq', 1000000), ('table', 3000, 'table', NULL, 0), ('own', 1, 'sequence', 'gen_seq', 0);
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON id_sequences USING (name = 'own');
PREPARE draw AS SELECT idgen_next('gen', 'sequence');

SELECT idgen_next('gen'), idgen_next_big('gen');
EXECUTE draw;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
EXECUTE draw;
SELECT idgen_next_big('gen', 'sequence');
SELECT idgen_next('table', 'sequence');
SELECT idgen_next('table', 'table');
\echo :SQLSTATE
SELECT idgen_next('own'), idgen_next('own', 'sequence');
SELECT name, source, source_name, ids_cached FROM idgen_stats ORDER BY name, source_name;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;

-- one role and the other in turn
RESET ROLE;
EXECUTE draw;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
SELECT idgen_next('table', 'sequence');
\echo :SQLSTATE

-- the right to use its sequence does not make a hidden row known
GRANT USAGE ON real_seq TO regress_idgen_user;
SELECT idgen_next('gen') >= 1000 AS of_the_row;
SELECT name FROM idgen_stats WHERE source_name = 'real_seq';
SET ROLE regress_idgen_user;
SELECT name FROM idgen_stats WHERE source_name = 'real_seq';
SELECT count(*) FROM idgen_cache WHERE first_id BETWEEN 1000 AND 1999;
RESET ROLE;
REVOKE USAGE ON real_seq FROM regress_idgen_user;

-- the policy goes
DROP POLICY own ON id_sequences;
CREATE POLICY everything ON id_sequences USING (true);
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('table', 'sequence');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON real_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen') >= 1000 AS of_the_row, idgen_next('gen', 'sequence') >= 1000 AS of_the_row;
RESET ROLE;

DEALLOCATE draw;
DROP SEQUENCE gen_seq, real_seq, table_seq;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
