--
-- Text ids, written as a format says and read back
--
-- needs test/idgen.conf
--

--
-- Text ids: idgen_next_text() writes an id as the row's format says
--
-- A cache of the session's own is emptied by a change of a row.
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never
SELECT idgen_create('plain');
SELECT idgen_create('invoice', format => 'INV-{id:6}');
SELECT idgen_create('key', next_block_start => 9223372036854775806, format => 'cus_{id:base58:11}');

-- the same ids as idgen_next, from the same place
SELECT idgen_next_text('invoice'), idgen_next('invoice'), idgen_next_text('invoice'), idgen_last('invoice');
SELECT idgen_next_text('key');
-- no format: plain digits
SELECT idgen_next_text('plain'), pg_typeof(idgen_next_text('plain'));
-- null, and errors as for idgen_next
SELECT idgen_next_text(NULL), idgen_next_text('invoice', NULL), idgen_text_value(NULL, '1'), idgen_text_value('invoice', NULL);
SELECT idgen_next_text('none');
\echo :SQLSTATE
SELECT idgen_text_value('none', '1');
\echo :SQLSTATE
SELECT idgen_next_text('key');
SELECT idgen_next_text('key');
\echo :SQLSTATE

-- padded numbers grow
SELECT idgen_restart('invoice', 999998);
SELECT idgen_next_text('invoice') FROM generate_series(1, 4);

-- all bases
SELECT idgen_create('b' || base, 255, format => format('{id:base%s}/{id:base%s:12}', base, base))
	FROM unnest(ARRAY[10]) base;
\echo :SQLSTATE
SELECT idgen_create('b' || base, 123456789012345678, format => format('{id:base%s}', base))
	FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base;
SELECT base, idgen_next_text('b' || base), idgen_next_text('b' || base) FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base;
-- zeros are the base's own
SELECT idgen_create('z' || base, 0, format => format('{id:base%s:13}', base)) FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base;
SELECT base, idgen_next_text('z' || base), idgen_next_text('z' || base) FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base;

-- braces
SELECT idgen_create('braces', format => '{{{{{id}}}:{{id}}');
SELECT idgen_next_text('braces');

-- dates: those of a day that the call names, or of the transaction
SELECT idgen_create('day', format => '{YYYY}{YY}-{MM}-{DD}/{id}');
SELECT idgen_next_text('day', '2027-02-03'), idgen_next_text('day', at => '0001-12-31'), idgen_next_text('day', '9999-01-01');
BEGIN;
SET LOCAL TIME ZONE 'UTC';
SELECT idgen_next_text('day') = to_char(current_date, 'YYYYYY-MM-DD') || '/4';
SET LOCAL TIME ZONE 'Pacific/Kiritimati';
SELECT idgen_next_text('day') = to_char(now() AT TIME ZONE 'UTC', 'YYYYYY-MM-DD') || '/5';
COMMIT;
UPDATE id_sequences SET time_zone = 'Pacific/Kiritimati' WHERE name = 'day';
SELECT idgen_next_text('day') = to_char(now() AT TIME ZONE 'Pacific/Kiritimati', 'YYYYYY-MM-DD') || '/21';
UPDATE id_sequences SET time_zone = 'Pacific/Pago_Pago' WHERE name = 'day';
SELECT idgen_next_text('day') = to_char(now() AT TIME ZONE 'Pacific/Pago_Pago', 'YYYYYY-MM-DD') || '/41';
UPDATE id_sequences SET time_zone = 'Nowhere/Land' WHERE name = 'day';
\echo :SQLSTATE
SELECT idgen_next_text('day', '10000-01-01');
\echo :SQLSTATE
SELECT idgen_next_text('day', '0001-01-01 BC');
\echo :SQLSTATE
SELECT idgen_next_text('day', 'infinity');
\echo :SQLSTATE
-- none of these has taken an id; a format that shows no date takes any day
SELECT idgen_peek('day'), idgen_next_text('invoice', '2027-02-03');

-- a change of the format works from the next call on, or at commit
SELECT idgen_next_text('invoice');
BEGIN;
UPDATE id_sequences SET format = '{id}.' WHERE name = 'invoice';
SELECT idgen_next_text('invoice');
ROLLBACK;
SELECT idgen_next_text('invoice');
UPDATE id_sequences SET format = NULL WHERE name = 'invoice';
SELECT idgen_next_text('invoice');
UPDATE id_sequences SET format = 'R{id}' WHERE name = 'invoice';
SELECT idgen_next_text('invoice');

