--
-- With refill = 'worker', an id that was issued is never issued again, whatever
-- is rolled back
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 4, 'worker');

-- the call that had a block allocated
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT next_block_start FROM id_sequences;
SELECT idgen_next('gen');

-- an error
SELECT idgen_next('gen') / 0;
SELECT idgen_next('gen');

-- a savepoint, over several blocks
BEGIN;
SAVEPOINT a;
SELECT idgen_next('gen') FROM generate_series(5, 14);
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_next('gen');
RELEASE b;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- COMMIT of a failed transaction, and AND CHAIN
BEGIN;
SELECT idgen_next('gen');
SELECT 1 / 0;
COMMIT;
BEGIN;
SELECT idgen_next('gen');
ROLLBACK AND CHAIN;
SELECT idgen_next('gen');
COMMIT AND CHAIN;
SELECT idgen_next('gen');
ROLLBACK;

-- an exception block that draws, over many blocks, and fails
CREATE FUNCTION draw_and_fail(n integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
BEGIN
	FOR i IN 1 .. n LOOP
		id := idgen_next('gen');
	END LOOP;
	RAISE EXCEPTION 'no';
EXCEPTION WHEN raise_exception THEN
	RETURN id;
END $$;
SELECT draw_and_fail(1), draw_and_fail(1), idgen_next('gen');
SELECT draw_and_fail(475), idgen_next('gen');
BEGIN;
SELECT draw_and_fail(10), draw_and_fail(100);
ROLLBACK;
SELECT idgen_next('gen');

-- in many transactions of all kinds
CREATE SEQUENCE turn; -- its values are not undone either
CREATE TABLE expected AS SELECT idgen_next('gen') AS first;
DO $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		FOR j IN 1 .. i % 7 LOOP
			PERFORM nextval('turn'), idgen_next('gen');
		END LOOP;
		IF i % 3 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
	END LOOP;
END $$;
SELECT idgen_next('gen') - first = currval('turn') + 1 AS one_for_each_draw FROM expected;

-- the worker's row is not the caller's to undo
SELECT ids_lost, ids_issued = last AS one_for_each_draw FROM idgen_stats, idgen_last('gen') AS last;

-- PREPARE TRANSACTION leaves nothing pending
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('prepared', 1, 20, 'worker');
BEGIN;
SELECT idgen_next('prepared') FROM generate_series(1, 3);
PREPARE TRANSACTION 'regress_idgen';
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'prepared';
SELECT idgen_next('prepared');
ROLLBACK PREPARED 'regress_idgen';
SELECT idgen_next('prepared');
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'prepared';

DROP TABLE expected;
DROP SEQUENCE turn;
DROP FUNCTION draw_and_fail;
DROP EXTENSION idgen;
