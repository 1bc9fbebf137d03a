--
-- With block_size 1, what a transaction leaves of an allocator's blocks is not
-- shared
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id, 1 AS size;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + size RETURNING next_id - size, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 1, 'function', 'public.allocate');

-- an allocator that gives one id at a time makes it gapless
SELECT idgen_next('gen'), idgen_next('gen');
SELECT count(*) FROM idgen_cache;
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 20);
ROLLBACK;
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 20);
SELECT next_id FROM counter;

-- one that gives more leaves a gap, for it cannot take ids back
UPDATE counter SET size = 5;
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
SELECT count(*) FROM idgen_cache WHERE state = 'published';
COMMIT;
SELECT count(*) FROM idgen_cache;
SELECT ids_cached, ids_lost FROM idgen_stats;
SELECT idgen_next('gen');

DROP FUNCTION allocate;
DROP TABLE counter;
DROP EXTENSION idgen;
