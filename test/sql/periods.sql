--
-- Periods: numbers that begin anew with each year, month or day
--

--
-- Columns period and time_zone: what may be written
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

SELECT idgen_create('year', period => 'year'),
	idgen_create('month', period => 'month', time_zone => 'Europe/Berlin', block_size => 1),
	idgen_create('day', period => 'day', time_zone => 'utc', refill => 'worker', layout => 'session', big_base => 10);
SELECT idgen_create('no period', time_zone => 'Asia/Tokyo');
SELECT name, period, time_zone FROM id_sequences ORDER BY name;

-- words that are unknown
SELECT idgen_create('week', period => 'week');
\echo :SQLSTATE
SELECT idgen_create('week', period => 'YEAR');
SELECT idgen_create('week', period => '');
SELECT idgen_create('week', period => 'year', time_zone => 'Europe/Atlantis');
\echo :SQLSTATE
SELECT idgen_create('week', time_zone => '');
UPDATE id_sequences SET period = 'century' WHERE name = 'year';
\echo :SQLSTATE
UPDATE id_sequences SET time_zone = 'right/UTC' WHERE name = 'no period';
\echo :SQLSTATE

-- a native sequence counts on over all years
CREATE SEQUENCE numbers;
SELECT idgen_create('native', period => 'year', source => 'sequence', source_name => 'numbers');
\echo :SQLSTATE
SELECT idgen_create('native', source => 'sequence', source_name => 'numbers');
UPDATE id_sequences SET period = 'day' WHERE name = 'native';
UPDATE id_sequences SET source = 'sequence' WHERE name = 'year';
\echo :SQLSTATE

-- the names of the children must have room
SELECT idgen_create(repeat('x', 250), period => 'year');
SELECT idgen_create(repeat('y', 251), period => 'year');
\echo :SQLSTATE
UPDATE id_sequences SET period = 'month' WHERE name LIKE 'xx%';

-- a row that was written without its trigger
SET session_replication_role = replica;
ALTER TABLE id_sequences DISABLE TRIGGER USER;
INSERT INTO id_sequences (name, next_block_start, period) VALUES ('bad period', 1, 'decade');
INSERT INTO id_sequences (name, next_block_start, time_zone) VALUES ('bad zone', 1, 'Mars/Phobos');
INSERT INTO id_sequences (name, next_block_start) VALUES ('bare/*', 5);
RESET session_replication_role;
SELECT name, start_value, idgen_next('bare/x') FROM id_sequences WHERE name = 'bare/*';
SELECT idgen_next('bad period');
\echo :SQLSTATE
SELECT idgen_next('bad zone');
\echo :SQLSTATE

DROP SEQUENCE numbers;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Functions that are not for rows with periods; columns that draw from these
--
CREATE EXTENSION idgen;
SELECT idgen_create('bill', period => 'year', block_size => 1, owned_by => NULL);
CREATE TABLE bill (id bigint PRIMARY KEY DEFAULT idgen_next('bill'));
INSERT INTO bill VALUES (7), (8);

-- hints name the child of today, which a test cannot know
CREATE FUNCTION try(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RETURN 'ok';
EXCEPTION
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN regexp_replace(concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, nullif(detail, ''), nullif(hint, '')), '/\d{4}', '/9999', 'g');
END $$;
\x on
SELECT try($$SELECT idgen_restart('bill', 100)$$);
SELECT try($$SELECT idgen_sync('bill', 'id')$$);
SELECT try($$SELECT idgen_release('bill', 'id')$$);
SELECT try($$SELECT idgen_adopt('bill', 'id', 'other')$$);
SELECT try($$SELECT idgen_next('bill', 'sequence')$$);
SELECT try($$SELECT idgen_next_range('bill', 0)$$);
\x off
SELECT regexp_replace(idgen_sync('bill'), '/\d{4}', '/9999', 'g');

-- the same for one period works, also before there is a row for it
SELECT try($$SELECT idgen_restart('bill/' || to_char(now() AT TIME ZONE 'UTC', 'YYYY'), 9)$$);
INSERT INTO bill DEFAULT VALUES RETURNING id;
SELECT try($$SELECT idgen_restart('bill/' || to_char(now() AT TIME ZONE 'UTC', 'YYYY'), 20)$$);
INSERT INTO bill DEFAULT VALUES RETURNING id;

-- a row with periods can belong to a column; its children stay
UPDATE id_sequences SET owned_by = 'public.bill.id' WHERE name = 'bill';
SELECT idgen_next('bill');
SELECT count(*) FROM id_sequences WHERE template = 'bill' AND owned_by IS NULL;
SELECT idgen_next('bill/2001');
DROP TABLE bill;
SELECT regexp_replace(name, '[^/]\d\d[^1]$', '9999') AS name FROM id_sequences ORDER BY 1;

DROP FUNCTION try;
DROP EXTENSION idgen;

