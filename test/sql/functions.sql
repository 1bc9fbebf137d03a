--
-- Source "function": SQL that allocates blocks
--

--
-- Source "function": blocks from a user's allocator, which keeps one counter
-- for each tenant
--
CREATE EXTENSION idgen;
CREATE TABLE counters (tenant text, name text, next_id bigint NOT NULL DEFAULT 1, PRIMARY KEY (tenant, name));
INSERT INTO counters VALUES ('north', 'orders', 1), ('south', 'orders', 1000);
CREATE TABLE calls (n serial, name text, blocks integer);

-- in PL/pgSQL
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.calls (name, blocks) VALUES ($1, $2);
	RETURN QUERY
		UPDATE public.counters c SET next_id = next_id + 10 * $2
		WHERE c.tenant = pg_catalog.split_part($1, '/', 1) AND c.name = pg_catalog.split_part($1, '/', 2)
		RETURNING next_id - 10 * $2, next_id - 1;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('north/orders', 1, 'function', 'public.allocate'), ('south/orders', 1, 'function', 'public.allocate');
SELECT idgen_next('north/orders') FROM generate_series(1, 3);
SELECT idgen_next('south/orders') FROM generate_series(1, 3);
TABLE counters ORDER BY tenant;
SELECT name, blocks FROM calls ORDER BY n;

-- the rest is published at commit
SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name;
SELECT idgen_next('north/orders'), idgen_peek('north/orders'), idgen_last('north/orders');
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('north/orders') AS id FROM generate_series(5, 10)) AS s;
SELECT count(*) FROM calls;

-- there is no asking without allocating
SELECT idgen_peek('north/orders');
\echo :SQLSTATE
SELECT idgen_next('north/orders'), idgen_next_big('north/orders');
SELECT count(*) FROM calls;

-- only then is a transaction's block one for all
BEGIN;
SELECT count(idgen_next('north/orders')) FROM generate_series(1, 9);
SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name;
SELECT idgen_peek('north/orders');
COMMIT;
SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name;

-- in SQL
CREATE FUNCTION allocate_sql(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record
	LANGUAGE sql AS $$
	UPDATE public.counters c SET next_id = next_id + 5 * $2 WHERE c.tenant = 'sql' AND c.name = $1
	RETURNING next_id - 5 * $2, next_id - 1
$$;
INSERT INTO counters VALUES ('sql', 'items', 1);
SELECT idgen_create('items', source => 'function', source_name => 'public.allocate_sql');
SELECT idgen_next('items') FROM generate_series(1, 6);
SELECT next_id FROM counters WHERE tenant = 'sql';

-- one row need not be a set, and its type may have a name
CREATE TYPE id_range AS (first_id bigint, last_id bigint);
CREATE FUNCTION allocate_row(text, integer) RETURNS id_range LANGUAGE sql AS $$
	UPDATE public.counters SET next_id = next_id + 5 WHERE tenant = 'sql' RETURNING next_id - 5, next_id - 1
$$;
UPDATE id_sequences SET source_name = 'public.allocate_row' WHERE name = 'items';
SELECT idgen_next('items') FROM generate_series(1, 6);
CREATE FUNCTION allocate_out(text, integer, OUT a bigint, OUT b bigint) LANGUAGE sql AS $$
	UPDATE public.counters SET next_id = next_id + 5 WHERE tenant = 'sql' RETURNING next_id - 5, next_id - 1
$$;
UPDATE id_sequences SET source_name = 'public.allocate_out' WHERE name = 'items';
SELECT idgen_next('items') FROM generate_series(1, 2);

-- replaced, the new one is called from the next refill on
CREATE OR REPLACE FUNCTION allocate_out(text, integer, OUT a bigint, OUT b bigint) LANGUAGE sql AS $$SELECT -7, -7$$;
SELECT idgen_next('items') FROM generate_series(1, 4);

-- big_base, the default of a column, and more rows than a block
INSERT INTO counters VALUES ('big', 'orders', 1);
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base) VALUES
	('big/orders', 1, 'function', 'public.allocate', 1e30);
SELECT idgen_next_big('big/orders'), idgen_next('big/orders');
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('south/orders'), n integer);
INSERT INTO orders SELECT FROM generate_series(1, 1000);
SELECT count(*), max(id) - min(id) AS width FROM orders;

DROP TABLE orders;
DROP FUNCTION allocate, allocate_sql, allocate_row, allocate_out;
DROP TYPE id_range;
DROP TABLE counters, calls;
DROP EXTENSION idgen;

\c -
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

\c -
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

\c -
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

\c -
--
-- An allocator that looks at what else the name of its id sequence may mean
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
CREATE ROLE regress_idgen_user;
GRANT USAGE ON SEQUENCE gen_seq TO regress_idgen_user;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL idgen_test.hide = 'on';
	PERFORM idgen_last('gen');
	SET LOCAL idgen_test.hide = 'off';
	RETURN QUERY SELECT 5000::bigint, 5009::bigint;
