-- docs/operations.md, "Limits"

-- claim: A name has up to 255 characters.
SELECT idgen_create(repeat('y', 255));
SELECT idgen_next(repeat('y', 255));
-- gives: 1

-- claim: A longer name does not exist.
SELECT idgen_next(repeat('y', 256));
-- gives: ERROR 42704

-- claim: The empty name does not exist.
SELECT idgen_next('');
-- gives: ERROR 42704

-- claim: A transaction that draws gapless ids and then allocates by SQL leaves a gap.
SELECT idgen_create('gg', block_size => 1);
BEGIN;
SELECT idgen_next('gg');
-- gives: 1
UPDATE id_sequences SET next_block_start = next_block_start+1 WHERE name = 'gg';
COMMIT;
SELECT next_block_start FROM id_sequences WHERE name = 'gg';
-- gives: 3

-- claim: A block of more than 2^59 ids is cut to that.
CREATE SEQUENCE h_seq INCREMENT 1000000000000000000;
SELECT idgen_next('h', 'sequence');
-- gives: 1
SELECT last_id FROM idgen_cache WHERE name = 'h';
-- gives: 576460752303423488

-- claim: A REPEATABLE READ transaction that has refilled over a change sees the row twice in a sequential scan, and the old version by its name.
SELECT idgen_create('tw');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM pg_class WHERE relname = 'id_sequences';
-- gives: 1
\other UPDATE id_sequences SET block_size = 21 WHERE name = 'tw';
SELECT idgen_next('tw');
-- gives: 1
SET LOCAL enable_seqscan = on;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT next_block_start FROM id_sequences WHERE name = 'tw' ORDER BY next_block_start;
-- gives: 1
-- gives: 22
SET LOCAL enable_indexscan = on;
SET LOCAL enable_seqscan = off;
SELECT next_block_start FROM id_sequences WHERE name = 'tw';
-- gives: 1
ROLLBACK;

-- claim: With inheritance, only the rows of id_sequences itself are id sequences.
CREATE TABLE heirs () INHERITS (id_sequences);
INSERT INTO heirs (name, next_block_start) VALUES ('heir', 1);
SELECT idgen_next('heir');
-- gives: ERROR 42704
DROP TABLE heirs;

-- claim: id_sequences cannot be a partition.
SELECT idgen_create('part');
CREATE TABLE whole (LIKE id_sequences) PARTITION BY LIST (source);
ALTER TABLE whole ATTACH PARTITION id_sequences DEFAULT;
SELECT idgen_next('part');
-- gives: ERROR 42809: "id_sequences" is a partition
ALTER TABLE whole DETACH PARTITION id_sequences;
DROP TABLE whole;

-- claim: An expression in ALTER TABLE id_sequences cannot refill.
SELECT idgen_create('rewritten');
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('rewritten');
-- gives: ERROR 55006: cannot change rows of "id_sequences" because the current command rewrites the table
