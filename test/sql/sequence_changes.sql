--
-- Source "sequence": what is changed outside of idgen
--

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

\c -
--
-- setval() is not noticed while there are cached ids: they are used up first
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 5;
SELECT idgen_next('gen', 'sequence');

-- forward
SELECT setval('gen_seq', 100);
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 6);

-- back, to ids that were issued
SELECT setval('gen_seq', 1, false);
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 6);

-- rolled back it stays, as ever
BEGIN;
SELECT setval('gen_seq', 200);
ROLLBACK;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 6);

-- idgen_restart is what makes it noticed
SELECT setval('gen_seq', 300);
SELECT idgen_restart('gen', 305);
SELECT idgen_next('gen', 'sequence');

-- with nothing cached it takes effect at once
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 4);
SELECT setval('gen_seq', 400);
SELECT idgen_next('gen', 'sequence');

DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;