END $$;
SELECT idgen_create('gen', source => 'function', source_name => 'allocate');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY hidden ON id_sequences USING (current_setting('idgen_test.hide', true) IS DISTINCT FROM 'on');
SET ROLE regress_idgen_user;
SET idgen_test.hide = 'on';
SELECT idgen_next('gen', 'sequence');
SET idgen_test.hide = 'off';
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
RESET ROLE;
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 5000, 5009';
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
RESET ROLE;

DROP EXTENSION idgen;
DROP FUNCTION allocate;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;

\c -
--
-- Allocators that draw ids themselves, and that change id_sequences
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 10;
CREATE FUNCTION allocate_x(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := 100 * idgen_next('y');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
CREATE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('t') + idgen_next('gen', 'sequence');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('x', 1, 'function', 'public.allocate_x'), ('y', 1, 'function', 'public.allocate_y'), ('t', 1, 'table', NULL);

-- from others
SELECT idgen_next('x') FROM generate_series(1, 6);
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;
BEGIN;
SELECT idgen_next('x') FROM generate_series(1, 3);
ROLLBACK;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;

-- from its own: refused
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('y') + 1;
	last_id := first_id;
	RETURN NEXT;
END$$;
SELECT count(idgen_next('y')) FROM generate_series(1, 3);
\echo :SQLSTATE
SELECT count(idgen_next('y')) FROM generate_series(1, 3);
\echo :SQLSTATE

-- by way of another one, too
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('x');
	last_id := first_id;
	RETURN NEXT;
END$$;
SELECT count(idgen_next('y')) FROM generate_series(1, 5);
\echo :SQLSTATE
SELECT count(idgen_next('x')) FROM generate_series(1, 5);
\echo :SQLSTATE

-- caught by the allocator, that is nothing worse than a failed draw
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		first_id := idgen_next('y');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		RAISE NOTICE '%', SQLERRM;
		first_id := 50000;
	END;
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
DELETE FROM id_sequences WHERE name = 'y';
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('y', 1, 'function', 'public.allocate_y');
SELECT idgen_next('y'), idgen_next('y');
SELECT idgen_last('y');

-- looking at itself
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_last('y') + 1;
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
SELECT idgen_next('y') FROM generate_series(1, 4);

-- a range that cannot be had, from an allocator that draws single ids: each
-- call counts its own refills, so the outer one ends
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		PERFORM idgen_next('y');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		NULL;
	END;
	first_id := nextval('gen_seq');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
SET statement_timeout = '20s';
SELECT idgen_next_range('y', 5);
\echo :SQLSTATE
RESET statement_timeout;

-- an allocator that drops its own row: what it returns is void
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM id_sequences s WHERE s.name = 'y';
	RETURN QUERY SELECT 1::bigint, 5::bigint;
END$$;
SELECT idgen_next('y');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences WHERE name = 'y';
SELECT count(*) FROM idgen_cache WHERE name = 'y';

-- works again after all this
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 70000, 70009$$;
SELECT idgen_next('y');
SELECT idgen_next('x') > 0 AS drawn;

DROP FUNCTION allocate_x, allocate_y;
DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;

\c -
--
-- What an allocator does is undone with its transaction, and its blocks are
-- gone with it
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 3 RETURNING next_id - 3, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache;

-- rolled back, the same ids are issued again
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK;
TABLE counter;
TABLE blocks;
SELECT idgen_next('gen'), idgen_next('gen');
TABLE blocks;

-- those that were cached do not
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK;
TABLE counter;
SELECT idgen_next('gen'), idgen_next('gen');

-- several blocks in one transaction
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 7);
TABLE blocks;
ROLLBACK;
TABLE counter;
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 6);
TABLE blocks;
COMMIT;
TABLE blocks;
TABLE counter;

-- savepoints: allocated before, within and after
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
SAVEPOINT a;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
TABLE counter;
ROLLBACK TO a;
TABLE counter;
TABLE blocks;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
SAVEPOINT b;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 4);
RELEASE b;
COMMIT;
TABLE blocks;
TABLE counter;

-- ids of an outer block that were drawn within stay drawn
SELECT idgen_next('gen');
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;

-- exception blocks
DO $$
DECLARE
	ids text := '';
BEGIN
	FOR i IN 1..4 LOOP
		BEGIN
			ids := ids || ' ' || idgen_next('gen');
			IF i % 2 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			ids := ids || ' (undone)';
		END;
	END LOOP;
	RAISE NOTICE '%', ids;
END$$;
TABLE counter;
TABLE blocks;

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter;
DROP EXTENSION idgen;
