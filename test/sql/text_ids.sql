--
-- Text ids: idgen_next_text() writes an id as the row's format says
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
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
