--
-- The options of a user mapping are shown to superusers and to its user, as
-- long as they may use the server, those of the one for everybody also to the
-- server's owner. The options of the server are no secret.
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_other;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a');
ALTER SERVER central OWNER TO regress_idgen_owner;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user, regress_idgen_other;
CREATE USER MAPPING FOR regress_idgen_user SERVER central OPTIONS ("user" 'u', password 'secret');
CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS ("user" 'all', password 'known');
PREPARE mappings AS SELECT usename, umoptions FROM pg_user_mappings ORDER BY umuser = 0;
PREPARE servers AS SELECT srvname, srvoptions FROM pg_foreign_server;

EXECUTE mappings;
SET ROLE regress_idgen_user;
EXECUTE mappings;
EXECUTE servers;
SET ROLE regress_idgen_owner;
EXECUTE mappings;
SET ROLE regress_idgen_other;
EXECUTE mappings;
EXECUTE servers;
SELECT * FROM pg_user_mapping;
\echo :SQLSTATE
RESET ROLE;

REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE mappings;
RESET ROLE;

-- nor does an error show them
SET ROLE regress_idgen_owner;
ALTER USER MAPPING FOR regress_idgen_user SERVER central OPTIONS (ADD sslcert 'c');
ALTER USER MAPPING FOR regress_idgen_user SERVER central OPTIONS (ADD port '1');
RESET ROLE;

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_owner, regress_idgen_user, regress_idgen_other;
