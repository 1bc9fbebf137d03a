--
-- A column that gets another type: rows with periods and their children, rows
-- with a format, and scrambled ones
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, next_block_start AS next, max_value AS max, exhausted FROM id_sequences ORDER BY name COLLATE "C";

-- The children of a row with periods have their ids in its column, too: those
-- that are there, and those to come
CREATE TABLE bill (id integer, made date, other bigint);
SELECT idgen_create('bill', max_value => 2147483647, block_size => 1, period => 'year', owned_by => 'bill.id');
SELECT idgen_next('bill/2001'), idgen_next('bill/2002'), idgen_next('bill/2003'), idgen_next('bill/2004');
-- but not what somebody has chosen, nor one that belongs to another column
UPDATE id_sequences SET max_value = 1000 WHERE name = 'bill/2002';
UPDATE id_sequences SET owned_by = 'public.bill.other' WHERE name = 'bill/2003';
UPDATE id_sequences SET next_block_start = 2147483647 WHERE name = 'bill/2004';
SELECT idgen_next('bill/2004');
SELECT idgen_next('bill/2004');
\echo :SQLSTATE
BEGIN;
SELECT idgen_next('bill/2001');
ALTER TABLE bill ALTER id TYPE bigint;
TABLE owned;
SELECT idgen_next('bill/2001'), idgen_next('bill/2004');
ROLLBACK;
TABLE owned;
ALTER TABLE bill ALTER id TYPE bigint;
SELECT idgen_next('bill/2001'), idgen_next('bill/2002'), idgen_next('bill/2004'), idgen_next('bill/2005');
TABLE owned;
ALTER TABLE bill ALTER id TYPE integer;
TABLE owned;
SELECT idgen_next('bill/2004');
\echo :SQLSTATE
DROP TABLE bill;
DELETE FROM id_sequences;

-- scrambled: as long as no block was allocated
CREATE TABLE code (id bigint DEFAULT idgen_next('code'));
SELECT idgen_create('code', layout => 'scrambled', owned_by => 'code.id');
ALTER TABLE code ALTER id TYPE integer;
TABLE owned;
INSERT INTO code DEFAULT VALUES;
SELECT count(*) FROM code WHERE idgen_unscramble('code', id) = 1;
ALTER TABLE code ALTER id TYPE bigint;
TABLE owned;
INSERT INTO code DEFAULT VALUES;
SELECT count(DISTINCT idgen_unscramble('code', id)) FROM code;
BEGIN;
DELETE FROM id_sequences;
SELECT idgen_create('code', layout => 'scrambled', block_size => 1, owned_by => 'code.id');
INSERT INTO code SELECT FROM generate_series(1, 20);
TRUNCATE code;
ALTER TABLE code ALTER id TYPE smallint;
TABLE owned;
ROLLBACK;
SELECT idgen_create('codes', layout => 'scrambled', period => 'year', owned_by => 'code.id');
SELECT idgen_next('codes/2001') > 0 AS id;
TRUNCATE code;
ALTER TABLE code ALTER id TYPE integer;
SELECT name, max FROM owned;
SELECT idgen_next('codes/2002') BETWEEN 1 AND 2147483647 AS id;
DROP TABLE code;
DELETE FROM id_sequences;

-- a native sequence says itself where it ends
CREATE SEQUENCE native_seq;
CREATE TABLE native (id bigint);
SELECT idgen_create('native', layout => 'scrambled', source => 'sequence', owned_by => 'native.id');
ALTER TABLE native ALTER id TYPE integer;
TABLE owned;
DROP TABLE native;

-- with a format: text has no end of its own
CREATE TABLE receipt (id text DEFAULT idgen_next_text('receipt'), number integer);
SELECT idgen_create('receipt', format => 'R{id:4}', owned_by => 'receipt.id');
INSERT INTO receipt DEFAULT VALUES RETURNING id;
ALTER TABLE receipt ALTER id TYPE varchar(5);
INSERT INTO receipt DEFAULT VALUES RETURNING id;
TABLE owned;
ALTER TABLE receipt ALTER id TYPE integer USING substr(id, 2)::integer;
\echo :SQLSTATE
ALTER TABLE receipt ALTER id DROP DEFAULT, ALTER id TYPE integer USING substr(id, 2)::integer, ALTER id SET DEFAULT idgen_next('receipt');
TABLE owned;
INSERT INTO receipt DEFAULT VALUES RETURNING id;
ALTER TABLE receipt ALTER id DROP DEFAULT, ALTER id TYPE text, ALTER id SET DEFAULT idgen_next_text('receipt');
TABLE owned;
INSERT INTO receipt DEFAULT VALUES RETURNING id;
DROP TABLE receipt;

DROP VIEW owned;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
