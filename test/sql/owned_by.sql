--
-- Columns that own an id sequence
--

--
-- A session remembers what defaults draw from. It notices whatever changes.
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by FROM id_sequences ORDER BY name;
CREATE PROCEDURE make_orders() LANGUAGE plpgsql AS $$BEGIN
	CREATE TABLE orders (id bigserial);
	PERFORM idgen_adopt('orders', 'id', 'o');
END$$;
CREATE TABLE offers (id bigint, k bigint);

-- the first question
CALL make_orders();
DROP TABLE orders;
TABLE owned;

-- a default that is set, replaced, dropped; one of a new table, of a new column
CALL make_orders();
ALTER TABLE offers ALTER id SET DEFAULT idgen_next('o');
DROP TABLE orders;
TABLE owned;
ALTER TABLE offers ALTER id SET DEFAULT idgen_next('other'), ALTER k SET DEFAULT 1 + idgen_next('o');
SELECT idgen_sync('offers', 'k');
UPDATE id_sequences SET owned_by = NULL;
CREATE TABLE orders (id bigint);
UPDATE id_sequences SET owned_by = 'orders.id';
DROP TABLE orders;
TABLE owned;
ALTER TABLE offers DROP COLUMN k;
TABLE owned;
CALL make_orders();
ALTER TABLE offers ALTER id DROP DEFAULT, ADD COLUMN l bigint DEFAULT idgen_next('o');
CREATE TABLE others (id bigint DEFAULT idgen_next('o'));
DROP TABLE orders;
DROP TABLE offers;
TABLE owned;
DROP TABLE others;
TABLE owned;

-- what is undone, before and after the session has looked
CREATE TABLE offers (id bigint, k bigint);
CALL make_orders();
BEGIN;
ALTER TABLE offers ALTER id SET DEFAULT idgen_next('o');
DROP TABLE orders;
TABLE owned;
ROLLBACK;
DROP TABLE orders;
TABLE owned;
CALL make_orders();
ALTER TABLE offers ALTER id SET DEFAULT idgen_next('o');
BEGIN;
SAVEPOINT s;
ALTER TABLE offers ALTER id DROP DEFAULT;
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
ROLLBACK TO s;
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
ROLLBACK;
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
ALTER TABLE offers ALTER id DROP DEFAULT;
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
DROP TABLE orders;

-- domains
CREATE DOMAIN number AS bigint;
CALL make_orders();
ALTER DOMAIN number SET DEFAULT idgen_next('o');
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
ALTER DOMAIN number DROP DEFAULT;
SELECT idgen_release('orders', 'id') IS NOT NULL AS released;
DROP TABLE orders;
CALL make_orders();
CREATE DOMAIN derived AS bigint DEFAULT idgen_next('o');
DROP TABLE orders;
TABLE owned;
DROP DOMAIN derived;
DELETE FROM id_sequences;

-- more changes than it keeps account of
CALL make_orders();
CREATE TABLE others (id bigint);
DO $$BEGIN
	FOR i IN 1 .. 700 LOOP
		ALTER TABLE orders SET (fillfactor = 50);
		ALTER TABLE others SET (fillfactor = 50);
	END LOOP;
END$$;
ALTER TABLE offers ALTER id SET DEFAULT idgen_next('o');
DROP TABLE orders;
TABLE owned;
DROP TABLE offers, others;
TABLE owned;

-- the extension is another one
SET client_min_messages = warning;
DROP EXTENSION idgen CASCADE;
RESET client_min_messages;
CREATE EXTENSION idgen;
CALL make_orders();
CREATE TABLE others (id bigint DEFAULT idgen_next('o'));
DROP TABLE orders;
SELECT name, owned_by FROM id_sequences;
DROP TABLE others;
SELECT name, owned_by FROM id_sequences;

DROP DOMAIN number;
DROP PROCEDURE make_orders;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
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
\set SHOW_CONTEXT errors

\c -
--
-- Triggers on id_sequences, and a lost index: a command that drops an owning
-- column
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by, max_value FROM id_sequences ORDER BY name;

-- a trigger that suppresses the change: the row stays as it is
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE UPDATE OR DELETE ON id_sequences
	FOR EACH ROW WHEN (OLD.name = 'kept') EXECUTE FUNCTION suppress();
CREATE TABLE orders (id integer, other integer);
SELECT idgen_create('kept', owned_by => 'orders.id', max_value => 2147483647),
	idgen_create('taken along', owned_by => 'orders.other', max_value => 2147483647);
