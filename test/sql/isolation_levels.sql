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
