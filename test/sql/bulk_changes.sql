--
-- One transaction changes very many rows: the session needs little memory for
-- that and gives it back, and what each change means for cached ids holds, with
-- savepoints too.
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE VIEW memory AS
	SELECT coalesce(sum(total_bytes), 0) / 1024 AS kilobytes FROM pg_backend_memory_contexts WHERE name LIKE 'idgen%';
BEGIN;
INSERT INTO id_sequences (name, next_block_start, block_size)
	SELECT 'name' || i, 1001, 20 FROM generate_series(1, 11000) i;
SELECT kilobytes < 1500 FROM memory;
COMMIT;
SELECT idgen_create('a'), idgen_create('b'), idgen_create('c');
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

BEGIN;
UPDATE id_sequences SET exhausted = 1;
SELECT kilobytes < 1500 FROM memory;
COMMIT;
SELECT kilobytes < 100 FROM memory;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;
UPDATE id_sequences SET exhausted = 0;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

-- an allocation leaves the cache alone
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + 100;
SELECT kilobytes < 100 FROM memory;
COMMIT;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;

-- what makes ids void, rolled back as a whole and in part
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start - 1;
SELECT kilobytes < 1500 FROM memory;
ROLLBACK;
SELECT kilobytes < 100 FROM memory;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;
BEGIN;
UPDATE id_sequences SET next_block_start = 61 WHERE name = 'a';
SAVEPOINT s;
UPDATE id_sequences SET next_block_start = 41 WHERE name <> 'c';
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;
SAVEPOINT t;
DELETE FROM id_sequences;
RELEASE t;
ROLLBACK TO s;
SELECT kilobytes < 1500 FROM memory;
SELECT idgen_next('b'), idgen_next('c');
COMMIT;
SELECT idgen_next(name) FROM unnest('{a,b,c}'::text[]) name;

-- the same, with a change that counts for more inside of the savepoint
BEGIN;
UPDATE id_sequences SET block_size = 10 WHERE name IN ('a', 'b', 'c');
SAVEPOINT s;
DELETE FROM id_sequences WHERE name <> 'c';
SAVEPOINT t;
UPDATE id_sequences SET next_block_start = 1;
ROLLBACK TO t;
RELEASE s;
COMMIT;
SELECT name, ids_cached FROM idgen_stats ORDER BY name;
SELECT idgen_next('c');
SELECT idgen_next('a');

-- rows that are made again, and ids of the same transaction before and after
INSERT INTO id_sequences (name, next_block_start) SELECT 'name' || i, 1 FROM generate_series(1, 1100) i;
INSERT INTO id_sequences (name, next_block_start) VALUES ('a', 1), ('b', 1);
SELECT idgen_next('a'), idgen_next('b'), idgen_next('name1');
BEGIN;
SELECT idgen_next('name2');
DELETE FROM id_sequences WHERE name <> 'a';
SELECT kilobytes < 300 FROM memory;
SELECT idgen_next('a');
INSERT INTO id_sequences (name, next_block_start) SELECT 'name' || i, 101 FROM generate_series(1, 1100) i;
SELECT kilobytes < 300 FROM memory;
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('name3');
SAVEPOINT s;
SELECT idgen_next('name1'), idgen_next('name4');
ROLLBACK TO s;
SELECT idgen_next('name1'), idgen_next('name4');
COMMIT;
SELECT idgen_next('a'), idgen_next('name1'), idgen_next('name2'), idgen_next('name3'), idgen_next('name4');

-- restarts
BEGIN;
SELECT count(idgen_restart(name, 201)) FROM id_sequences;
SELECT kilobytes < 2000 FROM memory;
SELECT idgen_next('name1');
COMMIT;
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('a');

-- prepared
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start - 50;
PREPARE TRANSACTION 'bulk';
SELECT kilobytes < 2000 FROM memory;
SELECT name, ids_cached FROM idgen_stats WHERE name IN ('a', 'name1', 'name2') ORDER BY name;
COMMIT PREPARED 'bulk';
SELECT idgen_next('name1'), idgen_next('name2'), idgen_next('a');

DROP EXTENSION idgen CASCADE;
