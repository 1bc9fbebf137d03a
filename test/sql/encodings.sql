--
-- Names in databases of different encodings
--
CREATE DATABASE regress_idgen_utf8 ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
CREATE DATABASE regress_idgen_latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
\set start_database :DBNAME

\c regress_idgen_utf8
SET client_encoding = 'UTF8';
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES
	('Zähler', 100), ('Счётчик', 200), ('計數器', 300), ('🐘', 400), (U&'Za\0308hler', 500);
SELECT idgen_create(repeat('🐘', 255), 600);
SELECT idgen_next('Zähler'), idgen_next('Счётчик'), idgen_next('計數器'), idgen_next('🐘');

-- composed and decomposed look the same, but are not
SELECT idgen_next('Zähler'), idgen_next(U&'Za\0308hler');

-- nor is upper case
SELECT idgen_next('ZÄHLER');
\echo :SQLSTATE

-- 255 characters of four bytes each
SELECT idgen_next(repeat('🐘', 255)), idgen_next(repeat('🐘', 255));
\set VERBOSITY sqlstate
SELECT idgen_next(repeat('🐘', 255) || 'x');
SELECT idgen_next(repeat('🐘', 256));
SELECT idgen_create(repeat('🐘', 256));
\set VERBOSITY default
SELECT left(name, 3), first_id, last_id FROM idgen_cache ORDER BY first_id;

-- a format counts characters, too
\set SHOW_CONTEXT never
SELECT idgen_create('text', format => 'Ж{{🐘}}-{id:3}Ü');
SELECT idgen_next_text('text'), idgen_text_value('text', 'Ж{🐘}-042Ü');
SELECT idgen_create('long', format => repeat('🐘', 251) || '{id}');
SELECT octet_length(idgen_next_text('long')), idgen_text_value('long', repeat('🐘', 251) || '42');
SELECT idgen_create('longer', format => repeat('🐘', 252) || '{id}');
SELECT idgen_create('bad', format => '🐘{nosuch}');
UPDATE id_sequences SET format = 'Ж{id}🐘{MM}' WHERE name = 'text';
SELECT idgen_text_value('text', 'Ж1🐘x1');
SELECT idgen_text_value('text', 'Ж1Ж01');
SELECT idgen_text_value('text', '🐘');
-- the number would begin in the middle of a character
UPDATE id_sequences SET format = '{YYYY}-{id}' WHERE name = 'text';
SELECT idgen_text_value('text', 'ÜÜÜ7');
\set SHOW_CONTEXT errors
DROP EXTENSION idgen;

-- the same characters arrive as other bytes
\c regress_idgen_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION idgen;
SELECT idgen_create('Zähler', 100);
SELECT idgen_create(repeat('ä', 255), 200);
SELECT idgen_next('Zähler'), idgen_next(U&'Z\00E4hler');
SELECT idgen_next('ZÄHLER');
\echo :SQLSTATE
SELECT idgen_next(repeat('ä', 255));
SELECT octet_length(convert_to(name, 'LATIN1')), next_block_start FROM id_sequences ORDER BY next_block_start;
SELECT idgen_next('Счётчик');
\echo :SQLSTATE
SELECT left(name, 3), first_id, last_id FROM idgen_cache ORDER BY first_id;
SET client_encoding = 'LATIN1';
SELECT idgen_next(E'Z\344hler');
DROP EXTENSION idgen;

\c :start_database
DROP DATABASE regress_idgen_utf8;
DROP DATABASE regress_idgen_latin1;
