--
-- idgen_adopt: what it refuses or warns of, and whose rights count
--

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
\set SHOW_CONTEXT errors

\c -
--
-- idgen_adopt warns of a sequence that is left with the name of the column's
-- own: programs may go on using it
--
CREATE EXTENSION idgen;
\t on

-- the program draws from it, not the column
CREATE TABLE by_program (id bigint PRIMARY KEY);
CREATE SEQUENCE by_program_id_seq;
SELECT idgen_adopt('by_program', 'id');
\echo :SQLSTATE

-- the column has drawn from it; it belongs to no column, or to another one
CREATE SEQUENCE not_owned_id_seq;
CREATE TABLE not_owned (id integer DEFAULT nextval('not_owned_id_seq'));
SELECT idgen_adopt('not_owned', 'id');
CREATE TABLE shared (id serial);
CREATE TABLE owner (id integer DEFAULT nextval('shared_id_seq'));
ALTER SEQUENCE shared_id_seq OWNED BY owner.id;
SELECT idgen_adopt('shared', 'id');

-- of a partition or a child, which programs may insert into
CREATE SEQUENCE part_id_seq;
CREATE TABLE parted (id bigserial, k integer) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SELECT idgen_adopt('parted', 'id');

-- as the server shortens names; in the table's schema
CREATE SCHEMA regress_idgen_schema;
CREATE TABLE regress_idgen_schema.a_table_with_a_name_of_more_than_thirty_characters (a_column_with_such_a_name_as_well_of_course integer);
CREATE SEQUENCE regress_idgen_schema.a_table_with_a_name_of_more_t_a_column_with_such_a_name_as__seq;
SELECT idgen_adopt('regress_idgen_schema.a_table_with_a_name_of_more_than_thirty_characters', 'a_column_with_such_a_name_as_well_of_course', 'long');

-- no warning: it is dropped; it is another column's; it is no sequence; it lies
-- in another schema; it has another name
CREATE TABLE dropped (id serial);
SELECT idgen_adopt('dropped', 'id');
CREATE TABLE a (b_c integer);
CREATE TABLE a_b (c serial);
SELECT idgen_adopt('a', 'b_c');
CREATE TABLE no_sequence (id integer);
CREATE TABLE no_sequence_id_seq ();
SELECT idgen_adopt('no_sequence', 'id');
CREATE TABLE elsewhere (id integer);
CREATE SEQUENCE regress_idgen_schema.elsewhere_id_seq;
SELECT idgen_adopt('elsewhere', 'id');
CREATE TABLE other_name (id integer);
CREATE SEQUENCE other_name_seq;
SELECT idgen_adopt('other_name', 'id');
\t off

DROP SCHEMA regress_idgen_schema CASCADE;
DROP TABLE by_program, not_owned, shared, owner, parted, dropped, a, a_b, no_sequence, no_sequence_id_seq, elsewhere, other_name;
DROP SEQUENCE by_program_id_seq, not_owned_id_seq, part_id_seq, other_name_seq;
DROP EXTENSION idgen;

\c -
--
-- Moving a column takes what the SQL would that does it
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SET idgen.default_block_size = 1;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_member;
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_owner;
GRANT USAGE ON SCHEMA regress_idgen_schema TO PUBLIC;
SET ROLE regress_idgen_owner;
CREATE TABLE regress_idgen_schema.orders (id serial, item text);
GRANT ALL ON regress_idgen_schema.orders TO regress_idgen_other;
INSERT INTO regress_idgen_schema.orders (item) VALUES ('a');

-- the table has to be one's own
SET ROLE regress_idgen_other;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE

-- INSERT on id_sequences
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT INSERT ON id_sequences TO regress_idgen_owner;
GRANT regress_idgen_owner TO regress_idgen_member;
SET ROLE regress_idgen_member;
BEGIN;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
ROLLBACK;
SET ROLE regress_idgen_owner;

-- SELECT on the table, which its owner may have given up
REVOKE SELECT ON regress_idgen_schema.orders FROM regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
GRANT SELECT ON regress_idgen_schema.orders TO regress_idgen_owner;

