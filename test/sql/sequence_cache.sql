--
-- Native sequences with CACHE: each session holds values, idgen's cache holds
-- the ids that they stand for
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 3 CACHE 4;

-- a nextval() takes four values, a refill uses one
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(2, 12);
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- nextval() of the same session draws from the same values
SELECT nextval('gen_seq'), nextval('gen_seq');
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 5);

-- those held by a session go with it, or with DISCARD
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
DISCARD SEQUENCES;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 3);

-- the next id cannot be told once a value is to be drawn
SELECT idgen_peek('gen', 'sequence');
SELECT count(idgen_next('gen', 'sequence')) FROM generate_series(1, 2);
SELECT idgen_peek('gen', 'sequence');
\echo :SQLSTATE

-- a restart makes those held by this session void, too
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_restart('gen', 100, 'sequence');
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

-- one value at a time, in blocks of the row's size
CREATE SEQUENCE runs_seq CACHE 4;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs', 1, 10, 'sequence');
SELECT nextval('runs_seq');
SELECT idgen_next('runs');
SELECT first_id, last_id FROM idgen_cache WHERE name = 'runs';
SELECT last_value FROM runs_seq;
SELECT nextval('runs_seq');
SELECT string_agg(idgen_next('runs')::text, ' ') FROM generate_series(1, 12);

DROP SEQUENCE gen_seq, end_seq, cycle_seq, down_seq, runs_seq;
DROP EXTENSION idgen;
