--
-- An id sequence that belongs to a column goes with it
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by, max_value, exhausted FROM id_sequences ORDER BY name;

-- idgen_adopt says whose it is; the table takes the row along
CREATE TABLE orders (id serial PRIMARY KEY, item text);
INSERT INTO orders (item) VALUES ('a'), ('b');
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('c') RETURNING id;
SELECT name, owned_by FROM id_sequences;
BEGIN;
DROP TABLE orders;
SELECT idgen_next('public.orders.id');
ROLLBACK;
INSERT INTO orders (item) VALUES ('d') RETURNING id;
BEGIN;
SAVEPOINT s;
DROP TABLE orders;
TABLE owned;
ROLLBACK TO s;
INSERT INTO orders (item) VALUES ('e') RETURNING id;
COMMIT;
INSERT INTO orders (item) VALUES ('f') RETURNING id;
DROP TABLE orders;
TABLE owned;

-- so the table can be made again, and its ids begin again
CREATE TABLE orders (id integer GENERATED ALWAYS AS IDENTITY, item text);
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('a') RETURNING id;
SELECT idgen_peek('public.orders.id');

-- the column follows what it is renamed to
ALTER TABLE orders RENAME TO "Old ""Orders";
ALTER TABLE "Old ""Orders" RENAME id TO "The.Number";
CREATE SCHEMA regress_idgen_attic;
ALTER TABLE "Old ""Orders" SET SCHEMA regress_idgen_attic;
TABLE owned;
SELECT name FROM id_sequences WHERE owned_by = 'regress_idgen_attic."Old ""Orders"."The.Number"';

-- other columns, and the default, are another matter
ALTER TABLE regress_idgen_attic."Old ""Orders" ALTER "The.Number" DROP DEFAULT, DROP item;
TABLE owned;
ALTER TABLE regress_idgen_attic."Old ""Orders" DROP "The.Number";
TABLE owned;

-- DROP SCHEMA, DROP OWNED, DROP DOMAIN with CASCADE
CREATE TABLE regress_idgen_attic.chairs (id bigserial);
SELECT idgen_adopt('regress_idgen_attic.chairs', 'id') IS NOT NULL;
SET client_min_messages = warning;
DROP SCHEMA regress_idgen_attic CASCADE;
CREATE ROLE regress_idgen_owner;
CREATE TABLE theirs (id bigserial);
SELECT idgen_adopt('theirs', 'id') IS NOT NULL;
ALTER TABLE theirs OWNER TO regress_idgen_owner;
TABLE owned;
DROP OWNED BY regress_idgen_owner;
DROP ROLE regress_idgen_owner;
CREATE DOMAIN number AS bigint;
CREATE TABLE numbers (id number, item text);
SELECT idgen_adopt('numbers', 'id') IS NOT NULL;
DROP DOMAIN number CASCADE;
DROP TABLE numbers;
TABLE owned;
RESET client_min_messages;

-- partitions and children: only the table that was moved counts
CREATE TABLE parted (id bigint, k int) PARTITION BY LIST (k);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
SELECT idgen_adopt('parted', 'id') IS NOT NULL;
DROP TABLE parted_1;
TABLE owned;
DROP TABLE parted;
TABLE owned;
CREATE TABLE parent (id bigint);
CREATE TABLE child () INHERITS (parent);
SELECT idgen_adopt('parent', 'id') IS NOT NULL;
DROP TABLE child;
CREATE TABLE child () INHERITS (parent);
TABLE owned;
ALTER TABLE parent DROP COLUMN id;
TABLE owned;
DROP TABLE parent, child;

-- several in one command, and some rows that are nobody's
CREATE TABLE t1 (id serial);
CREATE TABLE t2 (id serial);
CREATE TABLE t3 (id serial);
SELECT count(idgen_adopt(t, 'id')) FROM unnest('{t1,t2,t3}'::regclass[]) t;
SELECT idgen_create('nobody');
DROP TABLE t1, t3;
TABLE owned;
SELECT idgen_next('nobody');
SELECT idgen_release('t2', 'id');
DROP TABLE t2;
DELETE FROM id_sequences;

-- the role of a replica does not keep the row
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
SET session_replication_role = replica;
DROP TABLE orders;
RESET session_replication_role;
TABLE owned;

-- a row that is renamed or deleted by hand
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
UPDATE id_sequences SET name = 'orders';
DROP TABLE orders;
TABLE owned;
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('public.orders.id', 1);
DROP TABLE orders;
TABLE owned;
TRUNCATE id_sequences;

-- without the extension, and with it in one command
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
SET client_min_messages = warning;
DROP EXTENSION idgen CASCADE;
DROP TABLE orders;
CREATE SCHEMA regress_idgen_all;
CREATE EXTENSION idgen SCHEMA regress_idgen_all;
CREATE TABLE regress_idgen_all.orders (id serial);
SELECT regress_idgen_all.idgen_adopt('regress_idgen_all.orders', 'id') IS NOT NULL;
DROP SCHEMA regress_idgen_all CASCADE;
SELECT count(*) FROM pg_event_trigger WHERE evtname LIKE 'idgen%';