-- numbers below zero have a sign in front of their digits
SELECT idgen_create('negative', -1001, format => '#{id:3}#');
SELECT idgen_next_text('negative'), idgen_text_value('negative', '#-001#'), idgen_text_value('negative', '#001#');
CREATE SEQUENCE down_seq INCREMENT BY -2 MAXVALUE 3 START 3;
SELECT idgen_create('down', source => 'sequence', format => '<{id:base16:2}>');
SELECT string_agg(idgen_next_text('down'), ' ') FROM generate_series(1, 6);
SELECT idgen_create('least', (-9223372036854775808)::bigint, format => '{id:base62}');
SELECT idgen_text_value('least', id), id FROM idgen_next_text('least') id;

-- layouts compose the id, and that is written; big_base has no part in it
SELECT idgen_create('composed', layout => 'session', format => 'S{id}E');
SELECT idgen_next_text('composed');
\echo :SQLSTATE
ALTER SYSTEM SET idgen.node_id = 3;
SELECT pg_reload_conf();
\c -
SELECT idgen_text_value('composed', id) = idgen_last('composed'), id ~ '^S3\d{3}000000000000001E$' FROM idgen_next_text('composed') id;
ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
\c -
SELECT idgen_create('based', big_base => 1e30, format => 'B{id}');
SELECT idgen_next_text('based'), idgen_next_big('based');
SELECT idgen_text_value('based', 'B1');

-- every kind of caller
CREATE TABLE bills (
	id text PRIMARY KEY DEFAULT idgen_next_text('bill'),
	short varchar(8) DEFAULT idgen_next_text('bill'),
	line int);
SELECT idgen_create('bill', format => 'B-{id:4}{luhn}');
INSERT INTO bills (line) VALUES (1), (2) RETURNING *;
COPY bills (line) FROM STDIN;
3
4
\.
TABLE bills;
PREPARE draw (text) AS SELECT idgen_next_text($1);
EXECUTE draw ('bill');
EXECUTE draw ('plain');
DO $$
DECLARE
	name text;
	id text;
BEGIN
	FOREACH name IN ARRAY ARRAY['bill', 'plain', 'bill'] LOOP
		id := idgen_next_text(name);
		RAISE NOTICE '% %', id, idgen_text_value(name, id);
	END LOOP;
END $$;
UPDATE id_sequences SET format = 'BILL-{id:4}{luhn}' WHERE name = 'bill';
INSERT INTO bills (line) VALUES (5) RETURNING *;
\echo :SQLSTATE

-- whoever may not draw may not read either
CREATE ROLE regress_idgen_text;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_text;
SELECT idgen_next_text('plain');
\echo :SQLSTATE
SELECT idgen_text_value('plain', '1');
\echo :SQLSTATE
RESET ROLE;
DROP ROLE regress_idgen_text;
DROP TABLE bills;
DROP SEQUENCE down_seq CASCADE;
DROP EXTENSION idgen CASCADE;
\set SHOW_CONTEXT errors

\c -
--
-- Formats are checked when the row is written
--
-- A cache of the session's own is emptied by a change of a row.
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never

-- why a format is refused
CREATE FUNCTION refused(format text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	INSERT INTO id_sequences (name, next_block_start, format) VALUES ('x', 1, format);
	DELETE FROM id_sequences;
	RETURN 'valid';
EXCEPTION WHEN others THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || detail || ' ' || hint;
END $$;

INSERT INTO id_sequences (name, next_block_start, format) VALUES ('x', 1, 'INV-{id:6');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, format) VALUES ('x', 1, 'INV-{id:6}');
UPDATE id_sequences SET format = 'INV-' WHERE name = 'x';
\echo :SQLSTATE
SELECT idgen_next_text('x');
DELETE FROM id_sequences;

