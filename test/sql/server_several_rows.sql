--
-- Two rows of one name at the central server, whose table has no key: nothing
-- is allocated
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 20), ('gen', 1000, 20);
SELECT idgen_create('gen', source => 'server', source_name => 'central');

SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_range('gen', 100);
\echo :SQLSTATE
SELECT next_block_start FROM centre.id_sequences ORDER BY next_block_start;
DELETE FROM centre.id_sequences WHERE next_block_start = 1;
SELECT idgen_next('gen');

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
