--
-- block_size 1 is not gapless with refill = 'worker': the id of a transaction
-- that is rolled back is gone
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 1, 'worker');
BEGIN;
SELECT idgen_next('gen');
SELECT next_block_start FROM id_sequences;
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
SELECT idgen_next('gen') FROM generate_series(3, 5);
SAVEPOINT a;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- more than one may be cached
SELECT max(idgen_next('gen')) FROM generate_series(9, 1000);
SELECT next_block_start > 1000 AS so_far FROM id_sequences;

-- gapless again from the moment that a transaction refills, when the cache is
-- empty
UPDATE id_sequences SET refill = 'transaction', next_block_start = 1;
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
SELECT next_block_start FROM id_sequences;
SELECT count(*) FROM idgen_cache;

DROP EXTENSION idgen;
