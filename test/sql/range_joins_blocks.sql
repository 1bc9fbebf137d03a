--
-- What ranges leave over of one block is joined with the next one: ranges that
-- do not divide a block lose nothing, and leave no more than one piece behind
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE TABLE drawn (n serial, first_id bigint, last_id bigint);
CREATE VIEW check_drawn AS
	SELECT count(*), min(first_id), max(last_id), bool_and(last_id - first_id = 6) AS sevens,
		sum(last_id - first_id + 1) = max(last_id) AS all_used,
		array_agg(first_id ORDER BY n) = array_agg(first_id ORDER BY first_id) AS ascending
	FROM drawn;
CREATE VIEW counters AS
	SELECT name, ids_issued, ids_cached, ids_lost, blocks_taken, refills FROM idgen_stats;

-- a transaction for each: leftovers are published
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('gen', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('gen', 7);
SELECT first_id, last_id FROM idgen_cache;
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('gen', 7);
SELECT first_id, last_id FROM idgen_cache;
DO $$
BEGIN
	FOR i IN 4 .. 100 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('gen', 7);
		COMMIT;
		ASSERT (SELECT count(*) <= 1 FROM idgen_cache), 'more than one piece is left';
	END LOOP;
END $$;
TABLE check_drawn;
TABLE counters;

-- one transaction for all: leftovers are pending
TRUNCATE drawn RESTART IDENTITY;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('one', 1, 20);
BEGIN;
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('one', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('one', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('one', 7);
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'one';
DO $$
BEGIN
	FOR i IN 4 .. 100 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('one', 7);
		ASSERT (SELECT count(*) <= 1 FROM idgen_cache WHERE name = 'one'), 'more than one piece is left';
	END LOOP;
END $$;
COMMIT;
TABLE check_drawn;
SELECT name, ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'one';
SELECT first_id = 701 AS goes_on, last_id = next_block_start - 1 AS to_the_end
	FROM idgen_cache JOIN id_sequences USING (name) WHERE name = 'one';

-- published ones first, then pending ones
TRUNCATE drawn RESTART IDENTITY;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('both', 1, 20);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
BEGIN;
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'both';
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('both', 7);
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'both';
COMMIT;
TABLE check_drawn;
SELECT name, ids_issued, ids_cached, ids_lost, blocks_taken FROM idgen_stats WHERE name = 'both';

-- any sizes
TRUNCATE drawn RESTART IDENTITY;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('any', 1, 20);
DO $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('any', i * i % 61 + 1);
		IF i % 3 = 0 THEN COMMIT; END IF;
		IF i % 5 = 0 THEN INSERT INTO drawn (first_id, last_id) SELECT id, id FROM idgen_next('any') AS id; END IF;
	END LOOP;
END $$;
SELECT sum(last_id - first_id + 1) + (SELECT ids_cached FROM idgen_stats WHERE name = 'any')
		= (SELECT next_block_start - 1 FROM id_sequences WHERE name = 'any') AS none_missing,
	(SELECT ids_lost FROM idgen_stats WHERE name = 'any')
	FROM drawn;
SELECT count(*) AS overlapping FROM drawn a JOIN drawn b ON a.n < b.n AND a.first_id <= b.last_id AND b.first_id <= a.last_id;

-- a block of somebody else's in between: nothing is joined across it
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('shared', 1, 10);
SELECT * FROM idgen_next_range('shared', 6);
UPDATE id_sequences SET next_block_start = next_block_start + 10 WHERE name = 'shared';
SELECT * FROM idgen_next_range('shared', 12);
SELECT first_id, last_id FROM idgen_cache WHERE name = 'shared' ORDER BY first_id;
BEGIN;
SELECT * FROM idgen_next_range('shared', 14);
UPDATE id_sequences SET next_block_start = next_block_start + 10 WHERE name = 'shared';
SELECT * FROM idgen_next_range('shared', 15);
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'shared' ORDER BY first_id;
COMMIT;
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'shared' ORDER BY first_id;
SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'shared';

-- what this transaction has made void is not joined
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('void', 1, 20);
SELECT idgen_next('void');
BEGIN;
UPDATE id_sequences SET max_value = 1000 WHERE name = 'void';
SELECT * FROM idgen_next_range('void', 30);
ROLLBACK;
BEGIN;
SELECT idgen_restart('void', 21);
SELECT * FROM idgen_next_range('void', 30);
ROLLBACK;
SELECT * FROM idgen_next_range('void', 30);

DROP VIEW check_drawn, counters;
DROP TABLE drawn;
DROP EXTENSION idgen;
