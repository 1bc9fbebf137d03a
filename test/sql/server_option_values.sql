--
-- Options of idgen's own have to make sense; what is libpq's, it sees itself
-- when it connects
--
CREATE EXTENSION idgen;

CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (remote_name '');
\echo :SQLSTATE
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (schema_name '');
\echo :SQLSTATE
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (remote_name 'a', port 'x', sslmode 'x');
ALTER SERVER central OPTIONS (SET remote_name '');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD schema_name '');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET remote_name ' ', SET port '5432', DROP sslmode);
SELECT srvoptions FROM pg_foreign_server;

CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (password_required 'maybe');
\echo :SQLSTATE
CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (password_required '');
\echo :SQLSTATE
CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (password '', password_required 'off');
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (SET password_required 'True');
SELECT umoptions FROM pg_user_mappings;

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
