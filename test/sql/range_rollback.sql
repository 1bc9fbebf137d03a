--
-- A range belongs to the transaction or savepoint that has allocated it: rolled
-- back, its ids are issued again, but none is issued twice
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- a transaction that is rolled back
BEGIN;
SELECT * FROM idgen_next_range('gen', 50);
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT next_block_start FROM id_sequences;
BEGIN;
SELECT * FROM idgen_next_range('gen', 7);
COMMIT;
TABLE blocks;

-- what was published before stays drawn
BEGIN;
SELECT * FROM idgen_next_range('gen', 5);
ROLLBACK;
SELECT idgen_next('gen');

-- what was published and is too little stays so, the new ids are issued again
SELECT ids_cached, ids_issued FROM idgen_stats;
BEGIN;
SELECT * FROM idgen_next_range('gen', 17);
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen'), next_block_start FROM id_sequences;

-- a savepoint: only what is allocated in it is issued again
BEGIN;
SELECT * FROM idgen_next_range('gen', 30);
TABLE blocks;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 4);
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
ROLLBACK TO b;
SELECT next_block_start FROM id_sequences;
SELECT * FROM idgen_next_range('gen', 100);
COMMIT;
TABLE blocks;

-- a savepoint that is released
BEGIN;
SELECT * FROM idgen_next_range('gen', 25);
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 25);
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 25);
RELEASE b;
SELECT idgen_next('gen');
RELEASE a;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- one of two, one in the other
BEGIN;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 50);
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 50);
ROLLBACK TO b;
SELECT * FROM idgen_next_range('gen', 50);
RELEASE a;
COMMIT;
TABLE blocks;

-- what was pending before, and has not become a part of the range, is pending
-- still; of that, what was drawn stays drawn
SELECT idgen_create('apart');
BEGIN;
SELECT idgen_next('apart');
UPDATE id_sequences SET next_block_start = 101 WHERE name = 'apart';
SAVEPOINT a;
SELECT * FROM idgen_next_range('apart', 39);
SELECT idgen_next('apart'), idgen_next('apart'), idgen_next('apart');
UPDATE id_sequences SET next_block_start = 201 WHERE name = 'apart';
SAVEPOINT b;
SELECT * FROM idgen_next_range('apart', 30);
SELECT * FROM idgen_next_range('apart', 11);
ROLLBACK TO b;
SELECT idgen_next('apart');
SELECT * FROM idgen_next_range('apart', 30);
RELEASE b;
ROLLBACK TO a;
SELECT idgen_next('apart'), idgen_next_range('apart', 16), idgen_next('apart');
COMMIT;
SELECT first_id, last_id, next_block_start FROM idgen_cache JOIN id_sequences USING (name) WHERE name = 'apart';
DELETE FROM id_sequences WHERE name = 'apart';

-- many savepoints, of which every third is undone; the outer range of ids goes
-- on
CREATE TABLE issued (id bigint PRIMARY KEY);
DO $$
DECLARE
	r record;
BEGIN
	FOR i IN 1 .. 400 LOOP
		BEGIN
			SELECT * INTO r FROM idgen_next_range('gen', i * 7 % 47 + 1);
			ASSERT r.last_id - r.first_id = i * 7 % 47, 'not as many as were asked for';
			INSERT INTO issued SELECT generate_series(r.first_id, r.last_id);
			IF i % 4 = 0 THEN
				INSERT INTO issued SELECT idgen_next('gen');
			END IF;
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
		IF i % 7 = 0 THEN
			COMMIT;
		ELSIF i % 11 = 0 THEN
			ROLLBACK;
		END IF;
	END LOOP;
END $$;
SELECT count(*) > 3000 AS many, max(id) < next_block_start AS all_allocated
	FROM issued, id_sequences GROUP BY next_block_start;
SELECT count(*) AS issued_but_cached FROM issued, blocks WHERE id BETWEEN first_id AND last_id;
SELECT first_id > (SELECT max(id) FROM issued) AS goes_on FROM idgen_next_range('gen', 7);

DROP TABLE issued;
DROP VIEW blocks;
DROP EXTENSION idgen;
