--
-- A function that returns ids which the same transaction has pending
--
CREATE EXTENSION idgen;
CREATE TABLE answers (n serial, first_id bigint, last_id bigint);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	DELETE FROM public.answers a WHERE n = (SELECT min(n) FROM public.answers) RETURNING a.first_id, a.last_id
$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- the block that ids are drawn from, at its end
INSERT INTO answers (first_id, last_id) VALUES (101, 120), (120, 220), (121, 220);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 50);
\echo :SQLSTATE
ROLLBACK TO a;
DELETE FROM answers WHERE first_id = 120;
SELECT * FROM idgen_next_range('gen', 50);
TABLE blocks;
ROLLBACK;

-- one that was kept for later
TRUNCATE answers;
INSERT INTO answers (first_id, last_id) VALUES (101, 120), (201, 300), (90, 300);
BEGIN;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 200);
\echo :SQLSTATE
ROLLBACK;

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE answers;
DROP EXTENSION idgen;
