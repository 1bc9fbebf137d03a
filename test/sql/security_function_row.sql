--
-- A row with a function has everybody who draws run it with their own rights, superusers too, as
-- a trigger has those who write. So to write such a row takes what a trigger takes, and not
-- just the privileges to write rows
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_program;
CREATE ROLE regress_idgen_all;
CREATE ROLE regress_idgen_trusted;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES ON id_sequences TO regress_idgen_program;
GRANT pg_write_all_data TO regress_idgen_all;
GRANT SELECT, INSERT, UPDATE, TRIGGER ON id_sequences TO regress_idgen_trusted;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1001::bigint, 1020::bigint';
CREATE FUNCTION trap(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'runs as a superuser: %', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user); END$$;
SELECT idgen_create('gen'), idgen_create('func', source => 'function', source_name => 'allocate');

SET ROLE regress_idgen_program;
UPDATE id_sequences SET source = 'function', source_name = 'public.trap' WHERE name = 'gen';
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'public.trap' WHERE name = 'func';
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('new', 1, 'function', 'public.trap');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1)
	ON CONFLICT (name) DO UPDATE SET source = 'function', source_name = 'public.trap';
\echo :SQLSTATE
SELECT idgen_create('new', source => 'function', source_name => 'trap');
\echo :SQLSTATE

-- not in two steps either
UPDATE id_sequences SET source_name = 'public.trap' WHERE name = 'gen';
UPDATE id_sequences SET source = 'function' WHERE name = 'gen';
\echo :SQLSTATE
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';

-- everything else in such a row is a matter of data
UPDATE id_sequences SET block_size = 30 WHERE name = 'func';
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'func';
SELECT idgen_next('func');
UPDATE id_sequences SET source = 'table' WHERE name = 'func';
SELECT idgen_next('func');
UPDATE id_sequences SET source = 'function' WHERE name = 'func';
\echo :SQLSTATE

-- who may write all tables may not
SET ROLE regress_idgen_all;
UPDATE id_sequences SET source = 'function', source_name = 'public.trap';
\echo :SQLSTATE

-- who could make a trigger may
SET ROLE regress_idgen_trusted;
UPDATE id_sequences SET source = 'function', source_name = 'public.trap' WHERE name = 'gen';
SELECT idgen_create('new', source => 'function', source_name => 'allocate');
RESET ROLE;
SELECT idgen_next('new');
SELECT idgen_next('gen');

-- rows that are replicated are written by a role that may, too
SET session_replication_role = replica;
SET ROLE regress_idgen_program;
UPDATE id_sequences SET source_name = 'public.trap' WHERE name = 'new';
\echo :SQLSTATE
RESET ROLE;
RESET session_replication_role;

DROP EXTENSION idgen;
DROP FUNCTION allocate, trap;
DROP ROLE regress_idgen_program, regress_idgen_all, regress_idgen_trusted;
