--
-- The name of a row decides whose function runs for those who draw. But a role
-- that may do nothing but rename rows cannot have others run her function
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_renamer;
CREATE ROLE regress_idgen_super SUPERUSER;
CREATE SCHEMA regress_a AUTHORIZATION regress_idgen_renamer;
GRANT UPDATE (name) ON id_sequences TO regress_idgen_renamer;
SELECT idgen_create('orders');

-- her own function, for a row of her own: nothing bad
SET ROLE regress_idgen_renamer;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1001::bigint, 1020::bigint';
RESET ROLE;
SELECT idgen_create('hers.ids', source => 'function', source_name => 'regress_a.allocate');
SET ROLE regress_idgen_renamer;
SELECT idgen_next('hers.ids');

-- under a name from which others draw, with another body
UPDATE id_sequences SET name = 'orders before' WHERE name = 'orders';
UPDATE id_sequences SET name = 'orders' WHERE name = 'hers.ids';
CREATE OR REPLACE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	ALTER ROLE regress_idgen_renamer SUPERUSER;
	RETURN QUERY SELECT 2001::bigint, 2020::bigint;
END$$;
SET ROLE regress_idgen_super;
SELECT idgen_next('orders');
\echo :SQLSTATE
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_idgen_renamer';

-- nor when the superuser draws from the row that is hers by its name
ALTER ROLE regress_idgen_renamer NOSUPERUSER;
DELETE FROM id_sequences;
SELECT idgen_create('hers.ids', source => 'function', source_name => 'regress_a.allocate');
SELECT idgen_next('hers.ids');
\echo :SQLSTATE
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_idgen_renamer';

-- rows without code can be renamed by a role that may update the name
SELECT idgen_create('plain');
SET ROLE regress_idgen_renamer;
UPDATE id_sequences SET name = 'renamed' WHERE name = 'plain';
SELECT idgen_next('renamed');
UPDATE id_sequences SET name = name;
RESET ROLE;

DROP EXTENSION idgen;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_renamer, regress_idgen_super;
