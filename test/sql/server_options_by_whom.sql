--
-- Of libpq's options, the owner of a server may set those that can do no harm,
-- a superuser most of the others, and nobody the rest; likewise in a user
-- mapping
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
CREATE USER MAPPING FOR PUBLIC SERVER central;
RESET ROLE;

-- "since" is the version of libpq that an option came with
CREATE TABLE options (by_whom text, since int, names text);
GRANT SELECT ON options TO PUBLIC;
INSERT INTO options VALUES
	('owner', 15, 'host hostaddr port dbname application_name target_session_attrs connect_timeout'),
	('owner', 15, 'keepalives keepalives_count keepalives_idle keepalives_interval tcp_user_timeout'),
	('owner', 15, 'sslmode sslcompression sslsni ssl_min_protocol_version ssl_max_protocol_version channel_binding requirepeer'),
	('owner', 16, 'load_balance_hosts'),
	('owner', 17, 'sslnegotiation'),
	('owner', 18, 'min_protocol_version max_protocol_version'),
	('superuser', 15, 'options service passfile sslcert sslkey sslrootcert sslcrl sslcrldir gssencmode gsslib krbsrvname'),
	('superuser', 16, 'require_auth sslcertmode gssdelegation'),
	('superuser', 19, 'servicefile'),
	('nobody', 15, 'client_encoding fallback_application_name replication user password sslpassword'),
	('nobody', 18, 'oauth_issuer oauth_client_id oauth_client_secret oauth_scope scram_client_key scram_server_key sslkeylogfile'),
	('owner of mapping', 15, 'user password sslpassword'),
	('superuser of mapping', 15, 'sslcert sslkey'),
	('nobody of mapping', 15, 'host hostaddr dbname options service passfile sslrootcert gssencmode client_encoding');

-- what comes of setting it: nothing, or a SQLSTATE
CREATE FUNCTION try(object text, option text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER %s OPTIONS (ADD %I %L)', object, option, 'a');
	EXECUTE format('ALTER %s OPTIONS (DROP %I)', object, option);
	RETURN '';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END$$;

CREATE VIEW tried AS
	SELECT by_whom, since, option, try(CASE WHEN by_whom LIKE '%of mapping' THEN 'USER MAPPING FOR PUBLIC SERVER central' ELSE 'SERVER central' END, option) AS result
	FROM options, unnest(string_to_array(names, ' ')) AS option;
ALTER VIEW tried OWNER TO regress_idgen_owner;
GRANT SELECT ON tried TO PUBLIC;

\pset format unaligned

-- the owner; an option may be one that this libpq has not got yet
SET ROLE regress_idgen_owner;
SELECT by_whom, result, string_agg(option, ' ' ORDER BY option) AS options FROM tried WHERE since = 15 GROUP BY by_whom, result ORDER BY by_whom, result;
SELECT option, result FROM tried WHERE since > 15 AND result NOT IN ('HV00D', CASE by_whom WHEN 'owner' THEN '' WHEN 'superuser' THEN '42501' ELSE 'HV00D' END);
RESET ROLE;

-- a superuser
SELECT by_whom, result, string_agg(option, ' ' ORDER BY option) AS options FROM tried WHERE since = 15 GROUP BY by_whom, result ORDER BY by_whom, result;
SELECT option, result FROM tried WHERE since > 15 AND result NOT IN ('HV00D', CASE by_whom WHEN 'nobody' THEN 'HV00D' ELSE '' END);

\set VERBOSITY terse
DROP VIEW tried;
DROP FUNCTION try;
DROP TABLE options;
DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_owner;
