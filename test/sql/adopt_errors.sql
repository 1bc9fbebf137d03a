--
-- idgen_adopt refuses what it cannot do
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- relations that are not tables of one's own
CREATE TABLE orders (id serial PRIMARY KEY, item text);
CREATE VIEW a_view AS SELECT * FROM orders;
SELECT idgen_adopt('a_view', 'id');
\echo :SQLSTATE
CREATE MATERIALIZED VIEW a_matview AS SELECT * FROM orders;
SELECT idgen_adopt('a_matview', 'id');
\echo :SQLSTATE
CREATE TYPE a_type AS (id integer);
SELECT idgen_adopt('a_type', 'id');
\echo :SQLSTATE
SELECT idgen_adopt('orders_id_seq', 'last_value');
\echo :SQLSTATE
SELECT idgen_adopt('orders_pkey', 'id');
\echo :SQLSTATE
CREATE FOREIGN DATA WRAPPER regress_idgen_fdw;
CREATE SERVER regress_idgen_server FOREIGN DATA WRAPPER regress_idgen_fdw;
CREATE FOREIGN TABLE a_foreign_table (id integer) SERVER regress_idgen_server;
SELECT idgen_adopt('a_foreign_table', 'id');
\echo :SQLSTATE
CREATE TEMPORARY TABLE a_temp_table (id serial);
SELECT idgen_adopt('a_temp_table', 'id');
\echo :SQLSTATE
CREATE TABLE with_temp_child (id integer);
CREATE TEMPORARY TABLE temp_child () INHERITS (with_temp_child);
SELECT idgen_adopt('with_temp_child', 'id');
\echo :SQLSTATE
DROP TABLE temp_child, with_temp_child;
SELECT idgen_adopt('pg_catalog.pg_class', 'relpages');
\echo :SQLSTATE
SELECT idgen_adopt('id_sequences', 'block_size');
\echo :SQLSTATE
SELECT idgen_adopt('no_such_table', 'id');
\echo :SQLSTATE
SELECT idgen_adopt(0, 'id');
\echo :SQLSTATE

-- columns
CREATE TABLE columns (
	dropped integer,
	generated integer GENERATED ALWAYS AS (1) STORED,
	a_text text,
	a_numeric numeric,
	an_array integer[],
	a_uuid uuid
);
ALTER TABLE columns DROP COLUMN dropped;
SELECT idgen_adopt('columns', 'no_such_column');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'dropped');
\echo :SQLSTATE
SELECT idgen_adopt('columns', '........pg.dropped.1........');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'ctid');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'tableoid');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'generated');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'a_text');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'a_numeric');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'an_array');
\echo :SQLSTATE
SELECT idgen_adopt('columns', 'a_uuid');
\echo :SQLSTATE
CREATE DOMAIN a_domain AS text;
ALTER TABLE columns ADD COLUMN of_domain a_domain;
SELECT idgen_adopt('columns', 'of_domain');
\echo :SQLSTATE

-- a column that draws from an id sequence already, in one way or another
SELECT idgen_create('by hand', next_block_start => 100);
CREATE TABLE moved (a serial, b integer DEFAULT idgen_next('by hand'), c bigint DEFAULT idgen_next('parts', 'sequence'));
SELECT idgen_adopt('moved', 'a') IS NOT NULL;
SELECT idgen_adopt('moved', 'a');
\echo :SQLSTATE
SELECT idgen_adopt('moved', 'b');
\echo :SQLSTATE
SELECT idgen_adopt('moved', 'c');
\echo :SQLSTATE

-- a table that is in use by this very session
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM orders;
SELECT idgen_adopt('orders', 'id');
\echo :SQLSTATE
ROLLBACK;
WITH ins AS (INSERT INTO orders (item) VALUES ('a') RETURNING *) SELECT idgen_adopt('orders', 'id') FROM ins;
\echo :SQLSTATE
CREATE FUNCTION adopt_it() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN PERFORM public.idgen_adopt('orders', 'id'); RETURN NULL; END$$;
CREATE TRIGGER t AFTER INSERT ON orders EXECUTE FUNCTION adopt_it();
INSERT INTO orders (item) VALUES ('b');
\echo :SQLSTATE
DROP TRIGGER t ON orders;

-- a read-only transaction
BEGIN READ ONLY;
SELECT idgen_adopt('orders', 'id');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_release('moved', 'a');
\echo :SQLSTATE
ROLLBACK;

-- nothing was done by any of these
SELECT name FROM id_sequences ORDER BY name;
INSERT INTO orders (item) VALUES ('c') RETURNING id;
\d orders

DROP TABLE columns, moved;
DROP TABLE a_temp_table;
DROP VIEW a_view;
DROP MATERIALIZED VIEW a_matview;
DROP TABLE orders;
DROP TYPE a_type;
DROP DOMAIN a_domain;
DROP FUNCTION adopt_it;
DROP FOREIGN TABLE a_foreign_table;
DROP SERVER regress_idgen_server;
DROP FOREIGN DATA WRAPPER regress_idgen_fdw;
DROP EXTENSION idgen;
