--
-- Columns that draw text ids: idgen_sync() and ownership know them
--
-- needs test/idgen.conf
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
