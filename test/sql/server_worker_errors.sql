--
-- What is wrong at the central server, or on the way there, is raised in the
-- session that waits for the worker, with its SQLSTATE; other id sequences are
-- not concerned, and the next call works
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('other', 1, 1);
SELECT idgen_create(name, source => 'server', source_name => 'central', refill => 'worker') FROM unnest('{gen,other}'::text[]) name;
SELECT idgen_create('own', refill => 'worker');

-- no row
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT array_agg(idgen_next('other')), array_agg(idgen_next('own')) FROM generate_series(1, 3);
INSERT INTO centre.id_sequences VALUES ('gen', 1, 1);
SELECT idgen_next('gen');

-- nothing is refilled ahead any more
UPDATE centre.id_sequences SET next_block_start = 9223372036854775807 WHERE name = 'gen';
SELECT max(idgen_next('gen')) FROM generate_series(1, 100);
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE

-- a row that makes no sense
UPDATE centre.id_sequences SET block_size = 0, exhausted = 0, next_block_start = 1001 WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET block_size = NULL WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE centre.id_sequences SET block_size = 1 WHERE name = 'gen';
SELECT idgen_accept_centre('central', 'gen');
SELECT idgen_next('gen');

-- what a trigger raises
CREATE FUNCTION centre.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.name = 'gen' THEN
		RAISE EXCEPTION USING ERRCODE = 'XY123', MESSAGE = 'it is broken: 100%', DETAIL = 'It says %s.', HINT = 'Mend it.';
	END IF;
	RETURN NULL;
END$$;
CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON centre.id_sequences DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION centre.fail();
DO $$
BEGIN
	LOOP
		PERFORM idgen_next('gen');
	END LOOP;
EXCEPTION WHEN SQLSTATE 'XY123' THEN
	RAISE NOTICE 'raised';
END$$;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT count(idgen_next('other')), count(idgen_next('own')) FROM generate_series(1, 30);
DROP TRIGGER fail ON centre.id_sequences;
DROP FUNCTION centre.fail;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);

-- no server, no database, no user mapping: ids that are cached come first
CREATE PROCEDURE use_up(state text) LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		PERFORM idgen_next('gen');
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%', CASE SQLSTATE WHEN state THEN 'as expected' ELSE SQLSTATE || ': ' || SQLERRM END;
END$$;
ALTER SERVER central OPTIONS (SET dbname 'no_such_database');
CALL use_up('08001');
CALL use_up('08001');
DO $$BEGIN EXECUTE format('ALTER SERVER central OPTIONS (SET dbname %L)', current_database()); END$$;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);
DROP USER MAPPING FOR CURRENT_USER SERVER central;
CALL use_up('42704');
DO $$BEGIN EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user %L)', current_user); END$$;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);

-- the worker's user is the owner of id_sequences; the caller needs USAGE as
-- well
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;
SET ROLE regress_idgen_user;
CALL use_up('42501');
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_owner;
SET ROLE regress_idgen_user;
CALL use_up('42704');
RESET ROLE;
CREATE USER MAPPING FOR regress_idgen_owner SERVER central;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;
DO $$BEGIN EXECUTE format('ALTER USER MAPPING FOR regress_idgen_owner SERVER central OPTIONS (ADD user %L, ADD password_required ''false'')', current_user); END$$;
SET ROLE regress_idgen_user;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

-- the row on the node, in a transaction that has not committed
BEGIN;
SELECT idgen_create('mine', source => 'server', source_name => 'central', refill => 'worker');
SELECT idgen_next('mine');
\echo :SQLSTATE
ROLLBACK;


ALTER TABLE id_sequences OWNER TO CURRENT_USER;
DROP USER MAPPING FOR regress_idgen_owner SERVER central;
DROP PROCEDURE use_up;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
DROP ROLE regress_idgen_owner, regress_idgen_user;
