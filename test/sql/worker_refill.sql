--
-- refill = 'worker': ids one after the other, allocated in transactions of a
-- background worker
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\getenv inputdir PG_ABS_SRCDIR
\set wait_until :inputdir '/include/wait_until.sql'
\i :wait_until

-- the first call waits for one block
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
SELECT idgen_next('gen');
SELECT next_block_start, exhausted FROM id_sequences;
SELECT first_id, last_id, state FROM idgen_cache;
SELECT ids_issued, ids_cached, ids_lost, blocks_taken, refills, session_refills, waits, last_refill IS NOT NULL AS refilled FROM idgen_stats;

-- what comes next is already there
SELECT idgen_next('gen') AS a, idgen_next('gen') AS b, idgen_next('gen') AS c;
SELECT next_block_start FROM id_sequences;
SELECT refills, waits FROM idgen_stats;

-- the caller's transaction writes nothing, and sees at once what the worker has
-- written
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('later', 10001, 4, 'worker');
BEGIN;
SELECT idgen_next('later');
SELECT next_block_start FROM id_sequences WHERE name = 'later';
SELECT pg_current_xact_id_if_assigned() IS NULL AS not_written;
COMMIT;

-- in one statement, over many refills: ascending, and none is left out
CREATE TABLE drawn (n bigint, id bigint);
INSERT INTO drawn SELECT n, idgen_next('gen') FROM generate_series(5, 20000) AS n;
SELECT count(*), bool_and(id = n) AS all_in_order FROM drawn;

-- and in many transactions
DO $$
BEGIN
	FOR n IN 20001 .. 21000 LOOP
		INSERT INTO drawn VALUES (n, idgen_next('gen'));
		COMMIT;
	END LOOP;
END $$;
SELECT count(*), bool_and(id = n) AS all_in_order FROM drawn;

-- whatever was taken from the row was issued or is in the cache
CALL wait_until($$ next_block_start - 1 = ids_issued + ids_cached FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'gen' $$);
SELECT ids_issued, ids_lost, blocks_taken = (next_block_start - 1) / block_size AS whole_blocks, refills <= blocks_taken AS not_more_refills
	FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'gen';

-- another block_size counts from the next refill on
UPDATE id_sequences SET block_size = 1000 WHERE name = 'later';
SELECT count(idgen_next('later')) FROM generate_series(10002, 10100);
CALL wait_until($$ (next_block_start - 10005) % 1000 = 0 AND next_block_start > 11000 FROM id_sequences WHERE name = 'later' $$);
SELECT idgen_next('later');

-- each name for itself
SELECT idgen_next('gen') AS gen, idgen_next('later') AS later;

-- negative ids, up to those that are not
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('below zero', -30, 20, 'worker');
SELECT min(id), max(id), count(DISTINCT id) FROM (SELECT idgen_next('below zero') AS id FROM generate_series(1, 100)) AS s;

-- as a column default
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), item text);
SELECT idgen_create('orders', block_size => 3, refill => 'worker');
INSERT INTO orders (item) VALUES ('a'), ('b'), ('c'), ('d') RETURNING id;
COPY orders (item) FROM stdin;
e
f
g
\.
INSERT INTO orders (item) SELECT 'h' FROM generate_series(1, 1000);
SELECT count(*), min(id), max(id) FROM orders;

-- as idgen_next_big
UPDATE id_sequences SET big_base = 99999999999999999999999999999999999000 WHERE name = 'below zero';
SELECT idgen_next_big('below zero') > 99999999999999999999999999999999999069 AS big, idgen_next('below zero') > 70 AS further;

DROP TABLE drawn, orders;
DROP PROCEDURE wait_until;
DROP EXTENSION idgen;
