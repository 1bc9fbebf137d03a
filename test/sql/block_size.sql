--
-- block_size holds from the next id on
--
-- A cache per session is emptied by any change of a row, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4);
CREATE VIEW taken AS SELECT next_block_start, block_size FROM id_sequences WHERE name = 'gen';

SELECT idgen_next('gen');
TABLE taken;

-- larger
UPDATE id_sequences SET block_size = 100;
SELECT idgen_next('gen') FROM generate_series(1, 3);
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- smaller
UPDATE id_sequences SET block_size = 2;
SELECT array_agg(id) = array_agg(id ORDER BY id) AS ascending, min(id), max(id), count(DISTINCT id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 99)) AS s;
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- 1: gapless from the next id on
UPDATE id_sequences SET block_size = 1;
SELECT idgen_next('gen');
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
SELECT * FROM idgen_cache;

-- and back
UPDATE id_sequences SET block_size = 3;
SELECT idgen_next('gen');
TABLE taken;
SELECT * FROM idgen_cache;

-- within a transaction: from its next refill, and undone with it
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 3);
UPDATE id_sequences SET block_size = 10;
SELECT idgen_next('gen') FROM generate_series(1, 2);
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;
ROLLBACK;
SELECT idgen_next('gen');
TABLE taken;

-- from gapless to blocks, with a rest of the gapless block that goes back
UPDATE id_sequences SET next_block_start = 1, block_size = 1;
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 98);
SELECT first_id <= 99 AND last_id >= 99 AS has_rest, state FROM idgen_cache;
UPDATE id_sequences SET block_size = 5;
SELECT idgen_next('gen');
COMMIT;
TABLE taken;
SELECT idgen_next('gen');
TABLE taken;

-- from blocks to gapless, with a rest that is published as usual
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 5);
UPDATE id_sequences SET block_size = 1;
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen') FROM generate_series(1, 5);
TABLE taken;
SELECT * FROM idgen_cache;

-- as large as can be
UPDATE id_sequences SET block_size = 2147483647;
SELECT idgen_next('gen');
TABLE taken;

DROP VIEW taken;
DROP EXTENSION idgen;
