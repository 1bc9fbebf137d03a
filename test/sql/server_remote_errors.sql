--
-- What is wrong at the central server is raised in the session that refills:
-- SQLSTATE, message, detail and hint, and where it was; nothing is allocated,
-- the next call works
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
SELECT idgen_create('gen', source => 'server', source_name => 'central');

-- no row
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
INSERT INTO centre.id_sequences VALUES ('gen', 1, 1);
SELECT idgen_next('gen');

-- a row that makes no sense
UPDATE centre.id_sequences SET block_size = 0;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET block_size = -3;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_range('gen', 5);
\echo :SQLSTATE
UPDATE centre.id_sequences SET block_size = NULL;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET block_size = 1, next_block_start = NULL;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET next_block_start = 2;
SELECT idgen_next('gen');
TABLE centre.id_sequences;

-- no id is left
UPDATE centre.id_sequences SET exhausted = 1;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET exhausted = 0;

-- what a trigger raises, at once or when the transaction there commits
CREATE FUNCTION centre.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = 'XY123', MESSAGE = 'it is broken: 100%', DETAIL = 'It says %s.', HINT = 'Mend it.';
END$$;
CREATE TRIGGER fail BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.fail();
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP TRIGGER fail ON centre.id_sequences;
CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON centre.id_sequences DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION centre.fail();
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT ids_cached FROM idgen_stats;
DROP TRIGGER fail ON centre.id_sequences;
DROP FUNCTION centre.fail;
SELECT idgen_next('gen');

-- an update that is not made, or not as it should be
CREATE FUNCTION centre.skip() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;
CREATE TRIGGER skip BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.skip();
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP TRIGGER skip ON centre.id_sequences;
DROP FUNCTION centre.skip;
CREATE FUNCTION centre.change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.next_block_start := OLD.next_block_start;
	RETURN NEW;
END$$;
CREATE TRIGGER change BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.change();
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP TRIGGER change ON centre.id_sequences;
DROP FUNCTION centre.change;
SELECT idgen_next('gen');

-- privileges there: the role is as whom the server is used
CREATE ROLE regress_idgen_remote;
ALTER SERVER central OPTIONS (ADD options '-crole=regress_idgen_remote');
SELECT idgen_next('gen');
\echo :SQLSTATE
GRANT USAGE ON SCHEMA centre TO regress_idgen_remote;
SELECT idgen_next('gen');
\echo :SQLSTATE
GRANT SELECT ON centre.id_sequences TO regress_idgen_remote;
SELECT idgen_next('gen');
\echo :SQLSTATE
GRANT UPDATE ON centre.id_sequences TO regress_idgen_remote;
SELECT idgen_next('gen');
ALTER TABLE centre.id_sequences ENABLE ROW LEVEL SECURITY;
SELECT idgen_next('gen');
\echo :SQLSTATE
CREATE POLICY all_rows ON centre.id_sequences TO regress_idgen_remote USING (true);
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (DROP options);
DROP POLICY all_rows ON centre.id_sequences;
ALTER TABLE centre.id_sequences DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON centre.id_sequences FROM regress_idgen_remote;
REVOKE ALL ON SCHEMA centre FROM regress_idgen_remote;
DROP ROLE regress_idgen_remote;

-- settings there, of the role or the database, do not count: an allocation is
-- on disk when it is answered
CREATE FUNCTION centre.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('synchronous_commit') <> 'on' THEN
		RAISE 'synchronous_commit is %', current_setting('synchronous_commit');
	END IF;
	RETURN NEW;
END$$;
CREATE TRIGGER look BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.look();
ALTER TABLE centre.id_sequences ENABLE ALWAYS TRIGGER look;
SELECT '-cdefault_transaction_isolation=serializable -cdefault_transaction_deferrable=on -csynchronous_commit=off -crow_security=off -csession_replication_role=replica -cDateStyle=German -cbytea_output=escape -cclient_encoding=LATIN1' ||
	CASE WHEN current_setting('server_version_num')::int < 190000 THEN ' -cstandard_conforming_strings=off' ELSE '' END AS options \gset
ALTER SERVER central OPTIONS (ADD options :'options');
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (SET options '-cdefault_transaction_read_only=on');
SET idgen.server_timeout = '3s';
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET idgen.server_timeout;
ALTER SERVER central OPTIONS (DROP options);
DROP TRIGGER look ON centre.id_sequences;
DROP FUNCTION centre.look;

-- no table
ALTER TABLE centre.id_sequences RENAME TO other;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE centre.other RENAME TO id_sequences;
ALTER TABLE centre.id_sequences RENAME block_size TO other;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE centre.id_sequences RENAME other TO block_size;
ALTER SERVER central OPTIONS (SET schema_name 'elsewhere');
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET schema_name 'centre');
SELECT idgen_next('gen');

-- no server, no database
\set VERBOSITY terse
SET idgen.server_timeout = '300ms';
ALTER SERVER central OPTIONS (SET dbname 'no_such_database');
SELECT idgen_next('gen');
\echo :SQLSTATE
DO $$BEGIN EXECUTE format('ALTER SERVER central OPTIONS (SET dbname %L)', current_database()); END$$;
ALTER SERVER central OPTIONS (SET port '1');
SELECT idgen_next('gen');
\echo :SQLSTATE
DO $$BEGIN EXECUTE format('ALTER SERVER central OPTIONS (SET port %L)', current_setting('port')); END$$;
ALTER SERVER central OPTIONS (SET host '/no/such/directory');
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET port 'not a number');
SELECT idgen_next('gen');
\echo :SQLSTATE
DO $$BEGIN EXECUTE format('ALTER SERVER central OPTIONS (SET host %L, SET port %L)',
	split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')); END$$;
\set VERBOSITY default
RESET idgen.server_timeout;
SELECT idgen_next('gen');
TABLE centre.id_sequences;

-- a row there that has another source
ALTER SERVER central OPTIONS (SET schema_name 'public', ADD remote_name 'native');
CREATE SEQUENCE native_seq;
SELECT idgen_create('native', source => 'sequence');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
ALTER SERVER central OPTIONS (SET remote_name 'gen');
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source = 'table' WHERE name = 'native';
ALTER SERVER central OPTIONS (SET remote_name 'native');
SELECT idgen_next('gen');
DROP SEQUENCE native_seq;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
