--
-- Who may draw from a server: USAGE on it is needed as well as SELECT on
-- id_sequences. That is looked at in every call, also while ids are cached
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 100);
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_next('gen');
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_group;
PREPARE draw AS SELECT idgen_next('gen');

-- nobody has it by default
SELECT fdwacl FROM pg_foreign_data_wrapper WHERE fdwname = 'idgen_fdw';
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_big('gen');
\echo :SQLSTATE
SELECT idgen_next_range('gen', 2);
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
EXECUTE draw;
\echo :SQLSTATE
CREATE SERVER mine FOREIGN DATA WRAPPER idgen_fdw;
\echo :SQLSTATE
RESET ROLE;

-- granted, taken away
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen'), idgen_next_big('gen'), idgen_next_range('gen', 2), idgen_peek('gen');
EXECUTE draw;
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

-- as a member of a role, to everybody, as the owner
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_group;
GRANT regress_idgen_group TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE regress_idgen_group FROM regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER central TO PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER central FROM PUBLIC, regress_idgen_group;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_user;
ALTER SERVER central OWNER TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
ALTER SERVER central OWNER TO CURRENT_USER;
REVOKE USAGE ON FOREIGN DATA WRAPPER idgen_fdw FROM regress_idgen_user;

-- neither does without the other
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- in a transaction that is rolled back; each draw asks the central server from
-- here on
UPDATE centre.id_sequences SET block_size = 1;
DELETE FROM id_sequences;
SELECT idgen_create('gen', source => 'server', source_name => 'central');
BEGIN;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET LOCAL ROLE regress_idgen_user;
EXECUTE draw;
ROLLBACK;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
BEGIN;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
SET LOCAL ROLE regress_idgen_user;
EXECUTE draw;
ROLLBACK;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;

-- SECURITY DEFINER: the rights of the function's owner
CREATE FUNCTION next_for_all() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT idgen_next('gen')$$;
SET ROLE regress_idgen_user;
SELECT next_for_all();
EXECUTE draw;
\echo :SQLSTATE
SELECT next_for_all();
RESET ROLE;

DEALLOCATE draw;
DROP FUNCTION next_for_all;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
DROP ROLE regress_idgen_user, regress_idgen_group;
