--
-- Allocators that fail or return nonsense: nothing is left behind, and the next
-- call works as soon as they do
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE TABLE answer (first_id bigint, last_id bigint);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	UPDATE public.counter SET next_id = next_id + 1;
	RETURN QUERY TABLE public.answer;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
PREPARE draw AS SELECT idgen_next('gen');

-- nothing: exhausted, until there is something
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw;
\echo :SQLSTATE
INSERT INTO answer VALUES (1, 3);
EXECUTE draw;

-- a null
SELECT idgen_next('gen'), idgen_next('gen');
UPDATE answer SET first_id = NULL;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 1, last_id = NULL;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 10, last_id = 11;
INSERT INTO answer VALUES (NULL, NULL);
EXECUTE draw;
\echo :SQLSTATE

-- the wrong way round, or too large
TRUNCATE answer;
INSERT INTO answer VALUES (11, 10);
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 9223372036854775807, last_id = -9223372036854775808;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = -9223372036854775808, last_id = 9223372036854775807;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET first_id = 0, last_id = 576460752303423488;
EXECUTE draw;
\echo :SQLSTATE
UPDATE answer SET last_id = 576460752303423487;
INSERT INTO answer VALUES (-1, -1);
EXECUTE draw;
\echo :SQLSTATE

-- overlapping each other
TRUNCATE answer;
INSERT INTO answer VALUES (10, 12), (20, 22), (12, 13);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (10, 30), (20, 20);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (10, 11), (10, 11);
EXECUTE draw;
\echo :SQLSTATE
TRUNCATE answer;
INSERT INTO answer VALUES (9223372036854775807, 9223372036854775807), (9223372036854775806, 9223372036854775807);
EXECUTE draw;
\echo :SQLSTATE

-- none of these calls has left anything behind
TABLE counter;
SELECT * FROM idgen_cache;
TRUNCATE answer;
INSERT INTO answer VALUES (100, 101), (102, 103);
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 4);
TABLE counter;

-- an error raised half-way
CREATE TABLE trouble (message text);
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	UPDATE public.counter c SET next_id = c.next_id + 10 RETURNING c.next_id - 10, c.next_id - 1 INTO first_id, last_id;
	RETURN NEXT;
	IF EXISTS (SELECT FROM public.trouble) THEN
		RAISE EXCEPTION 'no ids for %', name USING ERRCODE = 'P0123', DETAIL = 'Half-way.', HINT = 'Try again.';
	END IF;
END$$;
UPDATE counter SET next_id = 200;
INSERT INTO trouble VALUES ('yes');
EXECUTE draw;
\echo :SQLSTATE
TABLE counter;
BEGIN;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
TRUNCATE trouble;
EXECUTE draw;
SELECT first_id, last_id, state FROM idgen_cache;
ROLLBACK TO a;
SELECT count(*) FROM idgen_cache;
COMMIT;
EXECUTE draw;
\echo :SQLSTATE
DO $$
BEGIN
	PERFORM idgen_next('gen');
EXCEPTION WHEN SQLSTATE 'P0123' THEN
	RAISE NOTICE 'caught: %', SQLERRM;
	DELETE FROM trouble;
	RAISE NOTICE 'drawn: %', idgen_next('gen');
END$$;
EXECUTE draw;
TABLE counter;

-- one that the server raises, after ids that are drawn for good
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 1 / (blocks - 1), 1::bigint$$;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(202, 210);
\echo :SQLSTATE
SELECT count(*) FROM idgen_cache;

-- it cannot be started again, nor looked ahead
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- in a read-only transaction it is not called
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;

DEALLOCATE draw;
DROP FUNCTION allocate;
DROP TABLE counter, answer, trouble;
DROP EXTENSION idgen;
