--
-- idgen_columns: how far it has got is shown to those who may know it
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_nobody;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_monitor;
GRANT pg_monitor TO regress_idgen_monitor;
CREATE TABLE rights (a serial, b integer GENERATED ALWAYS AS IDENTITY, c bigint DEFAULT idgen_next('open'),
	d integer DEFAULT idgen_next('hidden'), e bigint DEFAULT idgen_next('native'), f integer);
CREATE SEQUENCE native_seq INCREMENT 10 MAXVALUE 1000;
SELECT idgen_create('open', 101), idgen_create('hidden', 101, owned_by => 'rights.d'), idgen_create('owned', 101, owned_by => 'rights.f'),
	idgen_create('native', source => 'sequence');
UPDATE id_sequences SET start_value = 1 WHERE name <> 'native';
SELECT nextval('rights_a_seq'), nextval('rights_b_seq'), nextval('native_seq');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY open ON id_sequences FOR SELECT USING (name IN ('open', 'native'));
GRANT USAGE ON SEQUENCE rights_a_seq TO regress_idgen_user;
GRANT SELECT ON SEQUENCE native_seq TO regress_idgen_user;

SELECT column_name, kind, draws_from, last_value AS last, limit_value AS limit, limited_by, percent_used IS NOT NULL AS known
	FROM idgen_columns;
SET ROLE regress_idgen_nobody;
SELECT column_name, kind, draws_from, last_value AS last, limit_value AS limit, limited_by, percent_used IS NOT NULL AS known
	FROM idgen_columns;
SET ROLE regress_idgen_user;
SELECT column_name, last_value AS last, percent_used IS NOT NULL AS known FROM idgen_columns;
SET ROLE regress_idgen_monitor;
SELECT column_name, kind, draws_from, last_value AS last, limit_value AS limit, limited_by, percent_used IS NOT NULL AS known
	FROM idgen_columns;

-- no privilege on id_sequences at all
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
SELECT column_name, last_value AS last, limited_by FROM idgen_columns;
SET ROLE regress_idgen_monitor;
SELECT column_name, last_value AS last, limited_by FROM idgen_columns;
RESET ROLE;

DROP TABLE rights;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_nobody, regress_idgen_user, regress_idgen_monitor;
