--
-- A row that gets another source: each draws from the new one as soon as it may
-- see it
--
-- A cache per session is emptied by changes that are rolled back, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 10;
CREATE TABLE counter AS SELECT 5000::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 10 RETURNING next_id - 10, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1);
PREPARE draw AS SELECT idgen_next('gen');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- one after the other
EXECUTE draw;
UPDATE id_sequences SET source = 'sequence' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
TABLE blocks;

-- in one transaction, which has pending ids of each, and is rolled back
BEGIN;
EXECUTE draw;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
TABLE counter;

-- committed
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
TABLE blocks;
COMMIT;
TABLE blocks;
EXECUTE draw;
BEGIN;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
COMMIT;
EXECUTE draw;
BEGIN;
UPDATE id_sequences SET source = 'table' WHERE name = 'gen';
EXECUTE draw;
COMMIT;
EXECUTE draw;

-- savepoints
SELECT count(idgen_next('gen')) FROM generate_series(1, 8);
BEGIN;
EXECUTE draw;
SAVEPOINT a;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 'gen';
EXECUTE draw;
SAVEPOINT b;
UPDATE id_sequences SET source = 'sequence', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
ROLLBACK TO b;
EXECUTE draw;
ROLLBACK TO a;
EXECUTE draw;
COMMIT;
TABLE blocks;

-- gapless ids that were reserved ahead are given back, and there for the way
-- back
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 100);
UPDATE id_sequences SET source = 'sequence', source_name = 'gen_seq' WHERE name = 'gapless';
SELECT idgen_next('gapless') >= 1000 AS of_the_sequence;
UPDATE id_sequences SET source = 'table' WHERE name = 'gapless';
SELECT idgen_next('gapless');
COMMIT;
SELECT idgen_next('gapless');

DEALLOCATE draw;
DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter;
DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;
