--
-- Text ids of rows with periods: each period has its own numbers and its date
--
-- needs test/idgen.conf
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
