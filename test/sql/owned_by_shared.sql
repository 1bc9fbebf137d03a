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
