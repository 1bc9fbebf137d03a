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
