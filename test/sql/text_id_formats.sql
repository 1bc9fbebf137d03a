--
-- Formats are checked when the row is written
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
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
