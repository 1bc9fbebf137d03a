--
-- A growing next_block_start, as other programs leave it behind, does not
-- disturb what is cached
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

SELECT idgen_next('gen');

-- the classic two statements
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'gen';
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'gen';
COMMIT;
TABLE blocks;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- in the middle of a transaction that draws itself
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen') FROM generate_series(1, 4);
COMMIT;
TABLE blocks;

-- a gapless one is shared in the same way
SELECT idgen_next('gapless'), idgen_next('gapless');
UPDATE id_sequences SET next_block_start = next_block_start + 1 WHERE name = 'gapless';
SELECT idgen_next('gapless');
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + 1 WHERE name = 'gapless';
SELECT idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');
SELECT next_block_start FROM id_sequences WHERE name = 'gapless';

DROP VIEW blocks;
DROP EXTENSION idgen;
