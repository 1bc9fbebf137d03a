--
-- Ranges from native sequences, with a row or without one
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('down', 1, 1, 'sequence'), ('new', 1, 1, 'sequence');
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- INCREMENT BY 20: each value is a block
CREATE SEQUENCE gen_seq INCREMENT BY 20;
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
SELECT * FROM idgen_next_range('gen', 45, 'sequence');
SELECT last_value FROM gen_seq;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_last('gen'), idgen_peek('gen');
SELECT refills, blocks_taken, ids_issued, ids_cached, ids_lost FROM idgen_stats;

-- 7 by 7, nothing is lost
CREATE TABLE drawn (n serial, first_id bigint, last_id bigint);
CREATE SEQUENCE seven_seq INCREMENT BY 20;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('seven', 7, 'sequence');
		IF i % 4 = 0 THEN COMMIT; END IF;
		ASSERT (SELECT count(*) <= 1 FROM idgen_cache WHERE name = 'seven'), 'more than one piece is left';
	END LOOP;
END $$;
SELECT count(*), bool_and(first_id = 7 * n - 6 AND last_id = 7 * n) AS all_used FROM drawn;
SELECT ids_lost, ids_cached FROM idgen_stats WHERE name = 'seven';
SELECT last_value FROM seven_seq;

-- rolled back, they are a gap
BEGIN;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
ROLLBACK TO a;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
ROLLBACK;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');

-- a value of somebody else's in between
SELECT nextval('gen_seq');
SELECT * FROM idgen_next_range('gen', 40, 'sequence');
TABLE blocks;

-- INCREMENT BY 1: without a row n values, with one whole blocks of them
CREATE SEQUENCE one_seq;
SELECT * FROM idgen_next_range('one', 5, 'sequence');
SELECT * FROM idgen_next_range('one', 1000, 'sequence');
SELECT last_value FROM one_seq;
SELECT nextval('one_seq'), idgen_next('one', 'sequence');
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('one', 1, 10, 'sequence');
SELECT * FROM idgen_next_range('one', 25);
SELECT last_value FROM one_seq;
SELECT * FROM idgen_next_range('one', 7);
SELECT last_value FROM one_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'one';

-- the most values at a time
CREATE SEQUENCE many_seq;
SELECT * FROM idgen_next_range('many', 100001, 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM many_seq;
SELECT * FROM idgen_next_range('many', 100000, 'sequence');
SELECT last_value FROM many_seq;
SELECT * FROM idgen_next_range('gen', 2000001, 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE large_seq INCREMENT BY 1152921504606846976;
SELECT * FROM idgen_next_range('large', 1152921504606846976, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('large', 576460752303423488, 'sequence');
SELECT last_value FROM large_seq;

-- downwards, first_id is the greatest
CREATE SEQUENCE down_seq INCREMENT BY -20;
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT idgen_last('down'), idgen_next('down', 'sequence');
SELECT * FROM idgen_next_range('down', 100, 'sequence');
SELECT last_value FROM down_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'down';
SELECT ids_lost FROM idgen_stats WHERE name = 'down';
CREATE SEQUENCE down_one_seq INCREMENT BY -1;
SELECT * FROM idgen_next_range('down_one', 50, 'sequence');
SELECT last_value FROM down_one_seq;

-- created in this transaction, and temporary
BEGIN;
CREATE SEQUENCE new_seq INCREMENT BY 10;
SELECT * FROM idgen_next_range('new', 7, 'sequence');
SELECT * FROM idgen_next_range('new', 14, 'sequence');
SAVEPOINT a;
SELECT * FROM idgen_next_range('new', 14, 'sequence');
ROLLBACK TO a;
SELECT * FROM idgen_next_range('new', 14, 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
CREATE TEMPORARY SEQUENCE own_seq INCREMENT BY 10;
SELECT * FROM idgen_next_range('own', 7, 'sequence');
SELECT * FROM idgen_next_range('own', 27, 'sequence');
SELECT last_value FROM own_seq;
SELECT idgen_next('own', 'sequence');

-- restarted, or altered in this transaction
SELECT idgen_restart('new', 1);
SELECT * FROM idgen_next_range('new', 7, 'sequence');
BEGIN;
ALTER SEQUENCE new_seq RESTART 1001 INCREMENT BY 50;
SELECT * FROM idgen_next_range('new', 60, 'sequence');
COMMIT;
SELECT * FROM idgen_next_range('new', 60, 'sequence');

DROP TABLE drawn;
DROP VIEW blocks;
DROP SEQUENCE gen_seq, seven_seq, one_seq, many_seq, large_seq, down_seq, down_one_seq, new_seq, own_seq;
DROP EXTENSION idgen;
