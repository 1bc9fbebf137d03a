--
-- Templates: the first draw of a name that matches one makes its row
--
CREATE EXTENSION idgen;
SELECT idgen_create('invoice/*', next_block_start => 100, block_size => 1, max_value => 5000, max_children => 100);
SELECT idgen_next('invoice/acme'), idgen_next('invoice/acme'), idgen_next('invoice/bolt');
\x on
SELECT name, next_block_start, block_size, exhausted, max_value, source, source_name, refill, layout, big_base, start_value, pooling,
	owned_by, max_children, period, time_zone, format, template, refilled_at > now() - interval '1 hour' AS refilled_now
	FROM id_sequences ORDER BY name;
\x off

-- all functions that draw make it, and no others
SELECT idgen_next_big('invoice/big'), idgen_next_range('invoice/range', 3), idgen_next('invoice/source', 'table');
SELECT idgen_last('invoice/range'), idgen_last('invoice/big');
SELECT idgen_last('invoice/unknown');
\echo :SQLSTATE
SELECT idgen_restart('invoice/acme', 50);
SELECT idgen_next('invoice/acme');
SELECT name FROM id_sequences ORDER BY name;

-- what matches: anything in place of the asterisk, but not nothing
\set VERBOSITY terse
SELECT idgen_next('invoice/acme/2026'), idgen_next('invoice/ '), idgen_next('invoice//'), idgen_next('invoice/*x');
SELECT idgen_next('invoice/');
SELECT idgen_next('invoice');
SELECT idgen_next('Invoice/acme');
SELECT idgen_next('my/invoice/acme');
SELECT idgen_next('/invoice/acme');
SELECT idgen_next('/');
SELECT idgen_next('//');
SELECT idgen_next('invoice/' || repeat('x', 248));
SELECT idgen_next('invoice/' || repeat('x', 247));
\set VERBOSITY default

-- the longest one
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('/*', 7000, 1), ('a/*', 1000, 1), ('a/b/c/*', 3000, 1), ('a/b/*', 2000, 1), ('a/*/*', 4000, 1), ('*', 5000, 1);
SELECT idgen_next('a/b/c/d'), idgen_next('a/b/c'), idgen_next('a/b'), idgen_next('a/bb/c/d'), idgen_next('a/b/c/'),
	idgen_next('a/*/x'), idgen_next('a/b/cc'), idgen_next('/x'), idgen_next('/a/b'), idgen_next('*');
SELECT name, template FROM id_sequences WHERE template IS NOT NULL AND template <> 'invoice/*' ORDER BY name;

-- a row that is there is what it says
INSERT INTO id_sequences (name, next_block_start) VALUES ('a/own', 77);
SELECT idgen_next('a/own');
SELECT template FROM id_sequences WHERE name = 'a/own';

-- in a column default, PL/pgSQL, a prepared statement, COPY
CREATE TABLE documents (tenant text, id bigint DEFAULT idgen_next('a/documents'));
COPY documents (tenant) FROM stdin;
x
y
\.
INSERT INTO documents (tenant) VALUES ('z') RETURNING id;
DO $$
BEGIN
	FOR i IN 1..3 LOOP
		RAISE NOTICE '%', idgen_next('a/tenant ' || i % 2);
	END LOOP;
END $$;
PREPARE draw AS SELECT idgen_next('a/' || $1);
EXECUTE draw('p');
EXECUTE draw('p');
EXECUTE draw('q');
SELECT tenant, idgen_next('a/' || tenant) FROM documents ORDER BY tenant;
ALTER TABLE documents ALTER id SET DEFAULT idgen_next('copied/' || current_user);
INSERT INTO id_sequences (name, next_block_start) VALUES ('copied/*', 1);
COPY documents (tenant) FROM stdin;
v
w
\.
SELECT tenant, id FROM documents ORDER BY tenant, id;

-- many at once, at any isolation level
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), sum(idgen_next('a/many ' || i % 100)) FROM generate_series(1, 300) AS i;
COMMIT;

-- the template may be in the snapshot of nobody but this command
WITH template AS (INSERT INTO id_sequences (name, next_block_start) VALUES ('now/*', 9) RETURNING name)
	SELECT idgen_next(replace(name, '*', 'x')) FROM template;

-- the row is part of the transaction and of the savepoint
BEGIN;
SELECT idgen_next('a/undone');
SAVEPOINT s;
SELECT idgen_next('a/undone too');
ROLLBACK TO s;
SELECT name FROM id_sequences WHERE name LIKE 'a/undone%';
SELECT idgen_next('a/undone too'), idgen_next('a/undone too');
ROLLBACK;
SELECT name FROM id_sequences WHERE name LIKE 'a/undone%';
SELECT idgen_next('a/undone'), idgen_next('a/undone too');

-- a deleted child comes back, and a template that is deleted has no more
DELETE FROM id_sequences WHERE name = 'a/undone';
SELECT idgen_next('a/undone');
DELETE FROM id_sequences WHERE name = 'a/*';
SELECT idgen_next('a/undone');
SELECT idgen_next('a/later');
\echo :SQLSTATE

-- one that is renamed matches other names
UPDATE id_sequences SET name = 'c/*' WHERE name = 'a/b/*';
SELECT idgen_next('c/x');
SELECT idgen_next('a/b/later');
\echo :SQLSTATE

-- idgen.auto_create comes after templates
SET idgen.auto_create = on;
SELECT idgen_next('c/y'), idgen_next('d/y');
SELECT name, template FROM id_sequences WHERE name LIKE '_/y' ORDER BY name;
RESET idgen.auto_create;

-- where children start is up to what the template says now
UPDATE id_sequences SET next_block_start = 500 WHERE name = 'c/*';
SELECT start_value FROM id_sequences WHERE name = 'c/*';
SELECT idgen_next('c/z');
UPDATE id_sequences SET start_value = 600 WHERE name = 'c/*';
SELECT idgen_next('c/z2');
UPDATE id_sequences SET next_block_start = 800, start_value = 700 WHERE name = 'c/*';
SELECT idgen_next('c/z3');
UPDATE id_sequences SET start_value = NULL WHERE name = 'c/*';
SELECT idgen_next('c/z4');

DROP TABLE documents;
DROP EXTENSION idgen;
