--
-- A row that is deleted and inserted: what was cached from its server is a gap
-- when that commits, and only then
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 5);
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_next('gen');

BEGIN;
DELETE FROM id_sequences;
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_next('gen') AS by_the_new_row;
ROLLBACK;
SELECT idgen_next('gen') AS by_the_old_row;

BEGIN;
DELETE FROM id_sequences;
SELECT idgen_create('gen', source => 'server', source_name => 'central');
COMMIT;
SELECT idgen_next('gen') AS by_the_new_row;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
