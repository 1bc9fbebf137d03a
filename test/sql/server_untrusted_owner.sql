--
-- Who may make servers, but is no superuser, cannot have somebody connect to
-- where they like without a password, be it the worker or a superuser who
-- draws: they would come as the operating system's user
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;
CREATE ROLE regress_idgen_trap;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_trap;

SELECT split_part(current_setting('unix_socket_directories'), ',', 1) AS host, current_setting('port') AS port,
	current_database() AS dbname, current_user AS superuser \gset

-- an honest server, which is this one
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname :'dbname', schema_name 'centre');
CREATE USER MAPPING FOR CURRENT_USER SERVER idgen_default OPTIONS (user :'superuser');
CREATE SCHEMA centre;
CREATE TABLE centre.id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
INSERT INTO centre.id_sequences VALUES ('by_session', 1, 1), ('by_worker', 1, 1);
SELECT idgen_create('by_session', source => 'server'), idgen_create('by_worker', source => 'server', refill => 'worker');
SELECT idgen_next('by_session'), idgen_next('by_worker');

-- the trap: servers that come first, and a table whose trigger does what its
-- owner may not
CREATE SCHEMA trap AUTHORIZATION regress_idgen_trap;
CREATE TABLE trap.id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
INSERT INTO trap.id_sequences VALUES ('by_session', 1001, 1), ('by_worker', 1001, 1);
ALTER TABLE trap.id_sequences OWNER TO regress_idgen_trap;
SET ROLE regress_idgen_trap;
CREATE FUNCTION trap.spring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	ALTER ROLE regress_idgen_trap SUPERUSER;
	RETURN NEW;
END$$;
CREATE TRIGGER spring BEFORE UPDATE ON trap.id_sequences FOR EACH ROW EXECUTE FUNCTION trap.spring();
CREATE SERVER by_session FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname :'dbname', schema_name 'trap');
CREATE SERVER by_worker FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname :'dbname', schema_name 'trap');
CREATE USER MAPPING FOR :"superuser" SERVER by_session OPTIONS (user :'superuser');
CREATE USER MAPPING FOR :"superuser" SERVER by_worker OPTIONS (user :'superuser');
RESET ROLE;

-- uses up what is cached
CREATE PROCEDURE draw(name text) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		PERFORM idgen_next(name);
	END LOOP;
	RAISE NOTICE 'the trap springs';
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%: %', SQLSTATE, SQLERRM;
END$$;
CALL draw('by_session');
CALL draw('by_worker');

-- nor with a password that is not asked for
SET ROLE regress_idgen_trap;
ALTER USER MAPPING FOR :"superuser" SERVER by_session OPTIONS (ADD password 'x');
ALTER USER MAPPING FOR :"superuser" SERVER by_worker OPTIONS (ADD password 'x');
RESET ROLE;
CALL draw('by_session');
CALL draw('by_worker');
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_idgen_trap';

-- nor with options that only a superuser may set, if they have been handed over
-- with the server
ALTER SERVER by_session OWNER TO CURRENT_USER;
ALTER SERVER by_session OPTIONS (ADD options '-c session_preload_libraries=trap');
ALTER SERVER by_session OWNER TO regress_idgen_trap;
CALL draw('by_session');
ALTER SERVER by_session OPTIONS (DROP options);

-- a superuser may decide otherwise
DROP TRIGGER spring ON trap.id_sequences;
ALTER SERVER by_session OWNER TO CURRENT_USER;
SELECT idgen_next('by_session');
ALTER USER MAPPING FOR CURRENT_USER SERVER by_worker OPTIONS (ADD password_required 'false');
SELECT idgen_next('by_worker');

\set VERBOSITY terse
DROP PROCEDURE draw;
DROP EXTENSION idgen CASCADE;
DROP TABLE trap.id_sequences, centre.id_sequences;
DROP FUNCTION trap.spring;
DROP SCHEMA trap, centre;
DROP ROLE regress_idgen_trap;
