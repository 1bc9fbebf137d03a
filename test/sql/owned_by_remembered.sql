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
