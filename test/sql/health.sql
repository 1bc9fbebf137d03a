--
-- View idgen_health: how much each id sequence has left, and what is wrong
--
CREATE EXTENSION idgen;
CREATE VIEW left_of_all AS SELECT name, source, source_name, refill, limit_value, limited_by, percent_left FROM idgen_health WHERE name IS NOT NULL;
CREATE VIEW problems AS SELECT name, problem_kind, problem FROM idgen_health WHERE name IS NOT NULL;

-- one row for each row of id_sequences from which ids come, used or not
CREATE SEQUENCE native_seq MAXVALUE 1000;
CREATE SEQUENCE "Down" INCREMENT -10 MINVALUE -100 MAXVALUE -1 START -1;
CREATE SEQUENCE round_seq MAXVALUE 10 CYCLE;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'VALUES (1::bigint, 10::bigint)';
SELECT idgen_create('fresh');
SELECT idgen_create('half', max_value => 1000);
SELECT idgen_create('auto', refill => 'auto');
SELECT idgen_create('native', source => 'sequence');
SELECT idgen_create('down', source => 'sequence', source_name => '"Down"');
SELECT idgen_create('round', source => 'sequence');
SELECT idgen_create('function', source => 'function', source_name => 'allocate');
SELECT idgen_create('composed', layout => 'prefixed', block_size => 1000);
SELECT idgen_create('template/*');
SELECT idgen_create('yearly', period => 'year');
SELECT idgen_next('template/child');
SELECT count(idgen_next('half')) FROM generate_series(1, 500);
SELECT idgen_next('native') FROM generate_series(1, 3);
SELECT idgen_next('down');
SELECT idgen_next('round');
TABLE left_of_all;
TABLE problems;

-- a native sequence without a row, once the cache knows it
CREATE SEQUENCE bare_seq INCREMENT 20 MAXVALUE 200;
SELECT idgen_next('bare', 'sequence');
SELECT * FROM left_of_all WHERE name = 'bare';
DROP SEQUENCE bare_seq;
SELECT * FROM left_of_all WHERE name = 'bare';

-- little is left, or nothing
UPDATE id_sequences SET next_block_start = 951, max_value = 1000 WHERE name = 'half';
ALTER SEQUENCE native_seq MAXVALUE 21;
SELECT * FROM problems WHERE problem IS NOT NULL;
SET idgen.warn_remaining = 2;
SELECT * FROM problems WHERE problem IS NOT NULL;
RESET idgen.warn_remaining;
SELECT count(idgen_next('half')) FROM generate_series(1, 50);
SELECT setval('native_seq', 21);
UPDATE id_sequences SET exhausted = 1 WHERE name = 'fresh';
UPDATE id_sequences SET next_block_start = 100000000000000 WHERE name = 'composed';
SELECT setval('"Down"', -100);
SELECT * FROM problems WHERE problem IS NOT NULL;
SELECT name, percent_left FROM idgen_health WHERE percent_left = 0;
UPDATE id_sequences SET max_value = 2000, exhausted = 0 WHERE name = 'half';
UPDATE id_sequences SET exhausted = 0 WHERE name = 'fresh';
SELECT idgen_create('scrambled', layout => 'scrambled', max_value => 10);
SELECT count(idgen_next('scrambled')) FROM generate_series(1, 10);
SELECT idgen_create('at the end', next_block_start => 9223372036854775800);
SELECT count(idgen_next('at the end')) FROM generate_series(1, 8);
SELECT idgen_create('last block', max_value => 20);
SELECT idgen_next('last block');
SELECT * FROM problems WHERE name IN ('half', 'fresh', 'scrambled', 'at the end', 'last block');
-- what is used up already is so at once
SELECT name, used_up_on - now() < '1 minute' AS used_up FROM idgen_health WHERE used_up_on IS NOT NULL;
DELETE FROM id_sequences WHERE name NOT IN ('function', 'native');
DROP SEQUENCE "Down", round_seq;

