--
-- A change of block_size is in force from the next refill from a native
-- sequence on, and so are a row that is added, and one that is deleted
--
-- A cache per session is emptied by any change of id_sequences, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 10, 'sequence');
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;
UPDATE id_sequences SET block_size = 3;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(2, 10);
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- by the transaction that makes it
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(12, 13);
BEGIN;
UPDATE id_sequences SET block_size = 5;
SELECT idgen_next('gen');
ROLLBACK;
SELECT last_value FROM gen_seq;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(15, 19);
SELECT last_value FROM gen_seq;

-- without a row, one by one
DELETE FROM id_sequences;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(20, 23);
SELECT last_value FROM gen_seq;
SELECT count(*) FROM idgen_cache;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 4, 'sequence');
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
BEGIN;
DELETE FROM id_sequences;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 4);
SELECT last_value FROM gen_seq;
ROLLBACK;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- what is cached is a gap each time, but the sequence goes on
UPDATE id_sequences SET next_block_start = -100, max_value = -1;
SELECT idgen_next('gen');
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 4, 'sequence');
SELECT idgen_next('gen');
SELECT ids_lost FROM idgen_stats;

DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;
