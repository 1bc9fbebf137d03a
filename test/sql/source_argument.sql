--
-- The second argument: which source the id sequence is expected to have
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 100 INCREMENT 10;
CREATE SEQUENCE other_seq START 200 INCREMENT 10;
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record
	LANGUAGE sql AS $$SELECT 300, 309$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('t', 1, 'table', NULL), ('s', 1, 'sequence', 'other_seq'), ('f', 1, 'function', 'public.allocate');

-- the right one
SELECT idgen_next('t', 'table'), idgen_next('s', 'sequence'), idgen_next('f', 'function');
SELECT idgen_next_big('t', 'table'), idgen_next_big('s', 'sequence'), idgen_next_big('f', 'function');
SELECT idgen_peek('t'), idgen_peek('s'), idgen_peek('f');
SELECT idgen_last('t'), idgen_last('s'), idgen_last('f');
SELECT idgen_next('t'), idgen_next('s'), idgen_next('f');

-- another one
SELECT idgen_next('t', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('t', 'function');
\echo :SQLSTATE
SELECT idgen_next('s', 'table');
\echo :SQLSTATE
SELECT idgen_next('s', 'function');
\echo :SQLSTATE
SELECT idgen_next('f', 'table');
\echo :SQLSTATE
SELECT idgen_next_big('s', 'table');
\echo :SQLSTATE

-- one that there is not, or not yet
SELECT idgen_next('t', 'tables');
\echo :SQLSTATE
SELECT idgen_next('t', '');
\echo :SQLSTATE
SELECT idgen_next('t', 'Table');
\echo :SQLSTATE
SELECT idgen_next('t', 'server');
\echo :SQLSTATE

-- none of these has drawn anything
SELECT idgen_next('t'), idgen_next('s'), idgen_next('f');

-- null
SELECT idgen_next('t', NULL), idgen_next(NULL, 'table'), idgen_next_big('t', NULL);
SELECT idgen_next('t');

-- no row: an id sequence only if its source is a native sequence
SELECT idgen_next('gen', 'table');
\echo :SQLSTATE
SELECT idgen_next('gen', 'function');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- names and sources from columns, in one call site
CREATE TABLE call (n integer, name text, source text);
INSERT INTO call VALUES (1, 't', 'table'), (2, 's', 'sequence'), (3, 's', 'sequence'), (4, 'f', 'function'),
	(5, NULL, 'table'), (6, 't', NULL), (7, 't', 'table'), (8, 'gen', 'sequence');
SELECT n, name, source, idgen_next(name, source) FROM call ORDER BY n;
SELECT n, source, idgen_next('gen', source) FROM call WHERE source = 'sequence' ORDER BY n;
SELECT n, name, idgen_next(name, 'sequence') FROM call WHERE source = 'sequence' ORDER BY n;
SELECT idgen_next('t', source) FROM (SELECT source FROM call WHERE n IN (1, 2) ORDER BY n) AS c;
\echo :SQLSTATE
CREATE FUNCTION draw(name text, source text) RETURNS bigint LANGUAGE plpgsql AS
	$$BEGIN RETURN idgen_next(name, source); END$$;
SELECT draw('t', 'table'), draw('s', 'sequence'), draw('t', 'table'), draw('t', NULL);
SELECT draw('t', 'sequence');
\echo :SQLSTATE
SELECT draw('t', 'table');

-- without a row, with one, and without, by the same statement
PREPARE draw AS SELECT idgen_next('gen', 'sequence'), idgen_next_big('gen', 'sequence');
EXECUTE draw;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base)
	VALUES ('gen', 1, 'sequence', 'other_seq', 10000);
EXECUTE draw;
UPDATE id_sequences SET source = 'table', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('gen', 'table'), idgen_next('gen'), idgen_last('gen');
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'table');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own, idgen_last('gen') < 200 AS last;

-- the same, rolled back
BEGIN;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base)
	VALUES ('gen', 1, 'sequence', 'other_seq', 10000);
SELECT idgen_next_big('gen', 'sequence') > 10000 AS of_the_row;
ROLLBACK;
SELECT idgen_next_big('gen', 'sequence') < 200 AS of_its_own;
BEGIN;
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('gen', 1, 'table');
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', 'other_seq');
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen', 'sequence') >= 200 AS of_the_row;
TRUNCATE id_sequences;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;

-- idgen.auto_create makes rows of the source that it knows
SET idgen.auto_create = on;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
SELECT idgen_next('new', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('new', 'function');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences;
SELECT idgen_next('new', 'table');
SELECT idgen_next('newer');
SELECT idgen_next('gen');
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT name, source, next_block_start FROM id_sequences ORDER BY name;
RESET idgen.auto_create;

-- other types
SELECT idgen_next('gen'::varchar, 'table'::name) < idgen_next(name => 'gen', source => 'table') AS ascending;
\set VERBOSITY terse
SELECT idgen_next('gen', 1);
\set VERBOSITY default
\echo :SQLSTATE

DEALLOCATE draw;
DROP FUNCTION draw, allocate;
DROP TABLE call;
DROP SEQUENCE gen_seq, other_seq;
DROP EXTENSION idgen;
