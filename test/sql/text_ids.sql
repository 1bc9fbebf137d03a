--
-- Text ids, written as a format says and read back
--

--
-- Check digits are those of the standards, and notice what these say
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');

-- the text id that a format makes of a number
CREATE FUNCTION written(f text, id bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET format = f WHERE name = 'x';
	PERFORM idgen_restart('x', id);
	RETURN idgen_next_text('x', '2026-11-22');
END $$;
-- is it a text id of the format that was used last?
CREATE FUNCTION is_valid(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_text_value('x', id);
	RETURN true;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range THEN
	RETURN false;
END $$;

-- ISO/IEC 7812-1: its example, and card numbers that are published for tests
SELECT written('{id}{luhn}', 7992739871), written('4{id:14}{luhn}', 11111111111111), written('{id}{luhn}', 37828224631000);
-- ISO/IEC 7064: its example
SELECT written('{id}{mod97}', 794);
-- IBANs of ISO 13616, a creditor reference of ISO 11649, and a LEI of ISO 17442
SELECT written('GB{mod97}WEST{id:14}', 12345698765432), written('DE{mod97}37040044{id:10}', 532013000), written('RF{mod97}{id}', 539007547034);
SELECT written('529900T8BM49AURS{id:base36}{mod97}', 13 * 36 + 24);
-- literal digits, a year, and letters count; other characters do not
SELECT written('1-{YYYY}.{id:4}/{luhn}', 7), written('{id}{luhn}', 120260007);
SELECT written('ab{id:3}{mod97}', 7), written('AB-{id:3} {mod97}', 7);
SELECT written('{mod97}{id}', 0), written('{id}{luhn}', 0);

-- each wrong digit, and two adjacent ones that have changed places
CREATE FUNCTION unnoticed(f text, id bigint, digits text, part text) RETURNS TABLE (wrong_digit bigint, changed_places bigint) LANGUAGE sql AS $$
	WITH written AS MATERIALIZED (SELECT written(f, id) AS w),
	places AS (SELECT w, p FROM written, generate_series(1, length(w)) p WHERE substr(w, p, 1) ~ part)
	SELECT (SELECT count(*) FROM places, regexp_split_to_table(digits, '') d
			WHERE substr(w, p, 1) <> d AND is_valid(overlay(w PLACING d FROM p))),
		(SELECT count(*) FROM places WHERE p < length(w) AND substr(w, p, 1) <> substr(w, p + 1, 1)
			AND is_valid(overlay(w PLACING substr(w, p + 1, 1) || substr(w, p, 1) FROM p)))
$$;
SELECT f, id, u.* FROM (VALUES ('{id:9}{luhn}', 123456781), ('{id:9}{luhn}', 100901567),
	('{id:9}{mod97}', 100901567), ('{mod97}{id:9}', 987654321)) v (f, id),
	unnoticed(f, id, '0123456789', '[0-9]') u;
-- where letters and digits change, one mistake of 97 is not noticed
SELECT f, id, u.* FROM (VALUES ('{id:base36:9}{mod97}', 100901567890), ('{id:base16:9}{mod97}', 987654321)) v (f, id),
	unnoticed(f, id, '0123456789ABCDEF', '[0-9A-Z]') u;
DROP FUNCTION written, is_valid, unnoticed;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- What is written is read back, whatever the format and the number
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');

-- what surrounds the number: also what could be taken for a part of it
CREATE TABLE around (before text, behind text);
INSERT INTO around VALUES
	('', ''), ('INV-', ''), ('', '-X'), ('0', ''), ('1', ''), ('', '0'), ('', '7'), ('123', '456'), ('-', ''), ('', '-'), ('-', '-'), ('Z', 'z'), ('ILO', 'ilo'),
	('{YYYY}', ''), ('', '{YYYY}'), ('{YYYY}{MM}', '{DD}'), ('A{YY}0', '{YYYY}-{MM}'), ('{{', '}}'),
	('', '{mod97}'), ('{mod97}', ''), ('RF{mod97}', ''), ('DE{mod97}12', '34'), ('1{YYYY}', '0{mod97}9'), ('', '{luhn}'), ('4{YY}-', '-{luhn}/{MM}');
CREATE TABLE number (field text);
INSERT INTO number SELECT '{id}' UNION ALL SELECT '{id:6}' UNION ALL
	SELECT format('{id:base%s%s}', base, width) FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base, unnest(ARRAY['', ':1', ':7', ':20', ':64']) width;
CREATE TABLE value (value bigint, turn integer GENERATED ALWAYS AS IDENTITY);
INSERT INTO value VALUES (0), (1), (9), (10), (15), (16), (31), (32), (57), (58), (61), (62), (97), (999999), (1000000), (2147483647), (2147483648),
	(123456789012345678), (9223372036854775807), (9223372036854775806), (-1), (-58), (-999999), (-9223372036854775808);
SELECT setseed(0.22);
INSERT INTO value SELECT (random() * 10 ^ (random() * 18))::bigint FROM generate_series(1, 20);

-- each value is in turn with every ninth format
DO $$
DECLARE
	f text;
	formats integer := 0;
	v bigint;
	id text;
	n bigint := 0;
BEGIN
	FOR f IN SELECT before || field || behind FROM around, number
		WHERE (field ~ '(id|id:6|base10.*)}' OR behind !~ 'luhn') AND (field !~ 'base(58|62)' OR before || behind !~ 'mod97') ORDER BY 1
	LOOP
		UPDATE id_sequences SET format = f WHERE name = 'x';
		formats := formats + 1;
		FOR v IN SELECT value FROM value WHERE turn % 9 = formats % 9 LOOP
			PERFORM idgen_restart('x', v);
			id := idgen_next_text('x', '2027-03-09');
			IF idgen_text_value('x', id) <> v OR idgen_last('x') <> v THEN
				RAISE EXCEPTION 'format % writes % as %, and reads %', f, v, id, idgen_text_value('x', id);
			END IF;
			n := n + 1;
		END LOOP;
		COMMIT;
	END LOOP;
	RAISE NOTICE '% formats, % texts', formats, n;
END $$;
DROP TABLE around, number, value;
DROP EXTENSION idgen;
