--
-- Savepoints: a block that was allocated within one is undone with it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- allocated before the savepoint: what was drawn stays drawn
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- allocated within: is issued again
BEGIN;
SAVEPOINT a;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK TO a;
TABLE blocks;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- both: ids of the outer block were drawn for good, the inner block was not
SELECT idgen_restart('gen', 1);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen') FROM generate_series(1, 5);
TABLE blocks;
ROLLBACK TO a;
TABLE blocks;
SELECT idgen_next('gen'), idgen_next('gen');
SAVEPOINT b;
SELECT idgen_next('gen') FROM generate_series(1, 4);
ROLLBACK TO b;
TABLE blocks;
SELECT idgen_next('gen'), idgen_next('gen');
COMMIT;
TABLE blocks;
SELECT next_block_start FROM id_sequences;

-- released: it becomes the outer level's
SELECT idgen_restart('gen', 1);
BEGIN;
SAVEPOINT a;
SELECT idgen_next('gen');
RELEASE a;
TABLE blocks;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- released into a savepoint that is rolled back
SELECT idgen_restart('gen', 1);
BEGIN;
SAVEPOINT a;
SAVEPOINT b;
SELECT idgen_next('gen');
RELEASE b;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_next('gen') FROM generate_series(1, 5);
SAVEPOINT c;
SELECT idgen_next('gen') FROM generate_series(1, 4);
RELEASE c;
TABLE blocks;
RELEASE b;
ROLLBACK TO a;
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT next_block_start FROM id_sequences;
SELECT idgen_next('gen');

-- one block for each level, undone from the inside
SELECT idgen_restart('gen', 1);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SAVEPOINT b;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SAVEPOINT c;
SELECT idgen_next('gen') FROM generate_series(1, 4);
TABLE blocks;
ROLLBACK TO c;
TABLE blocks;
ROLLBACK TO b;
TABLE blocks;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- a statement that fails after a savepoint
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 3);
SAVEPOINT a;
SELECT idgen_next('gen') / 0;
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_next('gen') / 0;
ROLLBACK TO b;
SELECT idgen_next('gen');
COMMIT;

-- the same in exception blocks, where the rest of a published block, a block of
-- the transaction and one of the subtransaction follow each other
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen'), idgen_next('gen');
DO $$
DECLARE
	ids bigint[];
BEGIN
	FOR i IN 1 .. 5 LOOP
		BEGIN
			FOR j IN 1 .. 3 LOOP
				ids := ids || idgen_next('gen');
			END LOOP;
			IF i % 2 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			ids := ids || NULL::bigint;
		END;
	END LOOP;
	RAISE NOTICE '%', ids;
END $$;
TABLE blocks;
SELECT next_block_start FROM id_sequences;

-- many subtransactions, of which every third is undone
CREATE TABLE issued (id bigint PRIMARY KEY);
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		BEGIN
			INSERT INTO issued SELECT idgen_next('gen') FROM generate_series(1, i % 7);
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT count(*), max(id) < next_block_start AS all_allocated FROM issued, id_sequences GROUP BY next_block_start;
SELECT idgen_next('gen') > max(id) AS goes_on FROM issued;

DROP TABLE issued;
DROP VIEW blocks;
DROP EXTENSION idgen;
