--
-- USAGE on the wrapper allows to create servers, and USAGE on a server to
-- create one's own user mapping; nobody has either without being granted it
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
SELECT fdwacl FROM pg_foreign_data_wrapper WHERE fdwname = 'idgen_fdw';

SET ROLE regress_idgen_owner;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a');
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'b');
\echo :SQLSTATE
ALTER FOREIGN DATA WRAPPER idgen_fdw NO VALIDATOR;
\echo :SQLSTATE

SET ROLE regress_idgen_user;
CREATE USER MAPPING FOR CURRENT_USER SERVER central;
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET host 'b');
\echo :SQLSTATE
SET ROLE regress_idgen_owner;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
SET ROLE regress_idgen_user;
CREATE USER MAPPING FOR CURRENT_USER SERVER central;
CREATE USER MAPPING FOR PUBLIC SERVER central;
\echo :SQLSTATE
CREATE USER MAPPING FOR regress_idgen_owner SERVER central;
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET host 'b');
\echo :SQLSTATE
DROP SERVER central;
\echo :SQLSTATE

-- the server's owner decides about everybody's mapping
SET ROLE regress_idgen_owner;
ALTER USER MAPPING FOR regress_idgen_user SERVER central OPTIONS ("user" 'u');
CREATE USER MAPPING FOR PUBLIC SERVER central;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET ROLE regress_idgen_user;
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (SET "user" 'v');
\echo :SQLSTATE
RESET ROLE;

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_owner, regress_idgen_user;
