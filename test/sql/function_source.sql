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
