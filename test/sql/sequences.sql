--
-- Source "sequence": ids from a native sequence
--

--
-- Source "sequence": one nextval() of a native sequence for INCREMENT BY ids
--
CREATE EXTENSION idgen;

-- no row is needed
CREATE SEQUENCE gen_seq START 1 MAXVALUE 10000000 INCREMENT 20;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 3);
SELECT last_value, is_called FROM gen_seq;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen', 'sequence') AS id FROM generate_series(4, 20)) AS s;
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen', 'sequence') AS id FROM generate_series(1, 1000)) AS s;
SELECT last_value FROM gen_seq;
SELECT count(*) FROM id_sequences;

-- a value stands for 20 ids to the session that draws it
SELECT nextval('gen_seq');
SELECT min(id), max(id), count(DISTINCT id)
	FROM (SELECT idgen_next('gen', 'sequence') AS id FROM generate_series(1, 20)) AS s;

-- the first value is the last
CREATE SEQUENCE one_seq START 1000 MAXVALUE 1000 INCREMENT 20;
SELECT idgen_next('one', 'sequence');
SELECT idgen_next('one', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('one', 'sequence');
\echo :SQLSTATE

-- the first block is cut short
CREATE SEQUENCE short_seq START 990 MAXVALUE 1000 INCREMENT 20;
SELECT idgen_next('short', 'sequence') FROM generate_series(990, 1000);
SELECT idgen_next('short', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('short', 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM short_seq;

-- the same with a row, of which only source and big_base matter here
CREATE SEQUENCE with_row_seq INCREMENT 20;
INSERT INTO id_sequences (name, next_block_start, block_size, exhausted, max_value, source, big_base)
	VALUES ('with_row', 500, 3, 1, 10, 'sequence', 1e30);
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('with_row') AS id FROM generate_series(1, 20)) AS s;
SELECT last_value FROM with_row_seq;
SELECT idgen_next('with_row'), idgen_next('with_row', 'sequence'), idgen_next('with_row');
SELECT last_value FROM with_row_seq;
SELECT next_block_start, block_size, exhausted, max_value FROM id_sequences;

-- without one, the source must be named to draw; nothing is to be looked at or
-- restarted by the name alone, but for what was drawn last
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_big('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_last('gen');

-- idgen_next_big draws from the same stream
SELECT idgen_next('gen', 'sequence') + 1 = idgen_next_big('gen', 'sequence') AS next_one;
SELECT idgen_next_big('with_row'), idgen_next_big('with_row', 'sequence'), idgen_next('with_row');
DELETE FROM id_sequences;
SELECT idgen_next_big('with_row', 'sequence') < 1000 AS without_it;

-- many in one statement, and as the default of a column
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('order', 'sequence'), n integer);
CREATE SEQUENCE order_seq INCREMENT 20;
INSERT INTO orders (n) SELECT generate_series(1, 5000);
SELECT count(*), min(id), max(id) FROM orders;
SELECT last_value FROM order_seq;

-- an id stays drawn, whatever becomes of the transaction
BEGIN;
SELECT idgen_next('order', 'sequence');
SELECT count(idgen_next('order', 'sequence')) FROM generate_series(1, 100);
ROLLBACK;
SELECT idgen_next('order', 'sequence');
BEGIN;
SAVEPOINT a;
SELECT count(idgen_next('order', 'sequence')) FROM generate_series(1, 100);
ROLLBACK TO a;
SELECT idgen_next('order', 'sequence');
COMMIT;

DROP TABLE orders;
DROP SEQUENCE gen_seq, one_seq, short_seq, with_row_seq, order_seq;
DROP EXTENSION idgen;

\c -
--
-- With INCREMENT 1 or -1, a refill draws as many values as the row's block_size
-- says, while others may call nextval() in between
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 10, 'sequence');
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(2, 10)) AS s;
SELECT last_value FROM gen_seq;

-- a value of somebody else's between two blocks
SELECT nextval('gen_seq');
SELECT idgen_next('gen');
SELECT nextval('gen_seq');
SELECT first_id, last_id FROM idgen_cache;

-- all in all, no value is lost or doubled
CREATE TABLE drawn (id bigint, direct boolean);
INSERT INTO drawn SELECT generate_series(1, 12), false;
INSERT INTO drawn VALUES (22, true);
INSERT INTO drawn SELECT idgen_next('gen'), false FROM generate_series(1, 100);
INSERT INTO drawn SELECT nextval('gen_seq'), true FROM generate_series(1, 7);
INSERT INTO drawn SELECT CASE n % 3 WHEN 0 THEN nextval('gen_seq') ELSE idgen_next('gen') END, n % 3 = 0
	FROM generate_series(1, 1000) AS n;
