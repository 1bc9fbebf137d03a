--
-- Numbers without a gap
--

--
-- block_size 1: no gap among what is committed, however it came about
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE issued (n serial, id bigint PRIMARY KEY DEFAULT idgen_next('gapless'));
CREATE VIEW check_issued AS
	SELECT count(*), min(id), max(id), next_block_start = max(id) + 1 AS row_agrees,
		array_agg(id ORDER BY n) = array_agg(id ORDER BY id) AS ascending
	FROM issued, id_sequences GROUP BY next_block_start;
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache;

-- nothing is cached
INSERT INTO issued DEFAULT VALUES RETURNING id;
TABLE blocks;
BEGIN;
INSERT INTO issued DEFAULT VALUES RETURNING id;
TABLE blocks;
COMMIT;
TABLE blocks;

-- undone draws are issued again
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 5) RETURNING id;
ROLLBACK;
INSERT INTO issued DEFAULT VALUES RETURNING id;
TABLE check_issued;

-- a long transaction reserves ids ahead for speed
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
SELECT max(id) FROM issued;
SELECT state, first_id, last_id > first_id AS several FROM idgen_cache;
SELECT next_block_start > 1004 AS ahead FROM id_sequences;

-- and gives back what it did not use, so that the next one goes on right there
COMMIT;
TABLE blocks;
TABLE check_issued;
INSERT INTO issued DEFAULT VALUES RETURNING id;

-- the same undone
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
ROLLBACK;
INSERT INTO issued DEFAULT VALUES RETURNING id;
TABLE check_issued;

-- draws of a savepoint that is rolled back are issued again, from reserved ids
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 998);
SAVEPOINT a;
INSERT INTO issued SELECT FROM generate_series(1, 10);
SELECT max(id) FROM issued;
ROLLBACK TO a;
INSERT INTO issued DEFAULT VALUES RETURNING id;

-- and from new ones
SAVEPOINT b;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
SELECT max(id) FROM issued;
ROLLBACK TO b;
INSERT INTO issued DEFAULT VALUES RETURNING id;

-- also those of a savepoint released into it
SAVEPOINT c;
INSERT INTO issued DEFAULT VALUES RETURNING id;
SAVEPOINT d;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
RELEASE d;
INSERT INTO issued DEFAULT VALUES RETURNING id;
ROLLBACK TO c;
INSERT INTO issued DEFAULT VALUES RETURNING id;
SAVEPOINT e;
SAVEPOINT f;
INSERT INTO issued DEFAULT VALUES RETURNING id;
RELEASE f;
ROLLBACK TO e;
INSERT INTO issued DEFAULT VALUES RETURNING id;
COMMIT;
TABLE blocks;
TABLE check_issued;

-- exception blocks of which many fail
DO $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		BEGIN
			INSERT INTO issued SELECT FROM generate_series(1, i % 10);
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
			BEGIN
				INSERT INTO issued SELECT FROM generate_series(1, i % 4);
				IF i % 5 = 0 THEN
					RAISE division_by_zero;
				END IF;
			EXCEPTION WHEN division_by_zero THEN
				NULL;
			END;
			IF i % 7 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
END $$;
TABLE blocks;
TABLE check_issued;

-- a rest that goes back after the row was changed by the transaction itself
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
UPDATE id_sequences SET big_base = 1, source_name = 'x';
COMMIT;
INSERT INTO issued DEFAULT VALUES;
TABLE check_issued;
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
UPDATE id_sequences SET max_value = 1000000;
COMMIT;
INSERT INTO issued DEFAULT VALUES;
TABLE check_issued;
BEGIN;
INSERT INTO issued SELECT FROM generate_series(1, 1000);
UPDATE id_sequences SET name = 'renamed';
COMMIT;
INSERT INTO issued VALUES (DEFAULT, idgen_next('renamed'));
TABLE check_issued;

-- what cannot go back, because the transaction itself has advanced the row, is
-- not cached either
BEGIN;
SELECT count(idgen_next('renamed')) FROM generate_series(1, 1000);
UPDATE id_sequences SET next_block_start = 10000;
COMMIT;
TABLE blocks;
SELECT idgen_next('renamed');

-- a transaction that ends the id sequence itself, while ids are reserved
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('ended', 1, 1);
BEGIN;
SELECT count(idgen_next('ended')) FROM generate_series(1, 42);
UPDATE id_sequences SET exhausted = 1 WHERE name = 'ended';
COMMIT;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'ended';
SELECT idgen_next('ended');

DROP VIEW check_issued, blocks;
DROP TABLE issued;
DROP EXTENSION idgen;

\c -
--
-- Nobody looks after gapless ids, of which few are left, when what they were
-- drawn from is undone.
--
BEGIN;
SAVEPOINT s;
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gapless', 1, 1, 5);
SELECT count(idgen_next('gapless')) FROM generate_series(1, 5);
ROLLBACK TO s;
COMMIT;
\echo :SQLSTATE

-- nor when it is dropped
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gapless', 1, 1, 5);
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 5);
DROP EXTENSION idgen;
COMMIT;
\echo :SQLSTATE
