--
-- idgen.warn_remaining with native sequences: the range is from the least value
-- to the end
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('up', 1, 1, 'sequence');
CREATE SEQUENCE up_seq START 101 MAXVALUE 200 INCREMENT 2;
CREATE SEQUENCE down_seq START -1 MINVALUE -50 INCREMENT -5;
CREATE SEQUENCE round_seq MAXVALUE 50 INCREMENT 5 CYCLE;
SET client_min_messages = log;

SELECT max(idgen_next('up', 'sequence')) FROM generate_series(1, 90);
SELECT max(idgen_next('up', 'sequence')) FROM generate_series(1, 10);
SELECT min(idgen_next('down', 'sequence')) FROM generate_series(1, 46);
SELECT count(idgen_next('round', 'sequence')) FROM generate_series(1, 100);

-- from the start once more
SELECT idgen_restart('up', 191);
SELECT idgen_next('up', 'sequence');
SET idgen.warn_remaining = 0;
SELECT max(idgen_next('up', 'sequence')) FROM generate_series(1, 9);

DROP EXTENSION idgen;
DROP SEQUENCE up_seq, down_seq, round_seq;
