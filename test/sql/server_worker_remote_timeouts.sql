--
-- Where a row is locked at the central server, the worker tries again until the
-- time is over. A statement_timeout there is an error of its own: a session
-- that waits for the worker gets that at once, with its SQLSTATE and context
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 20);
SELECT idgen_create('gen', source => 'server', source_name => 'central', refill => 'worker');

-- the row is locked by the caller
SET idgen.worker_timeout = '2s';
ALTER SERVER central OPTIONS (ADD options '-cstatement_timeout=1s');
BEGIN;
SELECT name FROM centre.id_sequences FOR UPDATE;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen');
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);

-- the table is locked
SET idgen.worker_timeout = '20s';
DO $$
BEGIN
	LOCK TABLE centre.id_sequences;
	LOOP
		PERFORM idgen_next('gen');
	END LOOP;
EXCEPTION WHEN query_canceled THEN
	RAISE NOTICE '%: %', SQLSTATE, SQLERRM;
END$$;
BEGIN;
LOCK TABLE centre.id_sequences;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
ALTER SERVER central OPTIONS (DROP options);
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
