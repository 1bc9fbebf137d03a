--
-- A native sequence that is created or restarted, drawn from and restarted
-- again in one transaction: what was drawn in between leaves nothing behind
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 5;
BEGIN;
ALTER SEQUENCE gen_seq RESTART 100;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_restart('gen', 100);
COMMIT;
SELECT first_id, last_id, state FROM idgen_cache;
SELECT array_agg(idgen_next('gen', 'sequence')) FROM generate_series(1, 7);

BEGIN;
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen', 'sequence');
DROP SEQUENCE gen_seq;
CREATE SEQUENCE gen_seq INCREMENT 5;
COMMIT;
SELECT first_id, last_id, state FROM idgen_cache;
SELECT array_agg(idgen_next('gen', 'sequence')) FROM generate_series(1, 7);

-- a temporary one, which the server keeps other books of
BEGIN;
CREATE TEMPORARY SEQUENCE temp_seq INCREMENT 5;
SELECT idgen_next('temp', 'sequence');
ALTER SEQUENCE temp_seq RESTART;
COMMIT;
SELECT array_agg(idgen_next('temp', 'sequence')) FROM generate_series(1, 7);

DROP EXTENSION idgen;
DROP SEQUENCE gen_seq, temp_seq;
