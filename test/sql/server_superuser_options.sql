--
-- Connecting without a password, with what belongs to the operating system's
-- user, or with settings that count before the password does, is allowed by
-- superusers only
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_owner;

-- not by the owner of the server, nor by the user
SET ROLE regress_idgen_owner;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (options '-c session_preload_libraries=x');
\echo :SQLSTATE
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a');
ALTER SERVER central OPTIONS (ADD options '-c post_auth_delay=2000');
\echo :SQLSTATE
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (password_required 'false');
\echo :SQLSTATE
CREATE USER MAPPING FOR regress_idgen_user SERVER central OPTIONS (sslcert 'c');
\echo :SQLSTATE
SET ROLE regress_idgen_user;
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (password_required 'off');
\echo :SQLSTATE
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (sslcert 'c');
\echo :SQLSTATE
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (sslkey 'k');
\echo :SQLSTATE
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS ("user" 'u', password 'p', password_required 'true');
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (SET password_required 'false');
\echo :SQLSTATE
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (ADD sslcert 'c', ADD sslkey 'k');
\echo :SQLSTATE
RESET ROLE;
SELECT umoptions FROM pg_user_mappings;

-- once a superuser has, the user may not use it for something else, but take it
-- back
ALTER USER MAPPING FOR regress_idgen_user SERVER central OPTIONS (SET password_required 'false', ADD sslcert 'c');
SET ROLE regress_idgen_user;
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (SET "user" 'postgres');
\echo :SQLSTATE
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (DROP password_required);
\echo :SQLSTATE
ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (DROP password_required, DROP sslcert, SET "user" 'u2');
RESET ROLE;
SELECT umoptions FROM pg_user_mappings;

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_owner, regress_idgen_user;
