--
-- Periods: numbers that begin anew with each year, month or day
--
-- needs test/idgen.conf
--

--
-- Periods: numbers start anew each year, month or day
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

\c -
--
-- Text ids of rows with periods: each period has its own numbers and its date
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

SELECT idgen_create('bill/*', period => 'year', block_size => 1, format => 'B{{{YYYY}}}-{MM}-{id:4}'),
	idgen_create('m', period => 'month', block_size => 1, format => '{id}/{MM}.{YY}'),
	idgen_create('plain', period => 'day');

SELECT idgen_next_text('bill/a', '2025-12-31'), idgen_next_text('bill/a', '2026-01-01'), idgen_next_text('bill/a', at => '2025-01-01');
SELECT idgen_next_text('bill/b', '2025-06-30'), idgen_next('bill/b/2025'), idgen_next_text('bill/b', '2025-07-31');
SELECT idgen_next_text('m', '1999-12-01'), idgen_next_text('m', '1999-12-31'), idgen_next_text('m', '2000-01-01');
SELECT idgen_next_text('plain', '2025-05-05'), idgen_next_text('plain', '2025-05-05'), idgen_next_text('plain', '2025-05-06');
SELECT name, next_block_start, period, format FROM id_sequences ORDER BY name;

-- by the name of the child: the same
SELECT idgen_next_text('bill/a/2025', '2025-03-03'), idgen_next_text('m/1999-12', '2020-02-02');

-- what is remembered of the date before is for its period only
SELECT idgen_create('cached', period => 'month', format => '{id}/{MM}.{YY}');
PREPARE draw AS SELECT idgen_next_text('bill/a', $1), idgen_next_text('m', $1), idgen_next_text('plain', $1), idgen_next_text('cached', $1);
EXECUTE draw('2025-12-31');
EXECUTE draw('2025-12-30');
EXECUTE draw('2025-11-30');
EXECUTE draw('2024-11-30');
EXECUTE draw('2024-11-30');
SELECT idgen_next_text('m', '2024-11-01'), idgen_last('m');
UPDATE id_sequences SET period = 'day', format = '{id}/{DD}.{MM}.{YY}' WHERE name = 'm';
EXECUTE draw('2024-11-30');
EXECUTE draw('2024-11-29');
DELETE FROM id_sequences WHERE name = 'm/2024-11-29';
EXECUTE draw('2024-11-29');
UPDATE id_sequences SET period = 'month', format = '{id}/{MM}.{YY}' WHERE name = 'm';
EXECUTE draw('2024-11-29');

-- today's is that of the transaction
BEGIN;
SELECT idgen_next_text('m') = '1/' || to_char(now() AT TIME ZONE 'UTC', 'MM.YY'), idgen_next_text('m') LIKE '2/%',
	idgen_next_text('m', (now() AT TIME ZONE 'UTC')::date) LIKE '3/%', idgen_next_text('m') LIKE '4/%', idgen_last('m'),
	idgen_next_text('bill/a') = 'B{' || to_char(now() AT TIME ZONE 'UTC', 'YYYY}-MM') || '-000' || idgen_last('bill/a');
ROLLBACK;

-- what is read back is the number
SELECT idgen_text_value('m', '7/01.99'), idgen_text_value('m/1999-12', '7/12.99');
SELECT idgen_text_value('m/1999-12', '7/01.99');
\echo :SQLSTATE

-- dates that have no period, and none
SELECT idgen_next_text('m', 'infinity');
\echo :SQLSTATE
SELECT idgen_next_text('m', '0001-12-31 BC');
\echo :SQLSTATE
SELECT idgen_next_text('m', '10000-01-01');
\echo :SQLSTATE
SELECT idgen_next_text('m', NULL::date) IS NULL, idgen_next_text('m', '0001-01-01'), idgen_next_text('m', '9999-12-31');
BEGIN READ ONLY;
SELECT idgen_next_text('m', '2001-01-01');
\echo :SQLSTATE
ROLLBACK;

-- a format in which the numbers of two periods look the same
SELECT idgen_create('same', period => 'year', format => 'S-{id}');
\echo :SQLSTATE
UPDATE id_sequences SET period = 'day' WHERE name = 'm';
\echo :SQLSTATE

-- as a column default, and in COPY
CREATE TABLE bill (made date, number text DEFAULT idgen_next_text('bill/c', '2024-02-29'));
INSERT INTO bill VALUES ('2024-02-29') RETURNING number;
COPY bill (made) FROM stdin;
2024-02-29
2024-02-29
\.
SELECT number FROM bill ORDER BY number;
INSERT INTO bill SELECT d, idgen_next_text('bill/c', d) FROM (VALUES ('2024-03-01'::date), ('2025-03-01'), ('2024-03-02'), ('2025-03-02')) AS days (d)
	RETURNING number;

-- to change the format changes those of later children, unless it is applied
UPDATE id_sequences SET format = 'N{YYYY}-{id}' WHERE name IN ('bill/*', 'bill/c');
SELECT idgen_next_text('bill/c', '2024-03-03'), idgen_next_text('bill/c', '2023-03-03'), idgen_next_text('bill/d', '2024-03-03');
SELECT idgen_apply_template('bill/c');
SELECT idgen_next_text('bill/c', '2024-03-03');

DROP TABLE bill;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- When a period begins: in the time zone of the row, or of the setting
--
CREATE EXTENSION idgen;

-- Between these two zones it is another day at any time.
SELECT (now() AT TIME ZONE 'Etc/GMT+12')::date < (now() AT TIME ZONE 'Etc/GMT-14')::date AS another_day;

