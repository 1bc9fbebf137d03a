--
-- Ranges from a user's allocator: it is asked for as many blocks as block_size
-- says they take; what it returns is used as far as it has that many ids in a
-- row
--
CREATE EXTENSION idgen;
CREATE TABLE counter (next_id bigint, block bigint, gap bigint, at_most integer);
CREATE TABLE calls (n serial, blocks integer);
INSERT INTO counter VALUES (1, 20, 0, 1000000);
-- blocks of "block" ids, with "gap" between them, not more than "at_most" at
-- once
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
DECLARE
	c public.counter;
	n bigint;
BEGIN
	INSERT INTO public.calls (blocks) VALUES ($2);
	SELECT * INTO c FROM public.counter FOR UPDATE;
	n := least($2, c.at_most);
	UPDATE public.counter SET next_id = next_id + n * (block + gap);
	RETURN QUERY SELECT s, s + c.block - 1
		FROM generate_series(c.next_id, c.next_id + (n - 1) * (c.block + c.gap), c.block + c.gap) AS s;
END$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- one after the other
SELECT * FROM idgen_next_range('gen', 7);
SELECT * FROM idgen_next_range('gen', 7);
SELECT * FROM idgen_next_range('gen', 7);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
SELECT idgen_next('gen'), idgen_last('gen');
SELECT blocks FROM calls ORDER BY n;
SELECT ids_lost, refills FROM idgen_stats;

-- undone with the transaction, and with the savepoint
BEGIN;
SELECT * FROM idgen_next_range('gen', 100);
ROLLBACK;
SELECT next_id FROM counter;
BEGIN;
SELECT * FROM idgen_next_range('gen', 30);
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 60);
ROLLBACK TO a;
SELECT * FROM idgen_next_range('gen', 40);
TABLE blocks;
COMMIT;
TABLE blocks;

-- blocks with gaps between them: none is long enough
UPDATE counter SET next_id = 10001, gap = 1;
SELECT * FROM idgen_next_range('gen', 30);
\echo :SQLSTATE
SELECT next_id FROM counter;
TABLE blocks;

-- one of them is long enough: the others are kept, pending and published
UPDATE counter SET block = 30;
TRUNCATE calls;
BEGIN;
SELECT * FROM idgen_next_range('gen', 25);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 25);
TABLE blocks;
SELECT blocks FROM calls ORDER BY n;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 5);
SELECT count(*) FROM calls;
SELECT ids_lost FROM idgen_stats;

-- fewer blocks than asked for: it is called again, and they are joined
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
UPDATE counter SET next_id = 20001, block = 20, gap = 0, at_most = 1;
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 70);
SELECT count(*) FROM calls;
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;

-- that often and no more: ten blocks
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 201);
\echo :SQLSTATE
TABLE blocks;
SELECT idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 200);
SELECT count(*) FROM calls;
TABLE blocks;

-- smaller blocks than block_size says: it learns how large they are
UPDATE counter SET next_id = 30001, block = 3, at_most = 1000000;
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 100);
SELECT count(*) < 5 AS few_calls FROM calls;
SELECT ids_lost FROM idgen_stats;

-- larger ones
UPDATE counter SET next_id = 40001, block = 1000;
SELECT * FROM idgen_next_range('gen', 900);
TABLE blocks;

-- block_size 1
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('single', 1, 1, 'function', 'public.allocate');
UPDATE counter SET next_id = 50001, block = 1;
TRUNCATE calls;
BEGIN;
SELECT * FROM idgen_next_range('single', 5);
SELECT idgen_next('single');
COMMIT;
SELECT * FROM idgen_next_range('single', 5);
SELECT blocks FROM calls ORDER BY n;

-- more than a function can be asked for, and no block at all
SELECT * FROM idgen_next_range('gen', 576460752303423489);
\echo :SQLSTATE
UPDATE counter SET at_most = 0;
SELECT * FROM idgen_next_range('single', 5);
\echo :SQLSTATE

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter, calls;
DROP EXTENSION idgen;
