--
-- How many blocks an allocator is asked for: one, and more and more in a bulk
-- load
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE TABLE calls (n serial, blocks integer);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.calls (blocks) VALUES ($2);
	RETURN QUERY UPDATE public.counter SET next_id = next_id + 10 * $2 RETURNING next_id - 10 * $2, next_id - 1;
END$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 10, 'function', 'public.allocate');

-- one for each refill, from one transaction to the next
DO $$
BEGIN
	FOR i IN 1..110 LOOP
		PERFORM idgen_next('gen');
		COMMIT;
	END LOOP;
END$$;
SELECT count(*), min(blocks), max(blocks) FROM calls;
TRUNCATE calls;

-- within one, from the ninth refill on, an eighth of what it has
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
SELECT blocks, count(*), min(n) - (SELECT min(n) FROM calls) + 1 AS from_call FROM calls GROUP BY blocks ORDER BY blocks;
TRUNCATE calls;
SELECT count(DISTINCT id) FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 100000)) AS s;
SELECT count(*) < 80 AS few, sum(blocks) BETWEEN 10000 AND 12500 AS not_too_many FROM calls;
TRUNCATE calls;

-- one that always gives a single block is asked more often, and that is all
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.calls (blocks) VALUES ($2);
	RETURN QUERY UPDATE public.counter SET next_id = next_id + 10 RETURNING next_id - 10, next_id - 1;
END$$;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 10, 'function', 'public.allocate');
TRUNCATE calls;
SELECT count(DISTINCT id), max(id) - min(id) AS width
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 1000)) AS s;
SELECT count(*), min(blocks) FROM calls;

DROP FUNCTION allocate;
DROP TABLE counter, calls;
DROP EXTENSION idgen;
