--
-- A column that gets another type takes max_value along
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, next_block_start, max_value, exhausted FROM id_sequences ORDER BY name;

CREATE FOREIGN DATA WRAPPER regress_idgen_nowhere;
CREATE SERVER regress_idgen_nowhere FOREIGN DATA WRAPPER regress_idgen_nowhere;
CREATE TABLE orders (id serial, small smallint, text text);
SELECT idgen_adopt('orders', 'id', 'o', 'transaction') IS NOT NULL;
SELECT idgen_adopt('orders', 'small', 's', 'transaction') IS NOT NULL;
ALTER TABLE orders ALTER text TYPE varchar(10);
TABLE owned;
INSERT INTO orders DEFAULT VALUES RETURNING id, small;
BEGIN;
ALTER TABLE orders ALTER id TYPE bigint, ALTER small TYPE integer;
TABLE owned;
INSERT INTO orders DEFAULT VALUES RETURNING id, small;
ROLLBACK;
TABLE owned;
ALTER TABLE orders ALTER id TYPE bigint, ALTER small TYPE integer;
TABLE owned;
INSERT INTO orders DEFAULT VALUES RETURNING id, small;
ALTER TABLE IF EXISTS orders ALTER small TYPE bigint;
ALTER TABLE IF EXISTS orders_of_nobody ALTER small TYPE bigint;
TABLE owned;

-- back
ALTER TABLE orders ALTER id TYPE integer, ALTER small TYPE smallint;
TABLE owned;
INSERT INTO orders DEFAULT VALUES RETURNING id, small;

-- to what is no integer, and to a domain
ALTER TABLE orders ALTER id TYPE numeric;
TABLE owned;
CREATE DOMAIN number AS bigint;
ALTER TABLE orders ALTER id TYPE number;
TABLE owned;

-- what was exhausted goes on
SELECT idgen_restart('s', 32766);
INSERT INTO orders DEFAULT VALUES RETURNING small;
INSERT INTO orders DEFAULT VALUES RETURNING small;
INSERT INTO orders DEFAULT VALUES RETURNING small;
\echo :SQLSTATE
TABLE owned;
ALTER TABLE orders ALTER small TYPE bigint;
TABLE owned;
INSERT INTO orders DEFAULT VALUES RETURNING small;

-- but not what somebody has exhausted, nor beyond what somebody has chosen
UPDATE id_sequences SET max_value = 2147483647, exhausted = 1 WHERE name = 's';
UPDATE id_sequences SET max_value = 1000 WHERE name = 'o';
ALTER TABLE orders ALTER small TYPE bigint, ALTER id TYPE bigint;
TABLE owned;

-- nor that of a layout
CREATE TABLE laid_out (id bigint);
SELECT idgen_create('l', layout => 'prefixed', owned_by => 'laid_out.id');
ALTER TABLE laid_out ALTER id TYPE integer;
SELECT max_value FROM id_sequences WHERE name = 'l';

-- a partitioned table
CREATE TABLE parted (id integer, k int) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SELECT idgen_adopt('parted', 'id', 'p') IS NOT NULL;
ALTER TABLE parted ALTER id TYPE bigint;
SELECT max_value FROM id_sequences WHERE name = 'p';

-- gapless ids that a bulk load has reserved: none is left out
CREATE TABLE gapless (id bigint);
SELECT idgen_create('g', block_size => 1, owned_by => 'gapless.id');
ALTER TABLE gapless ALTER id SET DEFAULT idgen_next('g');
BEGIN;
INSERT INTO gapless SELECT FROM generate_series(1, 50);
SAVEPOINT s;
ALTER TABLE gapless ALTER id TYPE integer;
ROLLBACK TO s;
INSERT INTO gapless SELECT FROM generate_series(1, 50);
ALTER TABLE gapless ALTER id TYPE integer;
INSERT INTO gapless SELECT FROM generate_series(1, 50);
COMMIT;
SELECT count(*), count(DISTINCT id), max(id) FROM gapless;
SELECT next_block_start, max_value FROM id_sequences WHERE name = 'g';

-- a foreign table; a column whose type is that of the parent's
CREATE FOREIGN TABLE abroad (id integer) SERVER regress_idgen_nowhere;
SELECT idgen_create('f', max_value => 2147483647, owned_by => 'abroad.id');
ALTER FOREIGN TABLE abroad ALTER id TYPE bigint;
SELECT max_value FROM id_sequences WHERE name = 'f';
CREATE TABLE parent (id integer);
CREATE TABLE child (more text) INHERITS (parent);
SELECT idgen_create('c', max_value => 2147483647, owned_by => 'child.id');
ALTER TABLE parent ALTER id TYPE bigint;
SELECT max_value FROM id_sequences WHERE name = 'c';

-- tables of a type, and what inherits from one
CREATE TYPE regress_idgen_line AS (id integer, k integer);
CREATE TABLE typed OF regress_idgen_line;
CREATE TABLE typed_child () INHERITS (typed);
SELECT idgen_create('t', max_value => 2147483647, owned_by => 'typed.id');
SELECT idgen_create('tc', max_value => 2147483647, owned_by => 'typed_child.id');
SELECT idgen_create('tk', max_value => 2147483647, owned_by => 'typed.k');
ALTER TYPE regress_idgen_line ADD ATTRIBUTE l integer CASCADE, ALTER ATTRIBUTE id TYPE bigint CASCADE;
SELECT name, max_value FROM id_sequences WHERE name LIKE 't%' ORDER BY name;
CREATE TYPE regress_idgen_color AS ENUM ('red');
ALTER TYPE regress_idgen_color ADD VALUE 'green';

SET client_min_messages = warning;
DROP EXTENSION idgen CASCADE;
DROP TABLE typed, typed_child;
DROP TYPE regress_idgen_line, regress_idgen_color;
DROP TABLE orders, laid_out, parted, parent, child, gapless;
DROP FOREIGN DATA WRAPPER regress_idgen_nowhere CASCADE;
DROP DOMAIN number;