-- a source is missing
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('server', source => 'server', source_name => 'central');
SELECT * FROM problems WHERE name IN ('function', 'server');
DROP SERVER central;
DROP SEQUENCE native_seq;
DROP FUNCTION allocate;
TABLE problems;
UPDATE id_sequences SET source_name = NULL WHERE name = 'server';
UPDATE id_sequences SET source_name = 'no_such_schema.s' WHERE name = 'native';
TABLE problems;
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
SELECT name, source_name, problem_kind, problem FROM idgen_health WHERE name IS NOT NULL;
DELETE FROM id_sequences;

-- a row that nobody has checked does not keep the others from being shown
SELECT idgen_create('a');
SELECT idgen_create('b');
SELECT idgen_create('c');
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET source = 'nonsense' WHERE name = 'b';
UPDATE id_sequences SET layout = 'nonsense' WHERE name = 'c';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
INSERT INTO id_sequences (name, next_block_start) VALUES ('d', 1);
SELECT name, source, refill, percent_left, problem_kind, problem FROM idgen_health WHERE name IS NOT NULL;

-- what is written and not committed
BEGIN;
DELETE FROM id_sequences WHERE name IN ('b', 'c');
UPDATE id_sequences SET max_value = 10 WHERE name = 'a';
TABLE left_of_all;
ROLLBACK;

-- a serializable transaction does not remember that it has looked
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM idgen_health WHERE name IS NOT NULL;
SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 'id_sequences'::regclass;
ROLLBACK;

-- ids that a column cannot hold
DELETE FROM id_sequences;
SELECT idgen_create('small', block_size => 10);
SELECT idgen_create('prefixed', layout => 'prefixed');
SELECT idgen_create('secret', layout => 'scrambled', max_value => 100000);
SELECT idgen_create('owned');
CREATE TABLE takers (
	small smallint DEFAULT idgen_next('small'),
	big integer DEFAULT idgen_next('small'),
	prefixed integer DEFAULT idgen_next('prefixed'),
	secret smallint DEFAULT idgen_next('secret'),
	owned integer
);
UPDATE id_sequences SET owned_by = 'takers.owned' WHERE name = 'owned';
UPDATE id_sequences SET next_block_start = 32001 WHERE name = 'small';
SELECT name, columns, limit_value, limited_by FROM idgen_health WHERE name IS NOT NULL;
TABLE problems;
ALTER TABLE takers ALTER small TYPE integer, ALTER prefixed TYPE bigint, ALTER secret TYPE integer;
SELECT name, limit_value, limited_by, problem FROM idgen_health WHERE name IS NOT NULL;
DROP TABLE takers;
-- ... but it holds those of a native sequence that begins anew before
CREATE SEQUENCE round_seq MAXVALUE 30000 CYCLE;
SELECT idgen_create('round', source => 'sequence');
CREATE TABLE takers (round smallint DEFAULT idgen_next('round'), big smallint DEFAULT nextval('round_seq'));
SELECT setval('round_seq', 29999);
SELECT limit_value, limited_by, percent_left, problem FROM idgen_health WHERE name = 'round';
SELECT column_name, limit_value, limited_by, percent_used FROM idgen_columns WHERE relation = 'takers'::regclass;
ALTER SEQUENCE round_seq MAXVALUE 40000;
SELECT limit_value, limited_by, problem FROM idgen_health WHERE name = 'round';
DROP TABLE takers;
DELETE FROM id_sequences WHERE name = 'round';
DROP SEQUENCE round_seq;
-- ... nor those that descend
CREATE SEQUENCE down_seq INCREMENT -10 MINVALUE -100000 START -32001;
SELECT idgen_create('down', source => 'sequence');
CREATE TABLE takers (down smallint DEFAULT idgen_next('down'));
INSERT INTO takers DEFAULT VALUES;
SELECT limit_value, limited_by, percent_left, problem FROM idgen_health WHERE name = 'down';
SELECT setval('down_seq', -32761);
SELECT percent_left, problem FROM idgen_health WHERE name = 'down';
SELECT idgen_next('down') FROM generate_series(1, 10);
SELECT percent_left, problem FROM idgen_health WHERE name = 'down';
SELECT limit_value, limited_by, percent_used FROM idgen_columns WHERE relation = 'takers'::regclass;
DROP TABLE takers;
DROP SEQUENCE down_seq;