INSERT INTO drawn SELECT generate_series(first_id, last_id), false FROM idgen_cache;
SELECT count(*) = max(id) AS none_lost, count(*) = count(DISTINCT id) AS none_doubled FROM drawn;
SELECT max(id) = (SELECT last_value FROM gen_seq) AS all FROM drawn;

-- one by one: nothing is cached
UPDATE id_sequences SET block_size = 1;
SELECT idgen_restart('gen', 12);
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT last_value FROM gen_seq;
SELECT count(*) FROM idgen_cache;

-- without a row, that is the rule
CREATE SEQUENCE other_seq;
SELECT idgen_next('other', 'sequence'), nextval('other_seq'), idgen_next('other', 'sequence');
SELECT last_value FROM other_seq;
SELECT refills, blocks_taken, ids_cached FROM idgen_stats WHERE name = 'other';

-- not more than 100000 at a time
UPDATE id_sequences SET block_size = 2147483647;
SELECT idgen_next('gen');
SELECT ids_cached FROM idgen_stats WHERE name = 'gen';

-- the last block is short
UPDATE id_sequences SET block_size = 10;
SELECT idgen_restart('gen', 1);
ALTER SEQUENCE gen_seq MAXVALUE 25;
SELECT max(idgen_next('gen')) FROM generate_series(1, 21);
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'gen';
SELECT max(idgen_next('gen')) FROM generate_series(22, 25);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- others draw the last values
SELECT idgen_restart('gen', 1);
SELECT max(idgen_next('gen')) FROM generate_series(1, 20);
SELECT count(nextval('gen_seq')) FROM generate_series(21, 25);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- downwards
CREATE SEQUENCE down_seq INCREMENT -1 MINVALUE -25;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('down', 1, 10, 'sequence');
SELECT idgen_next('down');
SELECT last_value FROM down_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'down';
SELECT nextval('down_seq');
SELECT string_agg(idgen_next('down')::text, ' ') FROM generate_series(2, 24);
SELECT idgen_next('down');
\echo :SQLSTATE

-- with another increment, block_size does not matter
CREATE SEQUENCE two_seq INCREMENT 2;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('two', 1, 10, 'sequence');
SELECT string_agg(idgen_next('two')::text, ' ') FROM generate_series(1, 5);
SELECT last_value FROM two_seq;
CREATE SEQUENCE minus_two_seq INCREMENT -2;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('minus_two', 1, 10, 'sequence');
SELECT string_agg(idgen_next('minus_two')::text, ' ') FROM generate_series(1, 5);
SELECT last_value FROM minus_two_seq;

DROP TABLE drawn;
DROP SEQUENCE gen_seq, other_seq, down_seq, two_seq, minus_two_seq;
DROP EXTENSION idgen;

\c -
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

\c -
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

\c -
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

\c -
--
-- idgen_peek and idgen_last of id sequences with source "sequence"
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('down', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq START 5 INCREMENT 3 MAXVALUE 10;

-- nothing is taken by looking
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen'), idgen_peek('gen');
SELECT last_value, is_called FROM gen_seq;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_last('gen'), idgen_peek('gen');
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 2);

-- all cached ids are used up: the next value of the sequence
SELECT idgen_last('gen'), idgen_peek('gen');
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 3);
SELECT idgen_last('gen');
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- a failed draw does not change what was drawn last
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_last('gen');

-- after the end comes the beginning
ALTER SEQUENCE gen_seq MINVALUE 2 CYCLE;
SELECT idgen_peek('gen');
SELECT idgen_next('gen', 'sequence'), idgen_peek('gen');

-- downwards
CREATE SEQUENCE down_seq INCREMENT -3 MINVALUE -7;
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_next('down', 'sequence') FROM generate_series(5, 7);
SELECT idgen_peek('down');
\echo :SQLSTATE

-- a value drawn by nextval() is seen, one set by setval() too
SELECT nextval('gen_seq');
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_peek('gen');
SELECT setval('gen_seq', 4, false);
SELECT idgen_peek('gen');
SELECT setval('gen_seq', 4);
SELECT idgen_peek('gen');

-- what was drawn in a transaction that is rolled back was drawn
BEGIN;
SELECT idgen_next('gen', 'sequence');
ROLLBACK;
SELECT idgen_last('gen'), idgen_peek('gen');

-- both work in a read-only transaction
BEGIN READ ONLY;
SELECT idgen_last('gen'), idgen_peek('gen');
ROLLBACK;

DROP SEQUENCE gen_seq, down_seq;
DROP EXTENSION idgen;