\pset format unaligned
\pset tuples_only on
SELECT quote_literal(format), refused(format) FROM unnest(ARRAY[
	'{id}', '{id:1}', '{id:06}', '{id:64}', '{id:base10}', '{id:base62:64}', 'a{{b}}c{id}', '{mod97}{id}', 'RF{mod97}{id:base36}',
	'{id:base36}{mod97}', '{YYYY}{YY}{MM}{DD}{YYYY}{id}', '{id}' || repeat('x', 251), repeat('x', 251) || '{id}',
	'', 'INV', '{id}{id}', '{id}-{id:base58}', '{id', 'id}', '{', '}', '{id}}', '{{id}', '{i{id}', '{}', '{ id}', '{ID}', '{yyyy}', '{YYY}', '{nosuch}',
	'{id:}', '{id:0}', '{id:65}', '{id:-1}', '{id:x}', '{id:6x}', '{id:99999}', '{id:4294967297}', '{id:6:6}', '{id:6:base58}',
	'{id:base}', '{id:base7}', '{id:base2}', '{id:base64}', '{id:base058}', '{id:base58:}', '{id:base58:0}', '{id:base58:11:}', '{id:base58 }', '{idx}',
	'{luhn}{id}', '{id}{luhn}{luhn}', '{id}{luhn}{mod97}', '{mod97}{id}{mod97}',
	'{id:base16}{luhn}', '{id:base58}{luhn}', '{id:base58}{mod97}', '{mod97}{id:base62}', '{id}{verhoeff}', '{id:3}{YYYY}{luhn}',
	'{id}' || repeat('x', 252), repeat('{', 600)]) WITH ORDINALITY AS f (format, n) ORDER BY n;
\pset format aligned
\pset tuples_only off

-- a format tells one period of the row from another
INSERT INTO id_sequences (name, next_block_start, format, period) VALUES
	('y', 1, '{YYYY}-{id}', 'year'), ('m', 1, '{YY}{MM}{id}', 'month'), ('d', 1, '{id}{DD}{MM}{YYYY}', 'day');
SELECT idgen_create('p', format => '{MM}-{id}', period => 'year');
SELECT idgen_create('p', format => '{YYYY}-{id}', period => 'month');
SELECT idgen_create('p', format => '{YYYY}-{MM}-{id}', period => 'day');
UPDATE id_sequences SET format = '{id}' WHERE period = 'month';
UPDATE id_sequences SET period = 'day' WHERE period = 'month';
SELECT name, format, period FROM id_sequences ORDER BY name;

-- by idgen_create as well
SELECT idgen_create('x', format => '{id:base59}');
\echo :SQLSTATE

-- if triggers were switched off, at the draw; nothing is lost
SELECT idgen_create('z', format => 'Z{id}');
SELECT idgen_next_text('z');
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET format = '{' WHERE name = 'z';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next_text('z');
\echo :SQLSTATE
UPDATE id_sequences SET format = '{id}Z' WHERE name = 'z';
SELECT idgen_next_text('z');

-- random ones are valid or not, and that is all; what is valid reads back
SELECT setseed(0.42);
CREATE FUNCTION random_format() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg((ARRAY['{id}', '{id:4}', '{id:base36}', '{id:base32:6}', '{YYYY}', '{MM}', '{DD}', '{luhn}', '{mod97}', '{{', '}}', '{', '}', ':', 'base',
		'0', '-', 'A', 'z', '{id:base', '7}', '{id:', '6'])[1 + floor(random() * 23)], ''), '')
	FROM generate_series(1, 1 + floor(random() * 6)::int)
$$;
DO $$
DECLARE
	format text;
	id text;
	valid int := 0;
BEGIN
	FOR i IN 1 .. 3000 LOOP
		format := random_format();
		BEGIN
			INSERT INTO id_sequences (name, next_block_start, format) VALUES ('r' || i, i * 12345, format);
		EXCEPTION WHEN invalid_parameter_value THEN
			CONTINUE;
		END;
		valid := valid + 1;
		id := idgen_next_text('r' || i, '2026-11-22');
		IF idgen_text_value('r' || i, id) <> i * 12345 THEN
			RAISE EXCEPTION 'format % does not read % back', format, id;
		END IF;
	END LOOP;
	RAISE NOTICE 'some were valid: %', valid > 100;