-- a column has ids that are still to be issued
DELETE FROM id_sequences;
SELECT idgen_create('t', block_size => 10);
CREATE TABLE ahead (id integer PRIMARY KEY DEFAULT idgen_next('t'), other bigint);
INSERT INTO ahead SELECT FROM generate_series(1, 3);
TABLE problems;
BEGIN;
INSERT INTO ahead VALUES (50);
ROLLBACK;
TABLE problems;
INSERT INTO ahead VALUES (100);
TABLE problems;
SELECT idgen_sync('ahead', 'id');
TABLE problems;
INSERT INTO ahead VALUES (1000);
DELETE FROM ahead WHERE id = 1000;
TABLE problems;
INSERT INTO ahead VALUES (2147483647);
TABLE problems;
-- ... of which an index tells, or none
ALTER TABLE ahead DROP CONSTRAINT ahead_pkey;
TABLE problems;
CREATE INDEX ahead_some ON ahead (id) WHERE id > 0;
CREATE INDEX ahead_not_first ON ahead (other, id);
CREATE INDEX ahead_expression ON ahead ((id - 1));
CREATE INDEX ahead_hash ON ahead USING hash (id);
TABLE problems;
CREATE INDEX ahead_down ON ahead (id DESC);
TABLE problems;
DROP INDEX ahead_down;
CREATE UNIQUE INDEX ahead_two ON ahead (id, other);
TABLE problems;
-- ... with nulls; in a table with nothing else, or with nothing
ALTER TABLE ahead ALTER id DROP NOT NULL;
INSERT INTO ahead SELECT NULL, i FROM generate_series(1, 10) AS i;
TABLE problems;
TRUNCATE ahead;
TABLE problems;
INSERT INTO ahead SELECT NULL, i FROM generate_series(1, 10) AS i;
TABLE problems;
-- ... of several pages, of other types
INSERT INTO ahead SELECT i, i FROM generate_series(200, 20000) AS i;
TABLE problems;
ALTER TABLE ahead ALTER id TYPE bigint;
TABLE problems;
DELETE FROM ahead WHERE id > 100;
ALTER TABLE ahead ALTER id TYPE smallint;
INSERT INTO ahead VALUES (32000);
TABLE problems;
DROP TABLE ahead;
-- ... of a native sequence that counts down
CREATE SEQUENCE down_seq INCREMENT -10 MINVALUE -1000 MAXVALUE -1;
SELECT idgen_create('down', source => 'sequence');
CREATE TABLE ahead (id bigint PRIMARY KEY DEFAULT idgen_next('down'));
INSERT INTO ahead SELECT FROM generate_series(1, 3);
TABLE problems;
INSERT INTO ahead VALUES (-500), (7);
TABLE problems;
DROP TABLE ahead;
DROP SEQUENCE down_seq;

-- ... of partitions, which need no column of the same number
CREATE TABLE ahead (id numeric DEFAULT idgen_next('t'), k integer, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE ahead_1 (k integer NOT NULL, id numeric NOT NULL);
ALTER TABLE ahead ATTACH PARTITION ahead_1 FOR VALUES IN (1);
INSERT INTO ahead (k) VALUES (1);
TABLE problems;
INSERT INTO ahead VALUES (100000, 1);
TABLE problems;
DROP TABLE ahead;

-- what is to be run is said so that it runs
CREATE TABLE "It's Ahead" ("Id" integer PRIMARY KEY DEFAULT idgen_next('quoted'));
SELECT idgen_create('quoted');
INSERT INTO "It's Ahead" VALUES (50);
SELECT problem FROM idgen_health WHERE name = 'quoted';
SELECT substring(problem FROM 'Run (.*)\.$') AS advice FROM idgen_health WHERE name = 'quoted' \gset
SELECT :advice;
SELECT problem FROM idgen_health WHERE name = 'quoted';
DROP TABLE "It's Ahead";

DROP VIEW problems, left_of_all;
DROP EXTENSION idgen CASCADE;