-- a sequence of somebody else's that the default uses
RESET ROLE;
CREATE SEQUENCE foreign_sequence;
GRANT USAGE ON SEQUENCE foreign_sequence TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
CREATE TABLE regress_idgen_schema.b (id integer DEFAULT nextval('public.foreign_sequence'));
RESET ROLE;
REVOKE USAGE ON SEQUENCE foreign_sequence FROM regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.b', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON SEQUENCE foreign_sequence TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.b', 'id');
DROP TABLE regress_idgen_schema.b;

-- row security that hides rows from their owner must not make the start too low
CREATE TABLE regress_idgen_schema.hiding (id integer PRIMARY KEY);
INSERT INTO regress_idgen_schema.hiding VALUES (1), (100);
ALTER TABLE regress_idgen_schema.hiding ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON regress_idgen_schema.hiding USING (id < 10);
BEGIN;
SELECT idgen_adopt('regress_idgen_schema.hiding', 'id');
SHOW row_security;
ROLLBACK;
ALTER TABLE regress_idgen_schema.hiding FORCE ROW LEVEL SECURITY;
SELECT max(id) FROM regress_idgen_schema.hiding;
SELECT idgen_adopt('regress_idgen_schema.hiding', 'id');
\echo :SQLSTATE
SHOW row_security;
RESET ROLE;
SELECT idgen_adopt('regress_idgen_schema.hiding', 'id');

-- a role that inserts needs no more than before
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
SET ROLE regress_idgen_other;
INSERT INTO regress_idgen_schema.orders (item) VALUES ('b') RETURNING id;

-- back: UPDATE and DELETE on id_sequences
SET ROLE regress_idgen_owner;
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT DELETE ON id_sequences TO regress_idgen_owner;

-- and row security may keep the row
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON id_sequences FOR SELECT USING (true);
SET ROLE regress_idgen_owner;
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
RESET ROLE;
CREATE POLICY change ON id_sequences FOR UPDATE USING (true);
SET ROLE regress_idgen_owner;
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
INSERT INTO regress_idgen_schema.orders (item) VALUES ('c') RETURNING id;
RESET ROLE;
CREATE POLICY remove ON id_sequences FOR DELETE USING (name LIKE 'regress_idgen_schema.orders.%');
SET ROLE regress_idgen_owner;
SELECT idgen_release('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');
\echo :SQLSTATE
RESET ROLE;
CREATE POLICY add ON id_sequences FOR INSERT WITH CHECK (name LIKE 'regress_idgen_schema.%');
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('regress_idgen_schema.orders', 'id');

-- a function of the owner's does it for others
CREATE FUNCTION regress_idgen_schema.move_back() RETURNS text LANGUAGE sql SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp AS $$SELECT public.idgen_release('regress_idgen_schema.orders', 'id')$$;
SET ROLE regress_idgen_other;
SELECT regress_idgen_schema.move_back();
RESET ROLE;

DROP SCHEMA regress_idgen_schema CASCADE;
DROP SEQUENCE foreign_sequence;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_owner, regress_idgen_member, regress_idgen_other;
\set SHOW_CONTEXT errors

\c -
--
-- An event trigger that drops the column while it is moved is an error
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE orders (id integer GENERATED BY DEFAULT AS IDENTITY, item text);
CREATE TABLE old_orders () INHERITS (orders);
ALTER TABLE old_orders ALTER id ADD GENERATED BY DEFAULT AS IDENTITY;

CREATE FUNCTION drop_id() RETURNS event_trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id') THEN
			ALTER TABLE orders DROP COLUMN id;
		END IF;
	END$$;
CREATE EVENT TRIGGER drop_id ON ddl_command_end WHEN tag IN ('ALTER TABLE') EXECUTE FUNCTION drop_id();
SELECT idgen_adopt('orders', 'id');
DROP EVENT TRIGGER drop_id;

SELECT idgen_adopt('orders', 'id');

SET client_min_messages = warning;
DROP TABLE orders, old_orders;
DROP FUNCTION drop_id();
DROP EXTENSION idgen;