END $$;
DROP FUNCTION refused, random_format;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Columns that draw text ids: idgen_sync() and ownership know them
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('bill', format => 'B-{id:4}{luhn}', block_size => 10);
CREATE TABLE bills (id text DEFAULT idgen_next_text('bill') PRIMARY KEY, line int);
CREATE TABLE archive (id varchar(20) DEFAULT idgen_next_text('bill', '2026-11-22'), number bigint DEFAULT idgen_next('bill'));
INSERT INTO bills (line) VALUES (1), (2) RETURNING id;

-- nothing to do
SELECT idgen_sync('bills', 'id');
-- behind the greatest number, not the greatest text; other texts do not count
INSERT INTO bills VALUES ('B-00992'), ('B-100008'), ('B-00042'), ('C-99999'), ('99999'), ('B-999991');
SELECT idgen_sync('bills', 'id');
INSERT INTO bills (line) VALUES (3) RETURNING id;
-- what other columns have counts, by their own reading
INSERT INTO archive VALUES ('B-20008', 1);
INSERT INTO archive VALUES (NULL, 2500);
SELECT idgen_sync('bills', 'id');
INSERT INTO archive VALUES (DEFAULT, DEFAULT) RETURNING *;
SELECT idgen_sync('archive');
-- plain digits
SELECT idgen_create('digits');
CREATE TABLE digits (id char(10) DEFAULT idgen_next_text('digits'));
INSERT INTO digits VALUES ('77'), ('x'), ('078');
SELECT idgen_sync('digits', 'id');
INSERT INTO digits VALUES (DEFAULT) RETURNING id;
-- more texts than are read at a time, and rows of this transaction
BEGIN;
INSERT INTO digits SELECT i FROM generate_series(100, 3300) i;
SELECT idgen_sync('digits', 'id');
ROLLBACK;
SELECT idgen_sync('digits', 'id');
-- dates count for nothing
SELECT idgen_create('dated', format => '{YYYY}/{id}');
CREATE TABLE dated (id text DEFAULT idgen_next_text('dated'));
INSERT INTO dated VALUES ('1999/500'), ('2026/200'), ('2026/x');
SELECT idgen_sync('dated', 'id');

-- what cannot be moved
CREATE TABLE computed (id text DEFAULT 'x' || idgen_next_text('bill'));
SELECT idgen_sync('computed', 'id');
\echo :SQLSTATE
CREATE TABLE numbers (id int DEFAULT idgen_next_text('digits')::int);
SELECT idgen_sync('numbers', 'id');
\echo :SQLSTATE
ALTER TABLE dated ALTER id TYPE bytea USING id::bytea, ALTER id DROP DEFAULT;
CREATE TABLE names (id name DEFAULT idgen_next_text('dated'));
SELECT idgen_sync('names', 'id');
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'session' WHERE name = 'digits';
SELECT idgen_sync('digits', 'id');
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'plain' WHERE name = 'digits';

-- whoever may not read the column may not move
CREATE ROLE regress_idgen_text;
GRANT USAGE, CREATE ON SCHEMA public TO regress_idgen_text;
SELECT string_agg(what, ' ') FROM (SELECT idgen_sync() AS what) s WHERE what LIKE '%"digits"%';
GRANT UPDATE ON id_sequences TO regress_idgen_text;
SET ROLE regress_idgen_text;
SELECT idgen_sync('bills', 'id');
\echo :SQLSTATE
RESET ROLE;
REVOKE ALL ON SCHEMA public FROM regress_idgen_text;
REVOKE ALL ON id_sequences FROM regress_idgen_text;
DROP ROLE regress_idgen_text;

-- the columns can own the row
UPDATE id_sequences SET owned_by = 'bills.id' WHERE name = 'bill';
ALTER TABLE bills ALTER id TYPE varchar(40);
SELECT name, owned_by, max_value FROM id_sequences WHERE name = 'bill';
DROP TABLE bills;
SELECT name, owned_by FROM id_sequences WHERE name = 'bill';
ALTER TABLE archive DROP number, DROP id;
DROP TABLE computed;
SELECT name, owned_by FROM id_sequences WHERE name = 'bill';

-- a column of numbers that draws text ids is no column to adopt
SELECT idgen_adopt('digits', 'id');
\echo :SQLSTATE
SELECT idgen_adopt('numbers', 'id');
\echo :SQLSTATE
SELECT idgen_release('digits', 'id');
\echo :SQLSTATE
DROP TABLE archive, digits, dated, numbers, names;
DROP EXTENSION idgen;
