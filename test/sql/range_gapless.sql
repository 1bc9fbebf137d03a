--
-- Ranges with block_size 1: no gap among what is committed, however ranges and
-- single ids, rollbacks and savepoints come
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE issued (n serial, id bigint PRIMARY KEY);
CREATE VIEW check_issued AS
	SELECT count(*), min(id), max(id), next_block_start = max(id) + 1 AS row_agrees,
		array_agg(id ORDER BY n) = array_agg(id ORDER BY id) AS ascending,
		(SELECT count(*) FROM idgen_cache) AS cached
	FROM issued, id_sequences GROUP BY next_block_start;
CREATE FUNCTION issue(n int) RETURNS text LANGUAGE sql AS $$
	WITH r AS MATERIALIZED (SELECT * FROM idgen_next_range('gapless', n)),
	i AS (INSERT INTO issued (id) SELECT generate_series(first_id, last_id) FROM r)
	SELECT first_id || ' - ' || last_id FROM r
$$;

-- nothing is cached
SELECT issue(5);
TABLE check_issued;
SELECT issue(1);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
TABLE check_issued;

-- rolled back, they are issued again
BEGIN;
SELECT issue(1000);
ROLLBACK;
SELECT issue(10);
TABLE check_issued;

-- single ids before, between and after
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SELECT issue(3);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SELECT issue(4);
SELECT issue(40);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
COMMIT;
TABLE check_issued;

-- the same, of ids that a long transaction reserves ahead
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 1000);
SELECT issue(20);
SELECT issue(3000);
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 10);
SELECT issue(7);
COMMIT;
TABLE check_issued;
SELECT issue(2);
TABLE check_issued;

-- savepoints that are rolled back
BEGIN;
SELECT issue(3);
SAVEPOINT a;
SELECT issue(30);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
ROLLBACK TO a;
SELECT issue(2);
SAVEPOINT b;
SELECT issue(5);
SAVEPOINT c;
SELECT issue(6);
RELEASE c;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
ROLLBACK TO b;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SAVEPOINT d;
SELECT issue(4);
RELEASE d;
COMMIT;
TABLE check_issued;

-- with ids reserved before the savepoint
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 998);
SAVEPOINT a;
SELECT issue(10);
SELECT issue(10000);
ROLLBACK TO a;
SELECT issue(50);
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 2);
SAVEPOINT a;
SELECT issue(11);
ROLLBACK TO a;
COMMIT;
TABLE check_issued;

-- as it comes
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		BEGIN
			PERFORM issue(i % 10 + 1);
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
			BEGIN
				INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, i % 4);
				PERFORM issue(i % 23 + 1);
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
		IF i % 50 = 0 THEN
			COMMIT;
			ASSERT (SELECT count(*) = max(id) FROM issued), 'there is a gap';
		END IF;
	END LOOP;
END $$;
TABLE check_issued;

-- does not fit
UPDATE id_sequences SET max_value = next_block_start + 9;
SELECT issue(11);
\echo :SQLSTATE
BEGIN;
SELECT issue(4);
SAVEPOINT a;
SELECT issue(7);
\echo :SQLSTATE
ROLLBACK TO a;
SELECT issue(5);
COMMIT;
TABLE check_issued;
SELECT issue(1);
SELECT exhausted FROM id_sequences;

-- A transaction that itself moves the row away from what it has reserved leaves
-- a gap, and a rollback to a savepoint does not mix up what it has then.
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('moved', 1, 1), ('now gapless', 1, 20);
CREATE VIEW pending AS SELECT name, first_id, last_id FROM idgen_cache WHERE state = 'pending' ORDER BY name, first_id;
BEGIN;
SELECT count(idgen_next('moved')), count(idgen_next('now gapless')) FROM generate_series(1, 181);
TABLE pending;
UPDATE id_sequences SET next_block_start = 10001, block_size = 1;
SELECT * FROM idgen_next_range('moved', 20);
SELECT * FROM idgen_next_range('now gapless', 20);
SAVEPOINT a;
SELECT idgen_next('moved'), idgen_next_range('moved', 15), idgen_next('now gapless'), idgen_next_range('now gapless', 15);
ROLLBACK TO a;
TABLE pending;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('moved') AS id FROM generate_series(1, 60)) AS drawn;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('now gapless') AS id FROM generate_series(1, 60)) AS drawn;
COMMIT;
SELECT name, next_block_start FROM id_sequences ORDER BY name;

DROP VIEW pending;
DROP VIEW check_issued;
DROP FUNCTION issue;
DROP TABLE issued;
DROP EXTENSION idgen;
