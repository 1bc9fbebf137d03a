--
-- No id beyond MINVALUE or MAXVALUE of a native sequence, upwards or downwards,
-- as far as its type goes
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('big', 1, 1, 'sequence'), ('big_down', 1, 1, 'sequence');

-- upwards: the last block is cut short, or exactly full
CREATE SEQUENCE cut_seq MINVALUE 5 MAXVALUE 11 INCREMENT 3;
SELECT idgen_next('cut', 'sequence') FROM generate_series(5, 11);
SELECT idgen_next('cut', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE full_seq MINVALUE -3 START -3 MAXVALUE 2 INCREMENT 3;
SELECT idgen_next('full', 'sequence') FROM generate_series(-3, 2);
SELECT idgen_next('full', 'sequence');
\echo :SQLSTATE

-- more room brings more ids, from the next value on
ALTER SEQUENCE cut_seq MAXVALUE 15;
SELECT idgen_next('cut', 'sequence'), idgen_next('cut', 'sequence');
SELECT idgen_next('cut', 'sequence');
\echo :SQLSTATE

-- downwards
CREATE SEQUENCE down_seq INCREMENT -4;
SELECT idgen_next('down', 'sequence') FROM generate_series(1, 6);
SELECT last_value FROM down_seq;
SELECT * FROM idgen_cache WHERE name = 'down';
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('down', 'sequence') AS id FROM generate_series(1, 1000)) AS s;
CREATE SEQUENCE down_cut_seq START 5 MINVALUE -1 MAXVALUE 6 INCREMENT -3;
SELECT idgen_next('down_cut', 'sequence') FROM generate_series(1, 7);
SELECT idgen_next('down_cut', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE down_one_seq START -7 MINVALUE -7 INCREMENT -1000;
SELECT idgen_next('down_one', 'sequence');
SELECT idgen_next('down_one', 'sequence');
\echo :SQLSTATE

-- smallint
CREATE SEQUENCE small_seq AS smallint START 32765 INCREMENT 1000;
SELECT idgen_next('small', 'sequence') FROM generate_series(32765, 32767);
SELECT idgen_next('small', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE small_down_seq AS smallint START -32767 INCREMENT -32768;
SELECT idgen_next('small_down', 'sequence') FROM generate_series(1, 2);
SELECT idgen_next('small_down', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE small_all_seq AS smallint MINVALUE -32768 START -32768 INCREMENT 100;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('small_all', 'sequence') AS id FROM generate_series(-32768, 32767)) AS s;
SELECT idgen_next('small_all', 'sequence');
\echo :SQLSTATE

-- integer
CREATE SEQUENCE int_seq AS integer START 2147483640 INCREMENT 5;
SELECT idgen_next('int', 'sequence') FROM generate_series(1, 8);
SELECT idgen_next('int', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE int_down_seq AS integer START -2147483640 INCREMENT -5;
SELECT idgen_next('int_down', 'sequence') FROM generate_series(1, 9);
SELECT idgen_next('int_down', 'sequence');
\echo :SQLSTATE

-- bigint
CREATE SEQUENCE big_seq START 9223372036854775800 INCREMENT 5;
SELECT idgen_next('big', 'sequence') FROM generate_series(1, 8);
SELECT idgen_next('big', 'sequence');
\echo :SQLSTATE
SELECT idgen_peek('big');
\echo :SQLSTATE
CREATE SEQUENCE big_down_seq START -9223372036854775800 INCREMENT -5;
SELECT idgen_next('big_down', 'sequence') FROM generate_series(1, 9);
SELECT idgen_next('big_down', 'sequence');
\echo :SQLSTATE
SELECT idgen_peek('big_down');
\echo :SQLSTATE
CREATE SEQUENCE last_seq START 9223372036854775807;
SELECT idgen_next('last', 'sequence');
SELECT idgen_next('last', 'sequence');
\echo :SQLSTATE

-- increments as large as can be
CREATE SEQUENCE up_seq MINVALUE -9223372036854775808 START -9223372036854775808 INCREMENT 9223372036854775807;
SELECT idgen_next('up', 'sequence'), idgen_next('up', 'sequence');
SELECT first_id FROM idgen_cache WHERE name = 'up';
SELECT nextval('up_seq'), nextval('up_seq');
ALTER SEQUENCE up_seq RESTART 9223372036854775806;
SELECT idgen_next('up', 'sequence'), idgen_next('up', 'sequence');
SELECT idgen_next('up', 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE up_half_seq MINVALUE -9223372036854775808 START -1 INCREMENT 9223372036854775807;
SELECT idgen_next('up_half', 'sequence'), idgen_next('up_half', 'sequence'), idgen_next('up_half', 'sequence');
CREATE SEQUENCE far_down_seq MAXVALUE 9223372036854775807 START 9223372036854775807
	MINVALUE -9223372036854775808 INCREMENT -9223372036854775808;
SELECT idgen_next('far_down', 'sequence'), idgen_next('far_down', 'sequence');
SELECT first_id FROM idgen_cache WHERE name = 'far_down';
SELECT nextval('far_down_seq');
ALTER SEQUENCE far_down_seq RESTART -9223372036854775807;
SELECT idgen_next('far_down', 'sequence'), idgen_next('far_down', 'sequence');
SELECT idgen_next('far_down', 'sequence');
\echo :SQLSTATE

-- no sum of what is cached is beyond its type
SELECT bool_and(ids_cached >= 0), bool_and(ids_lost >= 0) FROM idgen_stats;

DROP SEQUENCE cut_seq, full_seq, down_seq, down_cut_seq, down_one_seq, small_seq,
	small_down_seq, small_all_seq, int_seq, int_down_seq, big_seq, big_down_seq, last_seq,
	up_seq, up_half_seq, far_down_seq;
DROP EXTENSION idgen;
