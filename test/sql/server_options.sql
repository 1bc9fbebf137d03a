--
-- A server has the options of libpq, but for the user's own and those that
-- idgen sets, and a user mapping has the user's own
--
CREATE EXTENSION idgen;

-- libpq has more options in later versions, so the hint is left out for servers
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
\set VERBOSITY terse
ALTER SERVER central OPTIONS (ADD host 'a,b', ADD hostaddr '127.0.0.1,127.0.0.2', ADD port '1,2', ADD dbname 'ids',
	ADD options '-c lock_timeout=1s', ADD application_name 'node 1', ADD connect_timeout '2',
	ADD keepalives '1', ADD keepalives_idle '10', ADD tcp_user_timeout '1000',
	ADD target_session_attrs 'any', ADD channel_binding 'prefer',
	ADD sslmode 'verify-full', ADD sslcert 'c', ADD sslkey 'k', ADD sslrootcert 'r', ADD sslcrl 'l',
	ADD gssencmode 'disable', ADD service 's', ADD passfile 'p',
	ADD remote_name 'orders of all', ADD schema_name 'Ids');
ALTER SERVER central OPTIONS (ADD "user" 'u');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD password 'p');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD sslpassword 'p');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD password_required 'false');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD client_encoding 'LATIN1');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD fallback_application_name 'x');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD replication 'database');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD oauth_issuer 'x');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD table_name 'x');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (ADD "HOST" 'x');
\echo :SQLSTATE
CREATE SERVER other FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a', hosts 'b');
\echo :SQLSTATE
\set VERBOSITY default
SELECT srvname, srvtype, srvversion, unnest(srvoptions) FROM pg_foreign_server;

CREATE USER MAPPING FOR CURRENT_USER SERVER central
	OPTIONS ("user" 'u', password 'p', sslpassword 's', sslcert 'c', sslkey 'k', password_required 'true');
CREATE USER MAPPING FOR PUBLIC SERVER central;
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (ADD host 'a');
\echo :SQLSTATE
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (ADD remote_name 'a');
\echo :SQLSTATE
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (ADD passfile 'a');
\echo :SQLSTATE
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (ADD client_encoding 'LATIN1');
\echo :SQLSTATE
SELECT usename = 'public' AS public, umoptions FROM pg_user_mappings ORDER BY public;

-- the wrapper has none, and neither has a foreign table, which is of no use
ALTER FOREIGN DATA WRAPPER idgen_fdw OPTIONS (ADD host 'a');
\echo :SQLSTATE
CREATE FOREIGN TABLE remote (id bigint) SERVER central OPTIONS (schema_name 'a');
\echo :SQLSTATE
CREATE FOREIGN TABLE remote (id bigint OPTIONS (column_name 'a')) SERVER central;
\echo :SQLSTATE
CREATE FOREIGN TABLE remote (id bigint) SERVER central;
SELECT * FROM remote;
\echo :SQLSTATE

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
