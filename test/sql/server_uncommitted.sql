--
-- Ids that a transaction draws with a row or a server that it has made or
-- altered itself are nobody else's before it commits, and nobody's if it is
-- rolled back
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 5001, 5), ('other', 9001, 5);

-- a row
BEGIN;
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_create('gen', block_size => 1);
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 8);
DELETE FROM id_sequences;
BEGIN;
SAVEPOINT a;
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_create('gen', block_size => 1);
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 8);
COMMIT;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 8);

-- a row that has had another source
BEGIN;
UPDATE id_sequences SET source = 'server', source_name = 'central';
SELECT idgen_next('gen') BETWEEN 5001 AND 9000 AS of_server;
ROLLBACK;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 8);
UPDATE id_sequences SET source = 'server', source_name = 'central';

-- a server that is altered
BEGIN;
ALTER SERVER central OPTIONS (ADD remote_name 'other');
SELECT idgen_next('gen');
ROLLBACK;
SELECT count(*) FROM generate_series(1, 8) WHERE idgen_next('gen') < 9000;
BEGIN;
SAVEPOINT a;
ALTER SERVER central OPTIONS (ADD remote_name 'other');
SELECT idgen_next('gen') > 0 AS drawn FROM generate_series(1, 12) OFFSET 11;
ROLLBACK TO a;
SELECT count(*) FROM generate_series(1, 8) WHERE idgen_next('gen') < 9000;
COMMIT;
SELECT count(*) FROM generate_series(1, 8) WHERE idgen_next('gen') < 9000;

-- what was drawn from a pending block meanwhile stays drawn
INSERT INTO centre.id_sequences VALUES ('mine', 1, 20);
BEGIN;
SELECT idgen_create('mine', source => 'server', source_name => 'central');
SELECT idgen_next('mine');
SAVEPOINT a;
ALTER SERVER central OPTIONS (ADD application_name 'x');
SELECT idgen_next('mine'), idgen_next('mine');
ROLLBACK TO a;
SELECT idgen_next('mine');
ROLLBACK;

-- one that is made, for a row without source_name
UPDATE id_sequences SET source_name = NULL;
BEGIN;
ALTER SERVER central RENAME TO idgen_default;
ALTER SERVER idgen_default OPTIONS (ADD remote_name 'other');
SELECT idgen_next('gen') > 9000 AS of_other;
ROLLBACK;
ALTER SERVER central RENAME TO idgen_default;
SELECT count(*) FROM generate_series(1, 8) WHERE idgen_next('gen') < 9000;

-- one that is dropped, so that another one is used
SET client_min_messages = warning;
DO $$
BEGIN
	EXECUTE format('CREATE SERVER gen FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, schema_name ''centre'', remote_name ''other'')',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER gen OPTIONS (user %L)', current_user);
END$$;
SELECT count(*) FROM generate_series(1, 20) WHERE idgen_next('gen') > 9000;
BEGIN;
DROP SERVER gen CASCADE;
SELECT idgen_next('gen') < 9000 AS of_gen;
ROLLBACK;
SELECT count(*) FROM generate_series(1, 8) WHERE idgen_next('gen') > 9000;

DROP USER MAPPING FOR CURRENT_USER SERVER idgen_default;
DROP USER MAPPING FOR CURRENT_USER SERVER gen;
DROP SERVER idgen_default, gen;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
