--
-- Which native sequence an id sequence's name and source_name stand for
--
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;
CREATE SCHEMA "Regress B";
CREATE SEQUENCE gen_seq START 100 INCREMENT 10;
CREATE SEQUENCE "Gen_seq" START 200 INCREMENT 10;
CREATE SEQUENCE "my gen_seq" START 300 INCREMENT 10;
CREATE SEQUENCE "a.b_seq" START 400 INCREMENT 10;
CREATE SEQUENCE "with ""quotes""_seq" START 500 INCREMENT 10;
CREATE SEQUENCE regress_a.gen_seq START 1000 INCREMENT 10;
CREATE SEQUENCE regress_a."Gen_seq" START 2000 INCREMENT 10;
CREATE SEQUENCE "Regress B".gen_seq START 3000 INCREMENT 10;
CREATE SEQUENCE "Regress B"."Gen_seq" START 4000 INCREMENT 10;

-- no row: read as the argument of nextval() is, with _seq added to the name
SELECT idgen_next('gen', 'sequence');
SELECT idgen_next('"Gen"', 'sequence');
SELECT idgen_next('"my gen"', 'sequence');
SELECT idgen_next('"a.b"', 'sequence');
SELECT idgen_next('"with ""quotes"""', 'sequence');
SELECT idgen_next('regress_a.gen', 'sequence');
SELECT idgen_next('regress_a."Gen"', 'sequence');
SELECT idgen_next('"Regress B".gen', 'sequence');
SELECT idgen_next('"Regress B"."Gen"', 'sequence');
SELECT idgen_next(current_database() || '.regress_a.gen', 'sequence');
CREATE TEMPORARY SEQUENCE temporary_seq START 5000 INCREMENT 10;
SELECT idgen_next('pg_temp.temporary', 'sequence');

-- what folds to the same is another id sequence that draws from the same one
SELECT idgen_next('GEN', 'sequence'), idgen_next('Gen', 'sequence'), idgen_next(' gen ', 'sequence'),
	idgen_next('"gen"', 'sequence'), idgen_next('public.gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_next('Regress_A . Gen', 'sequence'), idgen_next('regress_a.gen', 'sequence');

-- names as long as can be
CREATE SEQUENCE s23456789012345678901234567890123456789012345678901234567890_seq START 6000 INCREMENT 10;
SELECT idgen_next('s23456789012345678901234567890123456789012345678901234567890', 'sequence');
SELECT nextval('s23456789012345678901234567890123456789012345678901234567890_seq');
SELECT idgen_next(repeat('n', 100), 'sequence');
CREATE SEQUENCE nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn START 7000 INCREMENT 10;
SELECT idgen_next(repeat('n', 100), 'sequence');

-- a row whose source_name is null: the same rule
INSERT INTO id_sequences (name, next_block_start, source) VALUES
	('gen', 1, 'sequence'), ('"Gen"', 1, 'sequence'), ('"Regress B".gen', 1, 'sequence'), ('GEN', 1, 'sequence');
SELECT idgen_next('gen') / 100 AS a, idgen_next('"Gen"') / 100 AS b, idgen_next('"Regress B".gen') / 100 AS c,
	idgen_next('GEN') / 100 AS d;

-- with a source_name, the name of the id sequence may be anything
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('plain', 1, 'sequence', 'gen_seq'), ('folded', 1, 'sequence', 'GEN_SEQ'),
	('quoted', 1, 'sequence', '"Gen_seq"'), ('qualified', 1, 'sequence', 'regress_a.gen_seq'),
	('both', 1, 'sequence', '"Regress B"."Gen_seq"'), ('not a name', 1, 'sequence', 'public.gen_seq');
SELECT name, idgen_next(name) / 1000 AS thousands
	FROM id_sequences WHERE source_name IS NOT NULL ORDER BY name;
SELECT idgen_create('created', source => 'sequence', source_name => 'regress_a."Gen_seq"');
SELECT source, source_name FROM id_sequences WHERE name = 'created';
SELECT idgen_next('created');

-- which sequence it has become
SELECT name, source_name FROM idgen_stats
	WHERE name IN ('gen', 'GEN', 'regress_a.gen', 'folded', 'both', 'qualified') ORDER BY name, source_name;

-- another one, from the next draw on
UPDATE id_sequences SET source_name = 'regress_a.gen_seq' WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
BEGIN;
UPDATE id_sequences SET source_name = '"Regress B".gen_seq' WHERE name = 'gen';
SELECT idgen_next('gen') / 1000 AS thousands;
ROLLBACK;
SELECT idgen_next('gen') / 1000 AS thousands;

DROP SEQUENCE gen_seq, "Gen_seq", "my gen_seq", "a.b_seq", "with ""quotes""_seq", temporary_seq,
	s23456789012345678901234567890123456789012345678901234567890_seq,
	nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn;
SET client_min_messages = warning;
DROP SCHEMA regress_a, "Regress B" CASCADE;
DROP EXTENSION idgen;
