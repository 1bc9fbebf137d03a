--
-- To start an allocator's id sequence again: set back what its ids come from,
-- and delete and insert the row to drop what is cached
--
-- A cache per session is emptied by changes that are rolled back, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 5 RETURNING next_id - 5, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_next('gen');

-- in one transaction, which draws from the new start at once
BEGIN;
UPDATE counter SET next_id = 1;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;
COMMIT;
SELECT idgen_next('gen');
SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- rolled back
BEGIN;
UPDATE counter SET next_id = 100;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- the rest of a block of the transaction's own is dropped, too
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(4, 5);
BEGIN;
SELECT idgen_next('gen');
UPDATE counter SET next_id = 200;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
COMMIT;
SELECT first_id, last_id, state FROM idgen_cache;

-- one step after the other
UPDATE counter SET next_id = 300;
SELECT idgen_next('gen');
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');

-- another function does as well, but not the same one again, or another
-- block_size
UPDATE id_sequences SET source_name = 'public.allocate', block_size = 2;
SELECT idgen_next('gen');
CREATE FUNCTION allocate_other(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 1000, 1004$$;
BEGIN;
UPDATE id_sequences SET source_name = 'public.allocate_other';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'public.allocate_other';
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'public.allocate';
SELECT idgen_next('gen');

DROP FUNCTION allocate, allocate_other;
DROP TABLE counter;
DROP EXTENSION idgen;
