--
-- Who may draw from rows with periods: whoever may read the row, and its child
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('mine', period => 'year', block_size => 1), idgen_create('theirs', period => 'year'),
	idgen_create('mine_too/*', period => 'year'), idgen_create('hidden', period => 'day'), idgen_create('mine_code', period => 'month');
CREATE ROLE regress_idgen_clerk;
CREATE ROLE regress_idgen_writer;
GRANT INSERT, UPDATE ON id_sequences TO regress_idgen_writer;

-- drawing takes no privilege to insert
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine'), idgen_next('mine'), idgen_next('mine/2001'), idgen_next('mine_too/a'), idgen_next('mine_too/b/2001'),
	idgen_next_text('mine_too/b', '2001-02-03');
SELECT idgen_create('made', period => 'year');
\echo :SQLSTATE
SELECT idgen_restart('mine/2001', 1);
\echo :SQLSTATE
SET idgen.period_time_zone = 'Etc/GMT+12';
\echo :SQLSTATE
RESET ROLE;

-- SELECT decides, at once
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine');
\echo :SQLSTATE
SELECT idgen_last('mine');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security: of the row with periods, and of the child
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON id_sequences USING (name LIKE 'mine%' AND name NOT LIKE '%/1999');
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine'), idgen_peek('mine'), idgen_last('mine'), idgen_next('mine_too/c/2001'), idgen_next_text('mine', '2001-02-03');
\set VERBOSITY terse
SELECT idgen_next('theirs');
SELECT idgen_peek('theirs');
SELECT idgen_next('theirs/2001');
SELECT idgen_peek('theirs/2001');
SELECT idgen_next('mine/1999');
SELECT idgen_next_text('mine', '1999-01-01');
SELECT idgen_next_text('mine_too/d', '1999-01-01');
\set VERBOSITY default
RESET ROLE;
SELECT count(*) FROM id_sequences WHERE name LIKE 'theirs/%' OR name LIKE '%/1999';
DROP POLICY mine ON id_sequences;
CREATE POLICY parents ON id_sequences USING (template IS NULL);
SET ROLE regress_idgen_clerk;
\set VERBOSITY sqlstate
SELECT idgen_next('mine');
\set VERBOSITY default
RESET ROLE;
DROP POLICY parents ON id_sequences;

-- nor is a row with periods made that the role may not see
CREATE POLICY ends ON id_sequences USING (name IN ('mine_too/*', 'mine_too/hidden/2001'));
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine_too/hidden/2001');
\echo :SQLSTATE
SELECT idgen_peek('mine_too/hidden/2001');
\echo :SQLSTATE
SELECT idgen_text_value('mine_too/hidden/2001', '7');
\echo :SQLSTATE
SELECT idgen_last('mine_too/hidden/2001');
-- ... not by a call that would do without a row, either
RESET ROLE;
CREATE SEQUENCE "mine_too/hidden/2001_seq";
GRANT USAGE ON SEQUENCE "mine_too/hidden/2001_seq" TO regress_idgen_clerk;
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine_too/hidden/2001', 'sequence');
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM id_sequences WHERE name LIKE 'mine_too/hidden%';
DROP SEQUENCE "mine_too/hidden/2001_seq";
DROP POLICY ends ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- an allocator gets the name of the child
CREATE TABLE allocated (name text PRIMARY KEY, next bigint NOT NULL);
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record LANGUAGE sql SECURITY DEFINER
	BEGIN ATOMIC
		INSERT INTO allocated AS a VALUES ($1, 1 + 10 * blocks) ON CONFLICT (name) DO UPDATE SET next = a.next + 10 * blocks
			RETURNING a.next - 10 * blocks, a.next - 1;
	END;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate', block_size = 10 WHERE name = 'mine_code';
SET ROLE regress_idgen_clerk;
SELECT idgen_next('mine_code/2001-01'), idgen_next('mine_code/2001-01'), idgen_next('mine_code/2001-02'), idgen_next('mine_code'), idgen_next('mine_code');
RESET ROLE;
SELECT regexp_replace(name, '20[^0]\d-\d\d$', 'now'), next FROM allocated ORDER BY name;
SELECT source, source_name, block_size FROM id_sequences WHERE name = 'mine_code/2001-01';

DROP TABLE allocated CASCADE;
REVOKE ALL ON id_sequences FROM regress_idgen_writer;
DROP ROLE regress_idgen_writer, regress_idgen_clerk;
DROP EXTENSION idgen;
