--
-- idgen_next_range: n ids in a row, from what is cached if there are that many
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache;
CREATE VIEW counters AS
	SELECT ids_issued, ids_cached, ids_lost, blocks_taken, refills, next_block_start
	FROM idgen_stats JOIN id_sequences USING (name);

-- one block serves single ids and ranges
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 5);
SELECT idgen_next('gen'), idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 1);
SELECT * FROM idgen_next_range('gen', 2);
TABLE blocks;
TABLE counters;

-- the last id of a range is the one drawn last
SELECT idgen_last('gen');

-- all that is left of the block
SELECT * FROM idgen_next_range('gen', 10);
TABLE blocks;
TABLE counters;

-- one whole block, then the next one
SELECT * FROM idgen_next_range('gen', 20);
TABLE blocks;
TABLE counters;
SELECT idgen_next('gen');

-- within a transaction: from what is cached, then from what it has allocated
BEGIN;
SELECT * FROM idgen_next_range('gen', 18);
SELECT * FROM idgen_next_range('gen', 6);
SELECT idgen_next('gen'), idgen_last('gen'), idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 3);
TABLE blocks;
COMMIT;
TABLE blocks;
TABLE counters;

-- a smaller block in front of one with that many ids is kept
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('pieces', 1, 10);
SELECT count(idgen_next('pieces')) FROM generate_series(1, 7);
UPDATE id_sequences SET next_block_start = 101 WHERE name = 'pieces';
SELECT * FROM idgen_next_range('pieces', 4);
SELECT first_id, last_id FROM idgen_cache WHERE name = 'pieces' ORDER BY first_id;
SELECT * FROM idgen_next_range('pieces', 4);
SELECT idgen_peek('pieces');
SELECT * FROM idgen_next_range('pieces', 3);
SELECT first_id, last_id FROM idgen_cache WHERE name = 'pieces' ORDER BY first_id;

-- negative ids, and across zero
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('below', -25, 20);
SELECT * FROM idgen_next_range('below', 3);
SELECT * FROM idgen_next_range('below', 30);
SELECT idgen_next('below');

DROP VIEW blocks, counters;
DROP EXTENSION idgen;
