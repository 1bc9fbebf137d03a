-- docs/refill.md, "What a transaction means for ids"

-- claim: The transaction that refills uses its block alone until it ends; the rest goes to the cache then.
SELECT idgen_create('t1');
BEGIN;
SELECT idgen_next('t1');
-- gives: 1
\other SELECT count(*) FROM idgen_cache WHERE name = 't1';
-- gives: 0
COMMIT;
SELECT ids_cached FROM idgen_stats WHERE name = 't1';
-- gives: 19

-- claim: Savepoint rolled back: its ids are issued a second time.
SELECT idgen_create('t2');
BEGIN;
SAVEPOINT s;
SELECT idgen_next('t2');
-- gives: 1
ROLLBACK TO s;
SELECT idgen_next('t2');
-- gives: 1
COMMIT;

-- claim: The same with an exception block.
SELECT idgen_create('t3');
DO $$ BEGIN BEGIN PERFORM idgen_next('t3'); RAISE 'x'; EXCEPTION WHEN OTHERS THEN NULL; END; END $$;
SELECT idgen_next('t3');
-- gives: 1

-- claim: An id from the cache is used up, whatever becomes of the transaction.
SELECT idgen_create('t4');
SELECT idgen_next('t4');
-- gives: 1
BEGIN;
SELECT idgen_next('t4');
-- gives: 2
ROLLBACK;
SELECT idgen_next('t4');
-- gives: 3

-- claim: lock_timeout works while a session waits for another transaction's refill.
SELECT idgen_create('t5');
BEGIN;
SELECT idgen_next('t5');
-- gives: 1
\other SET lock_timeout = 300; SELECT idgen_next('t5');
-- gives: ERROR 55P03
COMMIT;

-- claim: statement_timeout works, too.
SELECT idgen_create('t6');
BEGIN;
SELECT idgen_next('t6');
-- gives: 1
\other SET statement_timeout = 300; SELECT idgen_next('t6');
-- gives: ERROR 57014
COMMIT;

-- claim: PREPARE TRANSACTION: the rest of the block is a gap if it commits.
SELECT idgen_create('t7');
BEGIN;
SELECT idgen_next('t7');
-- gives: 1
PREPARE TRANSACTION 't7';
COMMIT PREPARED 't7';
SELECT idgen_next('t7');
-- gives: 21

-- claim: PREPARE TRANSACTION: the ids are issued a second time if it rolls back.
SELECT idgen_create('t8');
BEGIN;
SELECT idgen_next('t8');
-- gives: 1
PREPARE TRANSACTION 't8';
ROLLBACK PREPARED 't8';
SELECT idgen_next('t8');
-- gives: 1

-- claim: A prepared transaction that has changed the row keeps others from refilling.
SELECT idgen_create('t9');
SELECT idgen_next('t9');
-- gives: 1
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 't9';
PREPARE TRANSACTION 't9';
SET lock_timeout = 300;
SELECT idgen_next('t9');
-- gives: ERROR 55P03
COMMIT PREPARED 't9';
RESET lock_timeout;

-- claim: A refill at SERIALIZABLE sees the newest row.
SELECT idgen_create('t10');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM pg_class WHERE relname = 'id_sequences';
-- gives: 1
\other UPDATE id_sequences SET next_block_start = 21 WHERE name = 't10';
SELECT idgen_next('t10');
-- gives: 21
COMMIT;

-- claim: A refill at REPEATABLE READ sees the newest row.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM pg_class WHERE relname = 'id_sequences';
-- gives: 1
\other INSERT INTO id_sequences VALUES ('t11', 1); SELECT * FROM idgen_next_range('t11', 20);
-- gives: 1|20
SELECT idgen_next('t11');
-- gives: 21
COMMIT;

-- claim: A retry after a unique violation gets the same id, until idgen_sync moves the id sequence past the rows.
CREATE TABLE taken(id bigint PRIMARY KEY DEFAULT idgen_next('taken'));
SELECT idgen_create('taken');
INSERT INTO taken VALUES (1), (2);
INSERT INTO taken DEFAULT VALUES;
-- gives: ERROR 23505
INSERT INTO taken DEFAULT VALUES;
-- gives: ERROR 23505
SELECT problem_kind FROM idgen_health WHERE name = 'taken';
-- gives: behind_column
SELECT count(*) FROM idgen_sync('taken', 'id');
-- gives: 1
INSERT INTO taken DEFAULT VALUES RETURNING id;
-- gives: 3
