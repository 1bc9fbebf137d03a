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
