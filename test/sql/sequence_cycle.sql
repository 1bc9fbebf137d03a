--
-- A native sequence with CYCLE begins again at its end, and no block reaches
-- across it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');

CREATE SEQUENCE gen_seq MAXVALUE 10 INCREMENT 4 CYCLE;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 25);
SELECT * FROM idgen_cache;

-- START is not where a cycle begins, MINVALUE is
CREATE SEQUENCE start_seq START 3 MINVALUE -2 MAXVALUE 5 INCREMENT 2 CYCLE;
SELECT string_agg(idgen_next('start', 'sequence')::text, ' ') FROM generate_series(1, 20);

-- a block larger than the range
CREATE SEQUENCE large_seq START 3 MAXVALUE 5 INCREMENT 20 CYCLE;
SELECT string_agg(idgen_next('large', 'sequence')::text, ' ') FROM generate_series(1, 14);
SELECT * FROM idgen_cache WHERE name = 'large';

-- downwards, where it begins at MAXVALUE
CREATE SEQUENCE down_seq START 2 MINVALUE -3 MAXVALUE 4 INCREMENT -3 CYCLE;
SELECT string_agg(idgen_next('down', 'sequence')::text, ' ') FROM generate_series(1, 18);
CREATE SEQUENCE large_down_seq MINVALUE -3 INCREMENT -1000 CYCLE;
SELECT string_agg(idgen_next('large_down', 'sequence')::text, ' ') FROM generate_series(1, 8);

-- the ends of its type
CREATE SEQUENCE big_seq START 9223372036854775806 MINVALUE 9223372036854775800 INCREMENT 3 CYCLE;
SELECT idgen_next('big', 'sequence') FROM generate_series(1, 11);
CREATE SEQUENCE big_down_seq START -9223372036854775807 MAXVALUE -9223372036854775806
	MINVALUE -9223372036854775808 INCREMENT -2 CYCLE;
SELECT idgen_next('big_down', 'sequence') FROM generate_series(1, 6);
CREATE SEQUENCE two_seq MINVALUE 7 MAXVALUE 8 START 8 INCREMENT 9223372036854775807 CYCLE;
SELECT idgen_next('two', 'sequence') FROM generate_series(1, 4);

-- one value at a time, in blocks of the row's size
CREATE SEQUENCE runs_seq MAXVALUE 5 CYCLE;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs', 1, 3, 'sequence');
SELECT idgen_next('runs');
SELECT last_value FROM runs_seq;
SELECT string_agg(idgen_next('runs')::text, ' ') FROM generate_series(1, 3);
SELECT last_value FROM runs_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'runs';
SELECT string_agg(idgen_next('runs')::text, ' ') FROM generate_series(1, 12);
CREATE SEQUENCE long_runs_seq START 2 MAXVALUE 5 CYCLE;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('long_runs', 1, 1000, 'sequence');
SELECT string_agg(idgen_next('long_runs')::text, ' ') FROM generate_series(1, 12);
SELECT ids_cached FROM idgen_stats WHERE name = 'long_runs';
CREATE SEQUENCE runs_down_seq MINVALUE -5 INCREMENT -1 CYCLE;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs_down', 1, 3, 'sequence');
SELECT string_agg(idgen_next('runs_down')::text, ' ') FROM generate_series(1, 12);

-- others draw the values around the end
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen', 'sequence');
SELECT nextval('gen_seq'), nextval('gen_seq'), nextval('gen_seq');
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 8);

-- given up, it ends
ALTER SEQUENCE large_seq NO CYCLE;
SELECT idgen_next('large', 'sequence');
\echo :SQLSTATE
ALTER SEQUENCE large_seq CYCLE;
SELECT idgen_next('large', 'sequence');

DROP SEQUENCE gen_seq, start_seq, large_seq, down_seq, large_down_seq, big_seq, big_down_seq, two_seq,
	runs_seq, long_runs_seq, runs_down_seq;
DROP EXTENSION idgen;
