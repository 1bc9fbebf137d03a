--
-- Blocks from a server do not belong to the transaction: whatever becomes of
-- that, they are drawn once. What the transaction itself has done is respected
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 2);
SELECT idgen_create('gen', source => 'server', source_name => 'central');

-- rolled back: ids are not issued again
BEGIN;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 3);
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
SAVEPOINT a;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 3);
ROLLBACK TO a;
SELECT idgen_next('gen');
RELEASE a;
COMMIT;
SELECT idgen_next('gen');
DO $$
DECLARE
	id bigint;
BEGIN
	id := idgen_next('gen');
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE '% and %', id, idgen_next('gen');
END$$;

-- nor is anything kept locked at the server until the end
BEGIN;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 3);
SELECT next_block_start FROM centre.id_sequences FOR UPDATE NOWAIT;
COMMIT;
SELECT ids_issued, ids_cached, blocks_taken, refills, ids_lost, percent_left FROM idgen_stats;

-- a block that is used up in the middle of what fails
BEGIN;
SELECT 1 / (idgen_next('gen') - 15), 1 / (idgen_next('gen') - 16) FROM generate_series(1, 3);
ROLLBACK;
SELECT idgen_next('gen') > 15 AS drawn;

-- a row of the transaction's own, on the node and at the server, which does not
-- see it
BEGIN;
INSERT INTO centre.id_sequences VALUES ('mine', 1, 2);
SELECT idgen_create('mine', source => 'server', source_name => 'central', block_size => 1);
SAVEPOINT a;
SELECT idgen_next('mine');
\echo :SQLSTATE
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('mine');

-- one that the transaction has locked there: the server does not answer. What
-- it allocates after that is lost, unless it notices first that nobody waits
BEGIN;
SET LOCAL idgen.server_timeout = '100ms';
UPDATE centre.id_sequences SET block_size = 1 WHERE name = 'mine';
SELECT idgen_next('mine');
SAVEPOINT a;
SELECT idgen_next('mine');
\echo :SQLSTATE
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('mine') AS then \gset
SELECT :then IN (3, 4) AS at_most_one_is_lost;

-- another source, and back
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET source = 'table', next_block_start = 1001 WHERE name = 'mine';
SELECT idgen_next('mine');
ROLLBACK TO a;
SELECT idgen_next('mine') - :then;
UPDATE id_sequences SET source = 'table', next_block_start = 1001 WHERE name = 'mine';
SELECT idgen_next('mine');
COMMIT;
SELECT idgen_next('mine');
UPDATE id_sequences SET source = 'server' WHERE name = 'mine';
SELECT idgen_next('mine') - :then;
DELETE FROM id_sequences WHERE name = 'mine';
SELECT idgen_next('mine');
\echo :SQLSTATE
SELECT idgen_create('mine', source => 'server', source_name => 'central');
SELECT idgen_next('mine') - :then;

-- the server is altered
BEGIN;
UPDATE centre.id_sequences SET block_size = 1;
INSERT INTO centre.id_sequences VALUES ('other', 5001, 1);
COMMIT;
SELECT count(idgen_next('mine')) FROM generate_series(1, 5);
BEGIN;
ALTER SERVER central OPTIONS (ADD remote_name 'other');
SELECT idgen_next('mine');
SAVEPOINT a;
ALTER SERVER central OPTIONS (SET remote_name 'gen');
SELECT idgen_next('mine') < 5000 AS of_gen;
ROLLBACK TO a;
SELECT idgen_next('mine');
ROLLBACK;
SELECT idgen_next('mine') < 5000 AS of_mine;

-- the connection as well
BEGIN;
ALTER SERVER central OPTIONS (SET dbname 'no_such_database');
\set VERBOSITY terse
SELECT idgen_next('mine');
\echo :SQLSTATE
\set VERBOSITY default
ROLLBACK;
SELECT idgen_next('mine') < 5000 AS of_mine;
BEGIN;
DROP USER MAPPING FOR CURRENT_USER SERVER central;
\set VERBOSITY sqlstate
SELECT idgen_next('mine');
\set VERBOSITY default
ROLLBACK;
SELECT idgen_next('mine') < 5000 AS of_mine;

-- a transaction that may not write, whether ids are cached or not
BEGIN READ ONLY;
SELECT idgen_peek('mine') < 5000 AS peeked;
SELECT idgen_next('mine');
\echo :SQLSTATE
ROLLBACK;

-- whatever the snapshot shows
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM centre.id_sequences;
SELECT count(DISTINCT idgen_next('mine')) FROM generate_series(1, 5);
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM centre.id_sequences;
SELECT count(DISTINCT idgen_next('mine')) FROM generate_series(1, 5);
COMMIT;

-- it cannot be restarted from here
\set SHOW_CONTEXT never
SELECT idgen_restart('mine', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
