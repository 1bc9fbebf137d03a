--
-- Reading text ids back: what is none says why
--
CREATE EXTENSION idgen;

CREATE FUNCTION read(f text, id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	UPDATE id_sequences SET format = f WHERE name = 'x';
	RETURN idgen_text_value('x', id);
EXCEPTION WHEN others THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || coalesce(' | ' || nullif(detail, ''), '');
END $$;
SELECT idgen_create('x', format => 'INV-{YYYY}-{id:6}{luhn}');

SELECT idgen_text_value('x', 'INV-2026-0000428');
SELECT idgen_text_value('x', 'INV-2026-0000427');
\echo :SQLSTATE
\pset format unaligned
\pset tuples_only on
SELECT format('%s %L ', f, id), read(f, id) FROM (VALUES
	-- the beginning, the end, the length, the middle
	(1, 'INV-{id:6}', 'INV-000042'), (1, 'INV-{id:6}', 'inv-000042'), (1, 'INV-{id:6}', 'IN'), (1, 'INV-{id:6}', ''), (1, 'INV-{id:6}', 'INV-'), (1, 'INV-{id:6}', ' INV-000042'),
	(2, '{id}.', '42.'), (2, '{id}.', '42'), (2, '{id}.', '.'), (2, '{id}{{', '42{'),
	(3, '{id}/{YYYY}-a', '42/2026-a'), (3, '{id}/{YYYY}-a', '42-2026-a'), (3, '{id}/{YYYY}-a', '2026-a'),
	(4, '{MM}!{id}', '12!7'), (4, '{MM}!{id}', '12?7'),
	-- the number
	(5, 'INV-{id:6}', 'INV-42'), (5, 'INV-{id:6}', 'INV-0000042'), (5, 'INV-{id:6}', 'INV-1000000'), (5, 'INV-{id:6}', 'INV-00004x'), (5, 'INV-{id:6}', 'INV-+00042'),
	(5, 'INV-{id:6}', 'INV--000042'), (5, 'INV-{id:6}', 'INV--000000'), (5, 'INV-{id:6}', 'INV--'), (5, 'INV-{id:6}', 'INV-000 42'),
	(6, '{id}', '9223372036854775807'), (6, '{id}', '9223372036854775808'), (6, '{id}', '-9223372036854775808'), (6, '{id}', '-9223372036854775809'),
	(6, '{id}', '18446744073709551616'), (6, '{id}', repeat('9', 128)), (6, '{id}', repeat('9', 129)), (6, '{id}', '007'), (6, '{id}', '0'), (6, '{id}', '1e3'),
	(7, '{id:base16}', 'ff'), (7, '{id:base16}', 'FF'), (7, '{id:base16}', '0FF'), (7, '{id:base16}', 'FG'), (7, '{id:base36}', 'zZ'),
	(8, '{id:base58}', 'zz'), (8, '{id:base58}', 'ZZ'), (8, '{id:base58}', '0'), (8, '{id:base58}', 'l'), (8, '{id:base62}', 'aA'), (8, '{id:base62}', 'Aa'),
	-- base 32 is forgiving, as its author says
	(9, '{id:base32:8}', '0000016J'), (9, '{id:base32:8}', 'ooooOiIl'), (9, '{id:base32:8}', '0000-016j'), (9, '{id:base32:8}', '-0000-016j'), (9, '{id:base32:8}', '0000016J-'),
	(9, '{id:base32:8}', '0000016U'), (9, '{id:base32:8}-{mod97}', '0-0-0-0-016j-72'), (9, '{id:base32:8}-{mod97}', 'oooo016j-72'), (9, '{id:base32:8}-{mod97}', '0000016K-72'),
	-- the date
	(10, '{YYYY}{MM}{DD}{id}', '202602281'), (10, '{YYYY}{MM}{DD}{id}', '202602291'), (10, '{YYYY}{MM}{DD}{id}', '202402291'), (10, '{MM}{DD}{id}', '02291'), (10, '{YY}{MM}{DD}{id}', '2502291'),
	(10, '{YYYY}{id}', '00001'), (10, '{YYYY}{id}', '99991'), (10, '{YYYY}{id}', '2o261'), (10, '{MM}{id}', '131'), (10, '{DD}{id}', '001'), (10, '{id}{DD}', '131'), (10, '{id}{DD}', '132'),
	(10, '{YYYY}/{YY}/{id}', '2026/26/1'), (10, '{YYYY}/{YY}/{id}', '2026/25/1'), (10, '{YY}/{YYYY}/{id}', '99/1999/1'), (10, '{MM}{id}{MM}', '12512'), (10, '{MM}{id}{MM}', '12511'),
	-- check digits
	(11, '{id}{luhn}', '79927398713'), (11, '{id}{luhn}', '79927398710'), (11, '{id}{luhn}', '7992739871x'), (11, 'RF{mod97}{id}', 'RF18539007547034'), (11, 'RF{mod97}{id}', 'RF19539007547034'),
	(11, 'RF{mod97}{id}', 'RFxx539007547034'), (11, '{id}{mod97}', '79444'), (11, '{id}{mod97}', '7944')
	) v (n, f, id);
\pset format aligned
\pset tuples_only off

-- one text or many, in an index or not; by whom it is prepared
CREATE TABLE bills (id text PRIMARY KEY);
UPDATE id_sequences SET format = 'B{id:5}' WHERE name = 'x';
INSERT INTO bills SELECT idgen_next_text('x') FROM generate_series(1, 1000);
SELECT sum(idgen_text_value('x', id)), min(id), max(id) FROM bills;
PREPARE value (text, text) AS SELECT idgen_text_value($1, $2);
EXECUTE value ('x', 'B00017');
UPDATE id_sequences SET format = 'C{id}' WHERE name = 'x';
EXECUTE value ('x', 'B00017');
\echo :SQLSTATE
EXECUTE value ('x', 'C17');

-- it reads in a read-only transaction, too; a query with it is not parallel
BEGIN READ ONLY;
EXECUTE value ('x', 'C17');
COMMIT;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT sum(idgen_text_value('x', 'C' || length(id))) FROM bills;
SELECT sum(idgen_text_value('x', 'C' || length(id))) FROM bills;
-- it draws nothing, and makes no row
SET idgen.auto_create = on;
SELECT idgen_text_value('y', '1');
\echo :SQLSTATE
SELECT name FROM id_sequences;
DROP TABLE bills;
DROP FUNCTION read;
DROP EXTENSION idgen;
