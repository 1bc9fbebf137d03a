--
-- The extension keeps the wrapper, and servers and user mappings keep each
-- other, from being dropped by mistake
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a');
CREATE USER MAPPING FOR regress_idgen_user SERVER central OPTIONS ("user" 'u', password 'p');

DROP FOREIGN DATA WRAPPER idgen_fdw;
\echo :SQLSTATE
DROP EXTENSION idgen;
\echo :SQLSTATE
DROP SERVER central;
\echo :SQLSTATE
DROP ROLE regress_idgen_user;
\echo :SQLSTATE

ALTER SERVER central RENAME TO idgen_default;
ALTER SERVER idgen_default VERSION '2' OPTIONS (SET host 'b', ADD port '5433');
SELECT srvname, srvversion, srvoptions, umoptions FROM pg_foreign_server s JOIN pg_user_mapping ON umserver = s.oid;

\set VERBOSITY terse
ALTER SERVER idgen_default OPTIONS (DROP port, ADD ports 'x');
\echo :SQLSTATE
ALTER SERVER idgen_default OPTIONS (DROP port);

DROP EXTENSION idgen CASCADE;
SELECT FROM pg_foreign_data_wrapper UNION ALL SELECT FROM pg_foreign_server UNION ALL SELECT FROM pg_user_mapping;
DROP ROLE regress_idgen_user;
