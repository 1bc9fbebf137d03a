--
-- idgen_sync: whose rights count, and what is found by name
--

--
-- idgen_sync() has the caller's rights
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_other;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
CREATE TABLE mine (id bigint DEFAULT idgen_next('mine'));
INSERT INTO mine VALUES (5);
SELECT * FROM idgen_sync();
RESET ROLE;
CREATE TABLE hidden (id bigint DEFAULT idgen_next('hidden'));
CREATE TABLE shown (id bigint DEFAULT idgen_next('shown'));
INSERT INTO shown VALUES (8);
GRANT SELECT ON shown TO regress_idgen_owner;
GRANT INSERT ON id_sequences TO regress_idgen_owner, regress_idgen_other;

-- only an owner's column can own the row; what may not be read is left alone
SET ROLE regress_idgen_owner;
SELECT * FROM idgen_sync();
SELECT name, next_block_start, owned_by FROM id_sequences ORDER BY name;
SET ROLE regress_idgen_other;
SELECT * FROM idgen_sync();

-- neither is a table of which row security hides rows
RESET ROLE;
DELETE FROM id_sequences;
ALTER TABLE shown ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON shown, mine TO regress_idgen_other;
SET ROLE regress_idgen_other;
SELECT * FROM idgen_sync();

-- a superuser's rows belong to the columns of other roles
RESET ROLE;
SELECT * FROM idgen_sync();
SELECT name, next_block_start, owned_by FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP TABLE mine, hidden, shown;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_other;
\set SHOW_CONTEXT errors

\c -
--
-- idgen_sync() where search_path says which native sequence is meant: each
-- tenant has one, and tables of the same name
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_one;
CREATE ROLE regress_idgen_two;
CREATE SCHEMA regress_one AUTHORIZATION regress_idgen_one;
CREATE SCHEMA regress_two AUTHORIZATION regress_idgen_two;
\t on
SET ROLE regress_idgen_one;
SET search_path = regress_one, public;
CREATE SEQUENCE orders_seq INCREMENT BY 20;
CREATE TABLE orders (id bigint DEFAULT idgen_next('orders', 'sequence'));
INSERT INTO orders VALUES (30);
SET ROLE regress_idgen_two;
SET search_path = regress_two, public;
CREATE SEQUENCE orders_seq INCREMENT BY 20;
CREATE TABLE orders (id bigint DEFAULT idgen_next('orders', 'sequence'));
INSERT INTO orders VALUES (5000);

-- the table of the other tenant does not matter, nor whether one may read it
SET ROLE regress_idgen_one;
SET search_path = regress_one, public;
SELECT idgen_sync('orders', 'id');
INSERT INTO orders DEFAULT VALUES RETURNING id;

-- all of the database: those that search_path leads to
RESET ROLE;
INSERT INTO orders VALUES (100);
SELECT idgen_sync();
SET search_path = regress_two, public;
SELECT idgen_sync();
INSERT INTO orders DEFAULT VALUES RETURNING id;

-- a table elsewhere without a sequence of its own counts
CREATE SCHEMA regress_three;
CREATE TABLE regress_three.t (id bigint DEFAULT idgen_next('orders', 'sequence'));
INSERT INTO regress_three.t VALUES (7000);
SELECT idgen_sync('orders', 'id');

-- and what is asked for
INSERT INTO regress_one.orders VALUES (9000);
SELECT idgen_sync('regress_one.orders', 'id');
\t off

RESET search_path;
DROP SCHEMA regress_one, regress_two, regress_three CASCADE;
DROP ROLE regress_idgen_one, regress_idgen_two;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
-- An id sequence that several columns draw from is moved behind all of them at
-- once, and each of them is read once.
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

SELECT idgen_create('shared');
SELECT idgen_create('other');
CREATE TABLE shared_1 (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE shared_2 (id int DEFAULT idgen_next('shared'), other int DEFAULT idgen_next('other'));
CREATE TABLE shared_3 (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE shared_4 (id bigint DEFAULT 1 + idgen_next('shared'));
INSERT INTO shared_1 VALUES (5);
INSERT INTO shared_2 VALUES (100, 7);
INSERT INTO shared_3 VALUES (50);

BEGIN;
SELECT idgen_sync();
SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname LIKE 'shared\__' ORDER BY relname;
COMMIT;
SELECT idgen_next('shared'), idgen_next('other');

-- a column that is named is read anew
INSERT INTO shared_3 VALUES (500);
SELECT idgen_sync('shared_3', 'id');

DROP TABLE shared_1, shared_2, shared_3, shared_4;
DROP EXTENSION idgen;