DROP TABLE orders;
TABLE owned;
SELECT idgen_next('kept');
DROP TRIGGER suppress ON id_sequences;

-- a trigger that writes the row itself: the command fails, as an UPDATE would
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF pg_trigger_depth() = 1 THEN
		UPDATE public.id_sequences SET block_size = block_size + 1 WHERE name = OLD.name;
	END IF;
	RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER meddle BEFORE UPDATE OR DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION meddle();
CREATE TABLE orders (id integer);
SELECT idgen_create('orders', owned_by => 'orders.id', max_value => 2147483647);
DROP TABLE orders;
\echo :SQLSTATE
SELECT name, block_size, max_value FROM id_sequences WHERE name = 'orders';
SELECT idgen_next('orders');
DROP TRIGGER meddle ON id_sequences;
DROP TABLE orders;
TABLE owned;

-- without the index nothing is found, and no command fails for that
CREATE TABLE orders (id integer);
SELECT idgen_create('orders', owned_by => 'orders.id', max_value => 2147483647);
DROP INDEX id_sequences_owned_by_idx;
DROP TABLE orders;
SELECT name, max_value FROM id_sequences ORDER BY name;

-- any other that begins with the column does
CREATE INDEX of_the_owner ON id_sequences (owned_by, name);
CREATE TABLE orders (id integer);
SELECT idgen_create('new orders', owned_by => 'orders.id', max_value => 2147483647);
DROP TABLE orders;
SELECT name FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP FUNCTION suppress(), meddle();

\c -
--
-- As long as a column draws from an id sequence, that stays, whoever's it was
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by FROM id_sequences ORDER BY name;

-- two tables with ids from one id sequence
CREATE TABLE orders (id bigserial PRIMARY KEY);
SELECT idgen_adopt('orders', 'id', 'shared') IS NOT NULL;
CREATE TABLE offers (id bigint PRIMARY KEY DEFAULT idgen_next('shared'));
DROP TABLE orders;
TABLE owned;
INSERT INTO offers DEFAULT VALUES RETURNING id;
ALTER TABLE offers DROP COLUMN id;
TABLE owned;

-- three, dropped in another order, some at once
CREATE TABLE t1 (id bigserial);
SELECT idgen_adopt('t1', 'id', 'shared') IS NOT NULL;
CREATE TABLE t2 (id numeric DEFAULT idgen_next_big('shared'), other bigint DEFAULT 1 + idgen_next('shared', 'table'));
CREATE TABLE t3 (id bigint DEFAULT idgen_next('shared'));
DROP TABLE t3;
TABLE owned;
DROP TABLE t1;
TABLE owned;
ALTER TABLE t2 DROP COLUMN id;
TABLE owned;
DROP TABLE t2;
TABLE owned;
CREATE TABLE t1 (id bigserial);
SELECT idgen_adopt('t1', 'id', 'shared') IS NOT NULL;
CREATE TABLE t2 (id bigint DEFAULT idgen_next('shared'));
DROP TABLE t1, t2;
TABLE owned;

-- a table that takes the place of another
CREATE TABLE orders (id bigserial PRIMARY KEY, item text);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
CREATE TABLE new_orders (LIKE orders INCLUDING ALL);
DROP TABLE orders;
ALTER TABLE new_orders RENAME TO orders;
TABLE owned;
INSERT INTO orders (item) VALUES ('a') RETURNING id;
DROP TABLE orders;
TABLE owned;

-- a partition that was detached
CREATE TABLE parted (id bigint, k int) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SELECT idgen_adopt('parted', 'id') IS NOT NULL;
ALTER TABLE parted DETACH PARTITION part;
DROP TABLE parted;
TABLE owned;
DROP TABLE part;
TABLE owned;

-- a domain cannot own it
CREATE TABLE orders (id bigserial);
SELECT idgen_adopt('orders', 'id', 'domain''s') IS NOT NULL;
CREATE DOMAIN number AS bigint DEFAULT idgen_next('domain''s');
DROP TABLE orders;
TABLE owned;
DROP DOMAIN number;
DELETE FROM id_sequences;

-- temporary tables do not count: they go unseen
CREATE TABLE orders (id bigserial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
CREATE TEMPORARY TABLE copied (LIKE orders INCLUDING ALL);
DROP TABLE orders;
TABLE owned;

SET client_min_messages = warning;
DROP EXTENSION idgen CASCADE;
DROP TABLE copied;
