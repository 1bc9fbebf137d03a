--
-- Whichever role draws, it is by the user mapping of the owner of id_sequences
-- that ids are fetched
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 1);
SELECT idgen_create('gen', source => 'server', source_name => 'central');
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;

-- a role that has none draws, and so does one that has one, which does not
-- count
SET ROLE regress_idgen_user;
SELECT idgen_next('gen'), idgen_peek('gen');
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'regress_nobody', password 'p');
SELECT idgen_next('gen'), idgen_peek('gen');
RESET ROLE;

-- without the owner's, nobody does
DROP USER MAPPING FOR CURRENT_USER SERVER central;
SET ROLE regress_idgen_user;
\set VERBOSITY sqlstate
SELECT idgen_next('gen');
SELECT idgen_peek('gen');
RESET ROLE;

-- another owner, which needs USAGE as well
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;
CREATE USER MAPPING FOR regress_idgen_owner SERVER central OPTIONS (password_required 'false');
DO $$BEGIN EXECUTE format('ALTER USER MAPPING FOR regress_idgen_owner SERVER central OPTIONS (ADD user %L)', current_user); END$$;
SELECT idgen_next('gen');
SELECT idgen_peek('gen');
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_owner;
SELECT idgen_next('gen'), idgen_peek('gen');
SET ROLE regress_idgen_user;
SELECT idgen_next('gen'), idgen_peek('gen');
RESET ROLE;

-- and one that is no superuser needs a password, even if a superuser draws
ALTER USER MAPPING FOR regress_idgen_owner SERVER central OPTIONS (DROP password_required);
SELECT idgen_next('gen');
ALTER TABLE id_sequences OWNER TO CURRENT_USER;

-- that of all is the owner's, as long as they have no other one
CREATE USER MAPPING FOR PUBLIC SERVER central;
DO $$BEGIN EXECUTE format('ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (ADD user %L)', current_user); END$$;
SELECT idgen_next('gen'), idgen_peek('gen');
SET ROLE regress_idgen_user;
SELECT idgen_next('gen'), idgen_peek('gen');
RESET ROLE;

\set VERBOSITY terse
DROP EXTENSION idgen CASCADE;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
DROP ROLE regress_idgen_user, regress_idgen_owner;
