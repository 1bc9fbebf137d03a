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
