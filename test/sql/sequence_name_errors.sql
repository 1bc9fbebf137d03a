--
-- Names that stand for no native sequence
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;

-- 42602: not a name, given as that of the id sequence, ...
SELECT idgen_next('', 'sequence');
\echo :SQLSTATE
SELECT idgen_next(' ', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('my gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('"gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('"gen"x', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('""', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('gen.', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_a..gen', 'sequence');
\echo :SQLSTATE

-- ... and as source_name: refused before it is stored
SELECT idgen_create('gen', source => 'sequence', source_name => 'my seq');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', source_name => '');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', 'my seq');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', '"');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'table', 'my seq');
UPDATE id_sequences SET source = 'sequence' WHERE name = 'gen';
\echo :SQLSTATE
DELETE FROM id_sequences;

-- a name that is none, with a source_name that is one, later
SELECT idgen_create('my gen', source => 'sequence');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('my gen', 1, 'sequence');
SELECT idgen_next('my gen');
\echo :SQLSTATE
CREATE SEQUENCE good_seq INCREMENT 10;
UPDATE id_sequences SET source_name = 'good_seq' WHERE name = 'my gen';
SELECT idgen_next('my gen');

-- too many parts, and another database
SELECT idgen_next('a.b.c.d', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_no_such_database.regress_a.gen', 'sequence');
\echo :SQLSTATE

-- no such sequence: without a row, there is no id sequence
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next_big('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_no_such_schema.gen', 'sequence');
\echo :SQLSTATE
DO $$
BEGIN
	PERFORM idgen_next(repeat('x', 2000), 'sequence');
EXCEPTION WHEN undefined_object THEN
	RAISE NOTICE 'too long';
END$$;

-- with one, its source fails
SELECT idgen_create('gen', source => 'sequence');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', source_name => 'regress_a.other');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('gen', 1, 'sequence', NULL), ('other', 1, 'sequence', 'regress_a.other'), ('third', 1, 'sequence', 'regress_c.x');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_next('other');
\echo :SQLSTATE
SELECT idgen_next('third');
\echo :SQLSTATE

-- as soon as there is one, they work
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE regress_a.other START 50 INCREMENT 10;
SELECT idgen_next('gen'), idgen_next('other');
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'sequence') > 0 AS drawn;

-- 42809: something else has that name
CREATE TABLE not_sequence_seq (id serial PRIMARY KEY);
CREATE VIEW view_seq AS SELECT 1 AS last_value;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('table', 1, 'sequence', 'not_sequence_seq'), ('index', 1, 'sequence', 'not_sequence_seq_pkey');
SELECT idgen_next('not_sequence', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('view', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('table');
\echo :SQLSTATE
SELECT idgen_next('index');
\echo :SQLSTATE
SELECT idgen_peek('table');
\echo :SQLSTATE
SELECT idgen_restart('table', 1);
\echo :SQLSTATE
SELECT idgen_create('another', source => 'sequence', source_name => 'view_seq');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'not_sequence_seq_id_seq' WHERE name = 'table';
SELECT idgen_next('table');

DROP TABLE not_sequence_seq;
DROP VIEW view_seq;
DROP SEQUENCE good_seq, gen_seq, regress_a.other;
DROP SCHEMA regress_a;
DROP EXTENSION idgen;
