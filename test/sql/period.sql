--
-- Periods: numbers start anew each year, month or day
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- A test does not know which day it is, so names are shown with nines.
CREATE FUNCTION nines(text) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN regexp_replace($1, '\d', '9', 'g');
CREATE FUNCTION today(name text, format text) RETURNS text LANGUAGE sql STABLE
	RETURN name || to_char(now() AT TIME ZONE 'UTC', format);
CREATE VIEW children AS SELECT nines(name) AS name, next_block_start AS next, block_size AS size,
	start_value AS start, period, time_zone, nines(template) AS template FROM id_sequences WHERE template IS NOT NULL
	ORDER BY id_sequences.name;

-- a draw by the name of the row is one from the child of the period
SELECT idgen_create('y', 101, period => 'year', block_size => 1),
	idgen_create('m', period => 'month', block_size => 10, time_zone => 'UTC', big_base => 1000, max_value => 500),
	idgen_create('d', period => 'day');
BEGIN;
SELECT idgen_next('y'), idgen_next('m'), idgen_next('d'), idgen_next('d');
SELECT idgen_next('y'), idgen_next_big('m'), idgen_next_range('d', 5);
SELECT idgen_next(today('y/', 'YYYY')), idgen_next(today('m/', 'YYYY-MM')), idgen_next(today('d/', 'YYYY-MM-DD'));
SELECT idgen_last('y'), idgen_last('m'), idgen_last('d');
SELECT idgen_peek('y'), idgen_peek('m'), idgen_peek('d');
SELECT idgen_next('y'), idgen_next_big('m'), idgen_next('d');
COMMIT;
SELECT * FROM children;
SELECT source, max_value, big_base, layout, refill, exhausted, owned_by, max_children FROM id_sequences WHERE name LIKE 'm/%';

-- the row itself has no ids
SELECT name, next_block_start FROM id_sequences WHERE name = 'y';
DO $$
DECLARE
	hint text;
BEGIN
	PERFORM idgen_restart('y', 1);
EXCEPTION
	WHEN feature_not_supported THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		RAISE NOTICE '% (%)', SQLERRM, nines(hint);
END $$;

-- other periods have names, too
SELECT idgen_next('y/1999'), idgen_next('y/1999'), idgen_next('m/2024-02'), idgen_next('d/2024-02-29'), idgen_next('y/9999');
SELECT idgen_last('y'), idgen_last('y/1999');
SELECT * FROM children WHERE name LIKE 'y/%';
SELECT idgen_restart('y/1999', 7);
SELECT idgen_next('y/1999'), idgen_next('y');

-- what names no period
\set VERBOSITY terse
SELECT idgen_next('y/20255');
SELECT idgen_next('y/abc');
SELECT idgen_next('y/0000');
SELECT idgen_next('y/+123');
SELECT idgen_next('y/2025 ');
SELECT idgen_next('y/');
SELECT idgen_next('y/2025-01');
SELECT idgen_next('y/x/2025');
SELECT idgen_next('/2025');
SELECT idgen_next('m/2025');
SELECT idgen_next('m/2025-00');
SELECT idgen_next('m/2025-13');
SELECT idgen_next('d/2025-02-29');
SELECT idgen_next('d/2025-12-32');
SELECT idgen_next('d/2025-1-01');
\set VERBOSITY default
\echo :SQLSTATE

-- only a draw makes a child
SELECT idgen_create('new', 5, period => 'year', big_base => 100);
SELECT idgen_peek('new'), idgen_peek('new/2025');
SELECT idgen_last('new');
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen_peek('new');
SELECT idgen_next('new');
\echo :SQLSTATE
ROLLBACK;
SELECT count(*) FROM children WHERE name LIKE 'new/%';
SELECT idgen_next('new'), idgen_peek('new');

-- the child goes with the transaction, and with the savepoint
SELECT idgen_create('undone', period => 'year', block_size => 1);
BEGIN;
SELECT idgen_next('undone');
SAVEPOINT a;
SELECT idgen_next('undone'), idgen_next('undone/2020');
ROLLBACK TO a;
SELECT idgen_next('undone'), idgen_next('undone/2020'), idgen_next('undone/2020');
ROLLBACK;
SELECT count(*) FROM children WHERE name LIKE 'undone/%';
BEGIN;
SAVEPOINT a;
SELECT idgen_next('undone');
ROLLBACK TO a;
SELECT idgen_next('undone'), idgen_next('undone');
COMMIT;
SELECT idgen_next('undone');

-- a source that is named
SELECT idgen_next('y', 'table'), idgen_last('y'), idgen_peek('y');
SELECT idgen_next('y', 'function');
\echo :SQLSTATE

-- a child of one's own making, and one that has periods itself
SELECT idgen_create(today('h/', 'YYYY'), 5001), idgen_create('h', period => 'year', layout => 'session');
SELECT idgen_next('h'), idgen_last('h');
SELECT idgen_create(today('n/', 'YYYY'), 11, period => 'month'), idgen_create('n', period => 'year');
SELECT idgen_next('n'), idgen_next('n'), idgen_last('n'), idgen_peek('n');
SELECT * FROM children WHERE name LIKE 'n/%';

-- a column default, COPY, prepared statements, PL/pgSQL
CREATE TABLE bill (id bigint DEFAULT idgen_next('y'), tag text);
INSERT INTO bill (tag) VALUES ('a'), ('b') RETURNING id;
COPY bill (tag) FROM stdin;
c
d
\.
PREPARE bill AS INSERT INTO bill (tag) VALUES ($1) RETURNING id;
EXECUTE bill('e');
EXECUTE bill('f');
PREPARE any_name AS SELECT idgen_next($1);
EXECUTE any_name('y');
EXECUTE any_name('y/1999');
EXECUTE any_name('y');
DO $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		INSERT INTO bill (id) VALUES (idgen_next('y'));
	END LOOP;
END $$;
SELECT id, tag FROM bill ORDER BY id;

-- to change the row changes where later draws go; children stay
UPDATE id_sequences SET period = 'day', next_block_start = 900 WHERE name = 'new';
SELECT idgen_next('new'), idgen_next('new');
SELECT name, next, start FROM children WHERE name LIKE 'new/%';
UPDATE id_sequences SET period = NULL WHERE name = 'new';
SELECT idgen_next('new');
UPDATE id_sequences SET period = 'year' WHERE name = 'new';
SELECT idgen_next('new');
BEGIN;
UPDATE id_sequences SET period = NULL WHERE name = 'new';
SELECT idgen_next('new');
ROLLBACK;
SELECT idgen_next('new');
UPDATE id_sequences SET name = 'newer' WHERE name = 'new';
SELECT idgen_next('newer');
SELECT idgen_next('new/2001');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'newer';
SELECT idgen_next('newer');
\echo :SQLSTATE
SELECT count(*) FROM children WHERE name LIKE 'newer/%';

-- names that are no period are left to idgen.auto_create
SET idgen.auto_create = on;
SELECT idgen_next('y/abc'), idgen_next('y/2000');
SELECT name, template FROM id_sequences WHERE name IN ('y/abc', 'y/2000') ORDER BY name;
RESET idgen.auto_create;

DROP TABLE bill;
DROP FUNCTION nines CASCADE;
DROP FUNCTION today;
DROP EXTENSION idgen;
