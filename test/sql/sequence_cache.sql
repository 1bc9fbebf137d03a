--
-- Native sequences with CACHE: each session holds values, idgen's cache holds
-- the ids that they stand for
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 3 CACHE 4;

-- a nextval() takes four values from the sequence, and a refill all of them
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache;
SELECT refills, blocks_taken, ids_cached FROM idgen_stats;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(2, 12);
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- so nextval() of the same session goes to the sequence, and a refill takes
-- what that has set aside
SELECT nextval('gen_seq'), nextval('gen_seq');
SELECT count(idgen_next('gen', 'sequence')) FROM generate_series(14, 24);
SELECT idgen_next('gen', 'sequence');
SELECT first_id, last_id FROM idgen_cache;
SELECT last_value FROM gen_seq;
SELECT nextval('gen_seq');

-- DISCARD loses what nextval() has set aside, not what idgen has
SELECT idgen_next('gen', 'sequence');
DISCARD SEQUENCES;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 5);
SELECT last_value FROM gen_seq;

-- the next id cannot be told once a value is to be drawn
SELECT idgen_peek('gen');
SELECT count(idgen_next('gen', 'sequence')) FROM idgen_stats, generate_series(1, ids_cached);
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- a restart makes those held by this session void, too
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_restart('gen', 100);
SELECT idgen_next('gen', 'sequence');

-- at the end there are fewer
CREATE SEQUENCE end_seq MAXVALUE 8 INCREMENT 3 CACHE 10;
SELECT string_agg(idgen_next('end', 'sequence')::text, ' ') FROM generate_series(1, 8);
SELECT idgen_next('end', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE cycle_seq MAXVALUE 8 INCREMENT 3 CACHE 10 CYCLE;
SELECT string_agg(idgen_next('cycle', 'sequence')::text, ' ') FROM generate_series(1, 20);
CREATE SEQUENCE down_seq MINVALUE -8 INCREMENT -3 CACHE 2;
SELECT string_agg(idgen_next('down', 'sequence')::text, ' ') FROM generate_series(1, 8);
SELECT idgen_next('down', 'sequence');
\echo :SQLSTATE

-- at the end, after a nextval() of the session
CREATE SEQUENCE last_seq MAXVALUE 20 INCREMENT 3 CACHE 10;
SELECT nextval('last_seq');
SELECT count(idgen_next('last', 'sequence')), max(idgen_last('last')) FROM generate_series(4, 20);
SELECT idgen_next('last', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE last_cycle_seq MAXVALUE 20 INCREMENT 3 CACHE 3 CYCLE;
SELECT nextval('last_cycle_seq');
SELECT string_agg(idgen_next('last_cycle', 'sequence')::text, ' ') FROM generate_series(4, 30);

-- one value at a time, in blocks of the row's size, and what is set aside
-- besides
CREATE SEQUENCE runs_seq CACHE 4;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs', 1, 10, 'sequence');
SELECT nextval('runs_seq');
SELECT idgen_next('runs');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'runs';
SELECT last_value FROM runs_seq;
SELECT nextval('runs_seq');
SELECT string_agg(idgen_next('runs')::text, ' ') FROM generate_series(1, 12);
SELECT last_value FROM runs_seq;

-- more than a refill would take otherwise
CREATE SEQUENCE large_seq CACHE 250000;
SELECT idgen_next('large', 'sequence');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'large';
SELECT last_value FROM large_seq;

-- with a CACHE that cannot be used up
CREATE SEQUENCE rest_seq MAXVALUE 1000 CACHE 1000000;
SELECT idgen_next('rest', 'sequence');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'rest';
CREATE SEQUENCE wide_seq INCREMENT 1000000000000000000 CACHE 20;
SELECT idgen_next('wide', 'sequence');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'wide';

-- in a transaction that has made the sequence, and in a temporary one
BEGIN;
CREATE SEQUENCE new_seq INCREMENT 3 CACHE 4;
SELECT idgen_next('new', 'sequence');
SAVEPOINT a;
SELECT idgen_next('new', 'sequence');
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('new', 'sequence'), first_id, last_id FROM idgen_cache WHERE name = 'new';
CREATE TEMPORARY SEQUENCE own_seq INCREMENT 3 CACHE 4;
SELECT idgen_next('own', 'sequence');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'own';

DROP SEQUENCE gen_seq, end_seq, cycle_seq, down_seq, last_seq, last_cycle_seq, runs_seq, large_seq, rest_seq, wide_seq, new_seq, own_seq;
DROP EXTENSION idgen;
