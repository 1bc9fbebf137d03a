--
-- A transaction that draws very many ids asks the server for more and more at
-- once, so that it asks a few times only; what it has not used is in the cache
-- for others
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 20);
SELECT idgen_create('gen', source => 'server', source_name => 'central');

BEGIN;
SELECT count(DISTINCT idgen_next('gen')), max(idgen_last('gen')) FROM generate_series(1, 100000);
COMMIT;
SELECT ids_issued, refills < 100 AS few_refills, blocks_taken * 20 = ids_issued + ids_cached AS all_cached, ids_cached < 100000 / 8 + 20 AS few_left, ids_lost
FROM idgen_stats;
SELECT next_block_start - 1 = (SELECT ids_issued + ids_cached FROM idgen_stats) AS all_known FROM centre.id_sequences;

-- for another session, or another transaction
\c -
SET idgen.worker_start_timeout = -1;
SELECT idgen_next('gen');
SELECT refills < 100 AS still_few FROM idgen_stats;

-- the next one begins with single blocks again
SELECT count(idgen_next('gen')) AS used_up FROM idgen_stats, generate_series(1, ids_cached);
SELECT idgen_next('gen') > 100000 AS drawn;
SELECT ids_cached FROM idgen_stats;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
