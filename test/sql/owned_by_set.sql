--
-- Saying which column an id sequence belongs to
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by FROM id_sequences ORDER BY name;
CREATE SCHEMA regress_idgen_schema;
CREATE TABLE orders (id bigint, item text);
CREATE TABLE regress_idgen_schema."Orders" ("The.Id" bigint);
CREATE TABLE parted (id bigint) PARTITION BY LIST (id);
CREATE VIEW a_view AS SELECT id FROM orders;
CREATE MATERIALIZED VIEW a_matview AS SELECT id FROM orders;
CREATE SEQUENCE a_sequence;
CREATE INDEX an_index ON orders (id);
CREATE TEMPORARY TABLE temporary (id bigint);

-- idgen_create, as CREATE SEQUENCE … OWNED BY
SELECT idgen_create('a', owned_by => 'orders.id');
SELECT idgen_create('b', owned_by => 'regress_idgen_schema."Orders"."The.Id"');
SELECT idgen_create('c', owned_by => 'ORDERS.Item');
SELECT idgen_create('d', owned_by => current_database() || '.public.parted.id');
SELECT idgen_create('e', owned_by => NULL);
SELECT idgen_create('f', owned_by => 'a_view.id');
TABLE owned;
SELECT idgen_create('x', owned_by => 'orders');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'orders.');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => '');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => '-');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'ordrs.id');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'orders.no');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'elsewhere.public.orders.id');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'orders.ctid');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'an_index.id');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'a_sequence.last_value');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'a_matview.id');
\echo :SQLSTATE
SELECT idgen_create('x', owned_by => 'temporary.id');
\echo :SQLSTATE

-- several can belong to one column
UPDATE id_sequences SET owned_by = 'orders.id' WHERE name IN ('a', 'e');
TABLE owned;
BEGIN;
ALTER TABLE orders DROP COLUMN id CASCADE;
TABLE owned;
ROLLBACK;

-- UPDATE, as ALTER SEQUENCE … OWNED BY
UPDATE id_sequences SET owned_by = NULL WHERE name = 'a';
UPDATE id_sequences SET owned_by = 'ordrs.id' WHERE name = 'a';
\echo :SQLSTATE
UPDATE id_sequences SET owned_by = 'orders.no' WHERE name = 'a';
\echo :SQLSTATE
UPDATE id_sequences SET owned_by = '-' WHERE name = 'a';
\echo :SQLSTATE
UPDATE id_sequences SET owned_by = 'temporary.id' WHERE name = 'a';
\echo :SQLSTATE
TABLE owned;

-- INSERT, as a dump does: the row matters more
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('g', 1, 'public.orders.item'),
	('h', 1, 'ordrs.id'), ('i', 1, 'orders.no'), ('j', 1, '-'), ('k', 1, 'temporary.id');
SELECT name, owned_by FROM id_sequences WHERE name >= 'g' ORDER BY name;
-- where nobody reads warnings, there are none
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('l', 1, 'ordrs.id'), ('m', 1, 'temporary.id');
UPDATE id_sequences SET owned_by = 'ordrs.id' WHERE name = 'g';
RESET session_replication_role;
SELECT name, owned_by FROM id_sequences WHERE name IN ('g', 'l', 'm') ORDER BY name;
DELETE FROM id_sequences WHERE name >= 'g';

-- a column is a value like any other
SELECT 'orders.id'::idgen_column = 'public.orders.id', 'orders.id'::idgen_column <> 'orders.item',
	'orders.id'::idgen_column < 'orders.item', 'orders.id'::idgen_column >= 'orders.item',
	'orders.id'::idgen_column > 'orders.item', 'orders.id'::idgen_column <= 'orders.id';
SELECT DISTINCT owned_by FROM id_sequences WHERE owned_by = 'orders.id';
SELECT count(*) FROM (TABLE id_sequences EXCEPT TABLE id_sequences) AS rows;
SET search_path = regress_idgen_schema;
SELECT owned_by FROM public.owned WHERE name = 'b';
RESET search_path;
COPY (SELECT owned_by FROM owned WHERE name = 'b') TO stdout;

-- where id_sequences is not as it should be, others drop their tables all the
-- same
SELECT idgen_create('last', owned_by => 'orders.item');
ALTER TABLE id_sequences DROP COLUMN owned_by CASCADE;
DROP TABLE orders CASCADE;
SET client_min_messages = warning;
ALTER TABLE id_sequences RENAME TO elsewhere;
DROP TABLE temporary;
DROP SCHEMA regress_idgen_schema CASCADE;
DROP TABLE parted;
DROP SEQUENCE a_sequence;
DROP EXTENSION idgen CASCADE;
