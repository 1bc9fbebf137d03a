--
-- What an allocator returns: one block or several, of any size, fewer or more
-- than asked for
--
CREATE EXTENSION idgen;
CREATE TABLE answer (n serial PRIMARY KEY, first_id bigint, last_id bigint);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	DELETE FROM public.answer RETURNING first_id, last_id
$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- one id
INSERT INTO answer (first_id, last_id) VALUES (5, 5);
SELECT idgen_next('gen');
TABLE blocks;

-- several blocks, drawn in ascending order; neighbours become one
INSERT INTO answer (first_id, last_id) VALUES (200, 202), (100, 101), (-3, -2), (203, 203);
BEGIN;
SELECT idgen_next('gen');
TABLE blocks;
SELECT idgen_peek('gen');
COMMIT;
TABLE blocks;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 7);
TABLE blocks;

-- all of them used up in the transaction, and more
INSERT INTO answer (first_id, last_id) VALUES (10, 11), (20, 20);
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 3);
INSERT INTO answer (first_id, last_id) VALUES (30, 31), (40, 40), (50, 50);
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
SAVEPOINT a;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT count(*) FROM blocks;

-- a savepoint rolled back brings them back, as far as they were not drawn
INSERT INTO answer (first_id, last_id) VALUES (10, 11), (20, 20), (30, 31);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
ROLLBACK TO a;
TABLE blocks;
COMMIT;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);

-- lower ids than before
INSERT INTO answer (first_id, last_id) VALUES (-9223372036854775808, -9223372036854775807);
SELECT idgen_next('gen'), idgen_next('gen');
INSERT INTO answer (first_id, last_id) VALUES (9223372036854775806, 9223372036854775807);
SELECT idgen_next('gen'), idgen_next('gen');
INSERT INTO answer (first_id, last_id) VALUES (9223372036854775807, 9223372036854775807);
SELECT idgen_next('gen');

-- as many as a block can hold
INSERT INTO answer (first_id, last_id) VALUES (1, 576460752303423488);
SELECT idgen_next('gen');
TABLE blocks;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');

-- more than the cache holds: the smallest are lost, and counted
INSERT INTO answer (first_id, last_id) SELECT 100 * i, 100 * i + i FROM generate_series(1, 10) AS i;
SELECT ids_lost_crowded FROM idgen_stats WHERE name = 'gen';
SELECT idgen_next('gen');
TABLE blocks;
SELECT ids_lost_crowded FROM idgen_stats WHERE name = 'gen';

-- wherever it is among the others
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
INSERT INTO answer (first_id, last_id) SELECT 100 * i, 100 * i + abs(i - 6) + 2 FROM generate_series(1, 10) AS i;
SELECT idgen_next('gen');
TABLE blocks;
SELECT ids_lost_crowded FROM idgen_stats WHERE name = 'gen';

-- many blocks at once, for the transaction itself
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
INSERT INTO answer (first_id, last_id) SELECT 10 * i, 10 * i + 4 FROM generate_series(1, 2000) AS i;
SELECT count(DISTINCT id), min(id), max(id), bool_and(id % 10 < 5) AS returned
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 10000)) AS s;

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE answer;
DROP EXTENSION idgen;