\c -
--
-- Renaming what other rows are made from; and a name that could mean two
-- things: the child of a template, and a period
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('bill', period => 'year', block_size => 1), idgen_create('order/*', period => 'month', block_size => 5), idgen_create('t/*', block_size => 1);
SELECT idgen_next_text('bill', at => '2025-05-05'), idgen_next_text('bill', at => '2025-06-06'), idgen_next_text('bill', at => '2026-01-01');
SELECT idgen_next_text('order/acme', at => '2025-05-05'), idgen_next_text('order/bolt', at => '2025-05-05');
SELECT idgen_next('t/a'), idgen_next('t/b');
UPDATE id_sequences SET template = 'bill' WHERE name = 't/b';
CREATE VIEW children AS SELECT name, template, next_block_start FROM id_sequences WHERE template IS NOT NULL ORDER BY name;

-- children of a period go along with their names, others with column template
UPDATE id_sequences SET name = 'invoice' WHERE name = 'bill';
UPDATE id_sequences SET name = 'x/*' WHERE name = 'order/*';
UPDATE id_sequences SET name = 'x/acme & sons' WHERE name = 'order/acme';
TABLE children;
SELECT idgen_next_text('invoice', at => '2025-05-05'), idgen_next_text('x/acme & sons', at => '2025-05-05');
SELECT idgen_next_text('bill', at => '2025-05-05');
\echo :SQLSTATE

-- undone with the renaming, or as a whole
BEGIN;
SAVEPOINT s;
UPDATE id_sequences SET name = 'bill' WHERE name = 'invoice';
SELECT idgen_next_text('bill', at => '2025-05-05');
ROLLBACK TO s;
SELECT idgen_next_text('invoice', at => '2025-05-05');
COMMIT;
INSERT INTO id_sequences (name, next_block_start) VALUES ('bill/2025', 1);
UPDATE id_sequences SET name = 'bill' WHERE name = 'invoice';
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'bill/2025';
TABLE children;

-- where changes arrive that another server has made, so do those of children
SET session_replication_role = replica;
UPDATE id_sequences SET name = 'u/*' WHERE name = 't/*';
RESET session_replication_role;
SELECT name, template FROM id_sequences WHERE template = 't/*';

-- the rights to do all that are those of who renames
CREATE ROLE regress_idgen_user;
GRANT UPDATE (name) ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
UPDATE id_sequences SET name = 'u/renamed' WHERE name = 't/a';
UPDATE id_sequences SET name = 'bill' WHERE name = 'invoice';
\echo :SQLSTATE
RESET ROLE;
TABLE children;

-- who renames must see them all
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE id_sequences SET name = 'bill' WHERE name = 'invoice';
\echo :SQLSTATE
ROLLBACK;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (name NOT LIKE '%/%');
GRANT UPDATE (template) ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
UPDATE id_sequences SET name = 'bill' WHERE name = 'invoice';
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DROP POLICY p ON id_sequences;

-- parent and children by one statement; a row that becomes a template
UPDATE id_sequences SET name = regexp_replace(name, '^invoice', 'invoice/old') WHERE name ~ '^invoice(/|$)';
SELECT idgen_next_text('invoice/old', at => '2025-05-05');
UPDATE id_sequences SET name = 'x/*/*' WHERE name = 'invoice/old';
UPDATE id_sequences SET name = 'x' WHERE name = 'x/*';
TABLE children;

-- a client that is called 77/2024, and the year 2024 of client 77
SELECT idgen_create('c/*', block_size => 1), idgen_next('c/77/2024');
SELECT idgen_create('c/77', period => 'year');
SELECT idgen_next_text('c/77', at => '2024-03-03');
\echo :SQLSTATE
SELECT idgen_next_text('c/77', at => '2024-03-03');
\c
SELECT idgen_next_text('c/77', at => '2024-03-03');
SELECT idgen_next('c/77/2024');
SELECT idgen_next_text('c/77', at => '2024-03-03');
SELECT idgen_next_text('c/77', at => '2025-03-03'), idgen_next('c/77/2025'), idgen_next_text('c/77', at => '2025-03-03');
DELETE FROM id_sequences WHERE name = 'c/77/2025';
INSERT INTO id_sequences (name, next_block_start, template)
	SELECT 'c/77/' || to_char(current_date + d, 'YYYY'), 100 + d, 'c/*' FROM generate_series(366, 0, -366) AS d ON CONFLICT DO NOTHING;
\set VERBOSITY sqlstate
SELECT idgen_next('c/77');
SELECT idgen_peek('c/77');
\set VERBOSITY default
UPDATE id_sequences SET template = 'c/77' WHERE name LIKE 'c/77/%';
SELECT idgen_next('c/77') IS NOT NULL AS drawn;

-- and one that was inserted by hand, beforehand
INSERT INTO id_sequences (name, next_block_start) VALUES ('c/77/2027', 500) ON CONFLICT (name) DO UPDATE SET next_block_start = 500;
SELECT idgen_next_text('c/77', at => '2027-03-03');

DROP VIEW children;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
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
