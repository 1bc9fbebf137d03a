--
-- The cache of the server: ids outlive the session that allocated them
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1);
SELECT idgen_next('gen'), idgen_next('gapless');
SELECT cache FROM idgen_stats WHERE name = 'gen';

-- what poolers do
DISCARD ALL;
SELECT idgen_next('gen');
\c -
SELECT * FROM idgen_cache;
SELECT idgen_next('gen'), idgen_next('gapless');
\c -
SELECT idgen_next('gen'), idgen_next('gapless');
SELECT name, next_block_start FROM id_sequences ORDER BY name;
SELECT name, ids_issued, ids_cached, ids_lost, blocks_taken FROM idgen_stats ORDER BY name;

-- a session that ends in the middle of a transaction
BEGIN;
SELECT idgen_next('gen'), idgen_next('gapless');
SELECT count(idgen_next('gen')) FROM generate_series(1, 10);
\c -
SELECT idgen_next('gen'), idgen_next('gapless');

-- the table is away for a while
ALTER TABLE id_sequences RENAME TO renamed;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE renamed RENAME TO id_sequences;
SELECT idgen_next('gen');

-- its size is fixed at start
SET idgen.max_sequences = 2000;
\echo :SQLSTATE

DROP EXTENSION idgen;
