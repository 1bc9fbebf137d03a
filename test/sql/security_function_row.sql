--
-- A row with a function has every role that draws run it with its own rights,
-- superusers too, as a trigger has those who write. So to write such a row
-- takes what a trigger takes, and not just the privileges to write rows
--
\set SHOW_CONTEXT never
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

INSERT INTO id_sequences (name, next_block_start) VALUES ('func', 1)
	ON CONFLICT (name) DO UPDATE SET name = 'gen 2';
\echo :SQLSTATE
MERGE INTO id_sequences s USING (VALUES ('gen'), ('new')) AS v (name) ON s.name = v.name
	WHEN MATCHED THEN UPDATE SET source = 'function', source_name = 'public.trap'
	WHEN NOT MATCHED THEN DO NOTHING;
\echo :SQLSTATE
MERGE INTO id_sequences s USING (VALUES ('new')) AS v (name) ON s.name = v.name
	WHEN NOT MATCHED THEN INSERT (name, next_block_start, source, source_name) VALUES ('new', 1, 'function', 'public.trap');
\echo :SQLSTATE
COPY id_sequences (name, next_block_start, source, source_name) FROM stdin;
new	1	function	public.trap
\.
\echo :SQLSTATE

-- not by what is there already: another row's name, or a row deleted and
-- written again
UPDATE id_sequences SET name = 'gen 2' WHERE name = 'func';
\echo :SQLSTATE
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen' RETURNING name;
INSERT INTO id_sequences SELECT 'gen', next_block_start, block_size, exhausted, max_value, source, source_name
	FROM id_sequences WHERE name = 'func';
\echo :SQLSTATE
ROLLBACK;

-- not in two steps either: source table makes no use of a name, but who changes
-- the source would
UPDATE id_sequences SET source_name = 'public.trap' WHERE name = 'gen';
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source_name) VALUES ('new', 1, 'public.trap');
\echo :SQLSTATE
UPDATE id_sequences SET source = 'table' WHERE name = 'func';
\echo :SQLSTATE
SELECT name, source, source_name FROM id_sequences ORDER BY name;

-- everything else in such a row is a matter of data
UPDATE id_sequences SET next_block_start = 7, block_size = 30, exhausted = 0, max_value = 7000, refill = 'transaction',
	layout = 'prefixed', big_base = 5, start_value = 3 WHERE name = 'func';
UPDATE id_sequences SET name = 'func', layout = 'plain', source = 'function', source_name = 'public.allocate' WHERE name = 'func';
SELECT idgen_next('func');
UPDATE id_sequences SET source = 'table', source_name = NULL WHERE name = 'func';
SELECT idgen_next('func');
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'func';
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

-- the owner of the table needs no privilege
ALTER TABLE id_sequences OWNER TO regress_idgen_all;
REVOKE ALL ON id_sequences FROM regress_idgen_all;
GRANT SELECT, INSERT, UPDATE ON id_sequences TO regress_idgen_all;
SET ROLE regress_idgen_all;
UPDATE id_sequences SET source_name = 'public.allocate' WHERE name = 'gen';
RESET ROLE;

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
