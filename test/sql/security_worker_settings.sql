--
-- The owner of the database, which decides which settings its sessions begin
-- with, cannot have the worker load something, or act as anybody but the owner
-- of id_sequences
--
-- needs test/idgen.conf
--
SELECT current_database() AS dbname \gset
CREATE ROLE regress_idgen_database;
CREATE ROLE regress_idgen_owner;
CREATE DATABASE regress_idgen_security OWNER regress_idgen_database;
\c regress_idgen_security
CREATE EXTENSION idgen;
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner;
CREATE TABLE run_by (who text, search_path text);
GRANT INSERT ON run_by TO PUBLIC;

-- what shows in whose place the worker is
SET ROLE regress_idgen_owner;
CREATE FUNCTION note() RETURNS void LANGUAGE plpgsql AS
	'BEGIN INSERT INTO public.run_by VALUES (current_user, current_setting(''search_path'')); END';
CREATE FUNCTION noted(value bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN PERFORM public.note(); RETURN value; END';
CREATE INDEX ON id_sequences (noted(next_block_start));
RESET ROLE;
SELECT idgen_create('gen', refill => 'worker');
TRUNCATE run_by;

SET ROLE regress_idgen_database;
ALTER DATABASE regress_idgen_security SET local_preload_libraries = 'no_such_library';
ALTER DATABASE regress_idgen_security SET session_preload_libraries = 'no_such_library';
ALTER DATABASE regress_idgen_security SET session_authorization = regress_idgen_database;
ALTER DATABASE regress_idgen_security SET role = regress_idgen_database;
ALTER DATABASE regress_idgen_security SET search_path = pg_temp, public, pg_catalog;
ALTER DATABASE regress_idgen_security SET row_security = off;
ALTER DATABASE regress_idgen_security SET quote_all_identifiers = on;
RESET ROLE;
SELECT idgen_next('gen');
SELECT DISTINCT * FROM run_by;

\c :dbname
DROP DATABASE regress_idgen_security;
DROP ROLE regress_idgen_database, regress_idgen_owner;