CREATE FUNCTION day_in(zone text) RETURNS text LANGUAGE sql STABLE
	RETURN to_char(now() AT TIME ZONE zone, 'YYYY-MM-DD');
CREATE FUNCTION drawn_in(name text, zone text) RETURNS bigint LANGUAGE sql
	RETURN (SELECT next_block_start - 1 FROM id_sequences WHERE name = $1 || '/' || day_in(zone));

SELECT idgen_create('west', period => 'day', time_zone => 'Etc/GMT+12', block_size => 1),
	idgen_create('east', period => 'day', time_zone => 'Etc/GMT-14', block_size => 1),
	idgen_create('here', period => 'day', block_size => 1), idgen_create('there', period => 'day', block_size => 1),
	idgen_create('cached', period => 'day');

-- the zone of the session has no say
BEGIN;
SET LOCAL TimeZone = 'Etc/GMT-14';
SELECT idgen_next('west'), idgen_next('here');
SET LOCAL TimeZone = 'Etc/GMT+12';
SELECT idgen_next('west'), idgen_next('east'), idgen_next('here');
SELECT drawn_in('west', 'Etc/GMT+12'), drawn_in('east', 'Etc/GMT-14'), drawn_in('here', 'UTC');
COMMIT;
SELECT count(*) FROM id_sequences WHERE template IS NOT NULL;

-- the setting has, where the row names none: at once, in a plan of before, too
SET idgen.period_time_zone = 'Etc/GMT+12';
BEGIN;
PREPARE draw AS SELECT idgen_next('west') AS west, idgen_next('there') AS there, idgen_next('cached') AS cached;
EXECUTE draw;
EXECUTE draw;
SET LOCAL idgen.period_time_zone = 'Etc/GMT-14';
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
SET LOCAL idgen.period_time_zone = 'Etc/GMT+12';
EXECUTE draw;
SELECT drawn_in('west', 'Etc/GMT+12') AS west, drawn_in('there', 'Etc/GMT-14') AS there_east, drawn_in('there', 'Etc/GMT+12') AS there_west;
ROLLBACK;
SHOW idgen.period_time_zone;

-- also where ids are cached
EXECUTE draw;
EXECUTE draw;
SET idgen.period_time_zone = 'Etc/GMT-14';
EXECUTE draw;
SET idgen.period_time_zone = 'Etc/GMT+12';
EXECUTE draw;
RESET idgen.period_time_zone;

-- and so has the row, as soon as it is changed
BEGIN;
SELECT idgen_next('east');
UPDATE id_sequences SET time_zone = 'Etc/GMT+12' WHERE name = 'east';
SELECT idgen_next('east'), idgen_next('east');
SELECT drawn_in('east', 'Etc/GMT+12');
ROLLBACK;
SELECT idgen_next('east');

-- as long as a transaction lasts, it is the day on which it began
BEGIN;
SELECT idgen_next('here') AS here \gset
SELECT pg_sleep(0.01);
SELECT idgen_next('here') - :here AS next, now() < clock_timestamp() AS later;
SELECT drawn_in('here', 'UTC') - :here AS also_next;
COMMIT;

DROP FUNCTION drawn_in;
DROP FUNCTION day_in;
DROP EXTENSION idgen;

\c -
--
-- Periods in the cache of the server: views, and refills by the worker
--
CREATE EXTENSION idgen;

-- what the views say
SELECT idgen_create('log', period => 'month', block_size => 5);
SELECT idgen_next('log/2001-01'), idgen_next('log') > 0;
SELECT regexp_replace(name, '[^/]\d[^0]\d-\d\d$', 'now') AS name, ids_issued, ids_cached FROM idgen_stats WHERE name LIKE 'log%' AND ids_issued > 0 ORDER BY 1;

-- the worker makes the children, so no number is issued twice
SELECT idgen_create('work', period => 'year', refill => 'worker', block_size => 10), idgen_create('work/*', period => 'year', refill => 'worker');
SELECT idgen_next('work'), idgen_next('work'), idgen_next('work/2001'), idgen_next('work/a'), idgen_next('work/b/2001');
BEGIN;
SELECT idgen_next('work/2002'), idgen_next('work/c');
ROLLBACK;
SELECT idgen_next('work/2002'), idgen_next('work/c');
SELECT regexp_replace(name, '/20[^0]\d$', '/now') AS name, template, period FROM id_sequences WHERE name LIKE 'work%' ORDER BY id_sequences.name;

-- nor does it make a row with periods for a role that may not see that
CREATE ROLE regress_idgen_clerk;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY ends ON id_sequences USING (name IN ('work/*', 'work/hidden/2001', 'work/shown', 'work/shown/2001'));
SET ROLE regress_idgen_clerk;
SELECT idgen_next('work/hidden/2001');
\echo :SQLSTATE
SELECT idgen_next('work/shown/2001');
RESET ROLE;
SELECT name FROM id_sequences WHERE name ~ 'hidden|shown' ORDER BY name;

-- nor can it make what a trigger suppresses: the call does not wait for long
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE INSERT ON id_sequences FOR EACH ROW WHEN (NEW.name ~ 'suppressed$') EXECUTE FUNCTION suppress();
SELECT idgen_next('work/suppressed/2001');
\echo :SQLSTATE
SELECT idgen_next_text('work/suppressed', '2001-02-03');
\echo :SQLSTATE
SELECT name FROM id_sequences WHERE name ~ 'suppressed';

DROP FUNCTION suppress CASCADE;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_clerk;
