--
-- What idgen_sync() takes, and whose code it runs
--
-- needs test/idgen.conf
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_owner;
GRANT USAGE ON SCHEMA regress_idgen_schema TO PUBLIC;
SELECT idgen_create('gen'), idgen_create('shared');
CREATE SEQUENCE regress_idgen_schema.no_seq;
GRANT USAGE ON SEQUENCE regress_idgen_schema.no_seq TO PUBLIC;
SET ROLE regress_idgen_owner;
CREATE TABLE regress_idgen_schema.t (
	id bigint DEFAULT idgen_next('gen'),
	no bigint DEFAULT idgen_next('regress_idgen_schema.no', 'sequence'),
	shared bigint DEFAULT idgen_next('shared'),
	secret text
);
INSERT INTO regress_idgen_schema.t VALUES (100, 100, 100);

-- UPDATE on id_sequences, or on the native sequence
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
SELECT idgen_sync('regress_idgen_schema.t', 'no');
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_owner, regress_idgen_other;
GRANT UPDATE ON SEQUENCE regress_idgen_schema.no_seq TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync('regress_idgen_schema.t', 'no');

-- SELECT on the column
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT (id) ON regress_idgen_schema.t TO regress_idgen_other;
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync('regress_idgen_schema.t', 'shared');
\echo :SQLSTATE
SELECT idgen_sync('regress_idgen_schema.t');

-- and on those of all columns that draw from the id sequence
RESET ROLE;
GRANT DELETE ON id_sequences TO regress_idgen_owner;
SET ROLE regress_idgen_other;
CREATE TEMP TABLE mine (id bigint DEFAULT idgen_next('shared'));
SELECT idgen_sync('mine', 'id');
\echo :SQLSTATE
DROP TABLE mine;

-- row security that hides rows
RESET ROLE;
ALTER TABLE regress_idgen_schema.t ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
ALTER TABLE regress_idgen_schema.t FORCE ROW LEVEL SECURITY;
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE regress_idgen_schema.t DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;

-- row security of id_sequences
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_may_draw ON id_sequences FOR SELECT USING (true);
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- code of the owner, in a view that draws or in the predicate of an index, does
-- not get the rights of whoever calls
SET ROLE regress_idgen_owner;
CREATE FUNCTION regress_idgen_schema.who(bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_idgen_owner' THEN
		RAISE 'runs as %', current_user;
	END IF;
	RETURN true;
END $$;
CREATE VIEW regress_idgen_schema.v AS
	SELECT id FROM regress_idgen_schema.t WHERE regress_idgen_schema.who(id);
ALTER VIEW regress_idgen_schema.v ALTER id SET DEFAULT idgen_next('gen');
CREATE INDEX ON regress_idgen_schema.t (id) WHERE regress_idgen_schema.who(1);
RESET ROLE;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync();

DROP SCHEMA regress_idgen_schema CASCADE;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_owner, regress_idgen_other;
