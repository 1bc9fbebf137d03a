--
-- Draws in transactions that roll back, prepare, or see old rows
--

--
-- A block belongs to the transaction that allocated it until that commits, and
-- is forgotten when it does not
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- pending
BEGIN;
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;

-- forgotten: the row is as before, and the ids are issued again
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
TABLE blocks;
COMMIT;

-- published
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- an id drawn from a published block stays drawn, whatever becomes of the
-- transaction
BEGIN;
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;
SELECT idgen_next('gen');

-- the last published id and a new block in one transaction, undone
SELECT idgen_next('gen') FROM generate_series(1, 3);
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 3);
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- an error undoes as well
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT idgen_next('gen') / 0;
SELECT idgen_next('gen');

-- gapless ids are issued again one by one
SELECT idgen_next('gapless');
BEGIN;
SELECT idgen_next('gapless'), idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');

-- a block that was used up leaves nothing to publish
SELECT idgen_restart('gen', 101);
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 4);
COMMIT;
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

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
TABLE blocks;

DROP VIEW blocks;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- Isolation levels: the newest version of a row counts, not the snapshot's
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 2), ('gapless', 1, 1);

BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM id_sequences;
SELECT idgen_next('gen'), idgen_next('gapless') FROM generate_series(1, 5);
SELECT next_block_start FROM id_sequences ORDER BY name;
COMMIT;

BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM id_sequences;
SELECT idgen_next('gen'), idgen_next('gapless') FROM generate_series(1, 5);
SAVEPOINT a;
SELECT idgen_next('gen'), idgen_next('gapless') FROM generate_series(1, 5);
ROLLBACK TO a;
SELECT idgen_next('gen'), idgen_next('gapless');
COMMIT;

-- within one query, whose own snapshot sees none of the new versions
SELECT idgen_next('gen'), next_block_start FROM id_sequences, generate_series(1, 5) WHERE name = 'gen';

-- rows written by the very same command
WITH written AS (INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('new', 50, 1) RETURNING name)
	SELECT idgen_next(name), idgen_next(name) FROM written;
WITH written AS (UPDATE id_sequences SET next_block_start = 100 WHERE name = 'new' RETURNING name)
	SELECT idgen_next(name), idgen_next(name) FROM written;
BEGIN ISOLATION LEVEL SERIALIZABLE;
WITH written AS (UPDATE id_sequences SET next_block_start = 200 WHERE name = 'new' RETURNING name)
	SELECT idgen_next(name), idgen_next(name) FROM written;
SELECT next_block_start FROM id_sequences WHERE name = 'new';
COMMIT;
WITH written AS (DELETE FROM id_sequences WHERE name = 'new' RETURNING name)
	SELECT idgen_next(name) FROM written;
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'new';

-- a cursor that was opened before
BEGIN ISOLATION LEVEL REPEATABLE READ;
DECLARE c CURSOR FOR SELECT name, next_block_start FROM id_sequences ORDER BY name;
SELECT idgen_next('gen'), idgen_next('gapless') FROM generate_series(1, 5);
FETCH ALL FROM c;
COMMIT;

-- while the row is locked by the same transaction
BEGIN;
SELECT name FROM id_sequences ORDER BY name FOR UPDATE;
SELECT idgen_next('gen'), idgen_next('gapless') FROM generate_series(1, 3);
COMMIT;

DROP EXTENSION idgen;

\c -
--
-- A read-only transaction draws nothing, not even from the cache, and is
-- refused with the words of nextval
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE native;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT idgen_next('gen');

BEGIN READ ONLY;
SELECT nextval('native');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_next_big('gen');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_create('new');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
ROLLBACK;

-- an unknown name is not known, as with nextval
BEGIN READ ONLY;
SELECT idgen_next('no such');
\echo :SQLSTATE
ROLLBACK;

-- in the middle of a transaction that has a pending block
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 20);
SAVEPOINT a;
SET TRANSACTION READ ONLY;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;

SET default_transaction_read_only = on;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET default_transaction_read_only;
SELECT idgen_next('gen');

-- looking is allowed
BEGIN READ ONLY;
SELECT idgen_peek('gen'), idgen_last('gen');
SELECT ids_issued FROM idgen_stats;
SELECT first_id, last_id FROM idgen_cache;
COMMIT;

DROP SEQUENCE native;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- In a read-only transaction, ids come from temporary sequences only
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE TEMPORARY SEQUENCE temporary_seq INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('row', 1, 'sequence', 'gen_seq'), ('temporary row', 1, 'sequence', 'temporary_seq');
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

SET default_transaction_read_only = on;

-- refused, also with ids in the cache, as by nextval()
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next_big('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('row');
\echo :SQLSTATE
SELECT nextval('gen_seq');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_peek('gen'), idgen_last('gen');

-- not refused: the first draw, one from the cache, refills
SELECT idgen_next('temporary', 'sequence'), idgen_next('temporary', 'sequence');
SELECT nextval('temporary_seq');
SELECT idgen_next_big('temporary', 'sequence'), idgen_next('temporary row'), idgen_next('temporary row');
SELECT count(DISTINCT id) FROM (SELECT idgen_next('temporary', 'sequence') AS id FROM generate_series(1, 100)) AS s;
BEGIN;
SELECT idgen_next('temporary', 'sequence') > 0 AS drawn;
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('temporary', 'sequence') > 0 AS drawn;
COMMIT;

RESET default_transaction_read_only;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

-- the same statement, in one transaction and another
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
EXECUTE draw;
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;
DEALLOCATE draw;

-- a temporary sequence that hides another one
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
CREATE TEMPORARY SEQUENCE gen_seq START 1000 INCREMENT 10;
SET search_path = pg_temp, public;
BEGIN READ ONLY;
EXECUTE draw;
SELECT idgen_next('row');
ROLLBACK;
DROP SEQUENCE pg_temp.gen_seq;
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
DEALLOCATE draw;

DROP SEQUENCE gen_seq, temporary_seq;
DROP EXTENSION idgen;
