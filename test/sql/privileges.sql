--
-- A role that may SELECT from id_sequences may draw; none needs UPDATE
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1);
CREATE ROLE regress_idgen_reader;
CREATE ROLE regress_idgen_member;
CREATE ROLE regress_idgen_writer;

-- PUBLIC has SELECT and no more
SELECT p, has_table_privilege('regress_idgen_reader', 'id_sequences', p)
	FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p;
SET ROLE regress_idgen_reader;
SELECT idgen_next('gen'), idgen_next_big('gen'), idgen_peek('gen'), idgen_last('gen');
UPDATE id_sequences SET next_block_start = 1;
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_create('mine');
\echo :SQLSTATE
SELECT idgen_stats_reset();
\echo :SQLSTATE
SELECT name, ids_issued FROM idgen_stats;
SELECT count(*) FROM idgen_cache;
SELECT sequences > 0 AS some FROM idgen_server;

-- taken away in the same session, it is gone at once
PREPARE draw AS SELECT idgen_next('gen');
EXECUTE draw;
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_reader;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_big('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT idgen_next('no such');
\echo :SQLSTATE
SELECT * FROM idgen_stats;
\echo :SQLSTATE
SELECT * FROM idgen_cache;
\echo :SQLSTATE

-- a single column is not enough, the table is
RESET ROLE;
GRANT SELECT (name, next_block_start) ON id_sequences TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
REVOKE SELECT (name, next_block_start) ON id_sequences FROM regress_idgen_reader;
GRANT SELECT ON id_sequences TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
EXECUTE draw;

-- the same statement, for one role and another
SET ROLE regress_idgen_member;
EXECUTE draw;
\echo :SQLSTATE
SET ROLE regress_idgen_reader;
EXECUTE draw;
SET ROLE regress_idgen_member;
EXECUTE draw;
\echo :SQLSTATE

-- membership counts, from the moment it is granted or revoked
RESET ROLE;
GRANT regress_idgen_reader TO regress_idgen_member;
SET ROLE regress_idgen_member;
EXECUTE draw;
RESET ROLE;
REVOKE regress_idgen_reader FROM regress_idgen_member;
SET ROLE regress_idgen_member;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
ALTER ROLE regress_idgen_member SUPERUSER;
SET ROLE regress_idgen_member;
EXECUTE draw;
RESET ROLE;
ALTER ROLE regress_idgen_member NOSUPERUSER;
SET ROLE regress_idgen_member;
EXECUTE draw;
\echo :SQLSTATE

-- not yet committed, and undone
RESET ROLE;
BEGIN;
REVOKE SELECT ON id_sequences FROM regress_idgen_reader;
SAVEPOINT a;
SET ROLE regress_idgen_reader;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
SET ROLE regress_idgen_reader;
EXECUTE draw;
RESET ROLE;
DEALLOCATE draw;

-- SECURITY DEFINER: the right of the function's owner
CREATE FUNCTION next_for_all() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT idgen_next('gen')$$;
CREATE FUNCTION next_as_caller() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN idgen_next('gen'); END$$;
SET ROLE regress_idgen_member;
SELECT next_for_all();
SELECT next_as_caller();
\echo :SQLSTATE
SET ROLE regress_idgen_reader;
SELECT next_as_caller();
SELECT next_for_all(), next_as_caller(), next_for_all();
SET ROLE regress_idgen_member;
SELECT next_as_caller();
\echo :SQLSTATE
RESET ROLE;

-- a column default: INSERT on the table alone does not do
CREATE TABLE orders (id bigint DEFAULT idgen_next('gen'));
GRANT INSERT, SELECT ON orders TO regress_idgen_member, regress_idgen_reader;
SET ROLE regress_idgen_member;
INSERT INTO orders DEFAULT VALUES;
\echo :SQLSTATE
SET ROLE regress_idgen_reader;
INSERT INTO orders DEFAULT VALUES RETURNING id > 0 AS drawn;
RESET ROLE;

-- nor does EXECUTE on the function, though that can be taken away as well
REVOKE EXECUTE ON FUNCTION idgen_next(text) FROM PUBLIC;
SET ROLE regress_idgen_reader;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_big('gen') > 0 AS drawn;
RESET ROLE;

-- UPDATE is for restarting, INSERT for creating
GRANT SELECT, INSERT, UPDATE ON id_sequences TO regress_idgen_writer;
SET ROLE regress_idgen_writer;
SELECT idgen_create('made by writer');
SELECT idgen_restart('made by writer', 10);
SELECT idgen_next_big('made by writer');
RESET ROLE;
GRANT EXECUTE ON FUNCTION idgen_stats_reset() TO regress_idgen_writer;
SET ROLE regress_idgen_writer;
SELECT idgen_stats_reset();
RESET ROLE;

-- only a superuser can create the extension
DROP TABLE orders;
DROP FUNCTION next_for_all, next_as_caller;
DROP EXTENSION idgen;
SET ROLE regress_idgen_writer;
CREATE EXTENSION idgen;
\echo :SQLSTATE
RESET ROLE;

DROP ROLE regress_idgen_reader, regress_idgen_member, regress_idgen_writer;
