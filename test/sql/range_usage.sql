--
-- idgen_next_range in queries: in FROM and in the target list, with named
-- arguments, in defaults, in PL/pgSQL; one range for each call
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1), ('other', 1);

SELECT idgen_next_range('gen', 3);
SELECT (idgen_next_range('gen', 3)).first_id;
SELECT * FROM idgen_next_range(name => 'gen', n => 3);
SELECT * FROM idgen_next_range(n => 3, source => 'table', name => 'gen');
SELECT (r).* FROM (SELECT idgen_next_range('gen', 3) AS r OFFSET 0) AS s;
SELECT (r).last_id FROM idgen_next_range('gen', 3) AS r;
SELECT pg_typeof(first_id), pg_typeof(last_id) FROM idgen_next_range('gen', 1);
SELECT idgen_last('gen'), idgen_peek('gen');

-- one for each row, of names and numbers that come from there
SELECT n, name, first_id, last_id
	FROM (VALUES (1, 'gen', 2), (2, 'other', 5), (3, 'gen', 1), (4, 'other', 30), (5, 'gen', 7)) AS v (n, name, count),
	LATERAL idgen_next_range(name, count) ORDER BY n;
SELECT count(DISTINCT first_id), max(last_id) - min(first_id) + 1 AS ids
	FROM generate_series(1, 1000) AS i, LATERAL idgen_next_range('gen', 1 + i * 0);

-- null for null
SELECT idgen_next_range(NULL, 3), idgen_next_range('gen', NULL), idgen_next_range('gen', 3, NULL),
	idgen_next_range(NULL, NULL);
SELECT * FROM idgen_next_range('gen', NULL);
SELECT idgen_peek('other');

-- numbering rows
CREATE TABLE lines (id bigint PRIMARY KEY, what text);
WITH data AS (SELECT what, row_number() OVER (ORDER BY what) AS n FROM unnest(ARRAY['c', 'a', 'b']) AS what),
	ids AS MATERIALIZED (SELECT * FROM idgen_next_range('other', (SELECT count(*) FROM data)))
INSERT INTO lines SELECT ids.first_id + n - 1, what FROM data, ids;
SELECT * FROM lines ORDER BY id;
INSERT INTO lines SELECT generate_series(first_id, last_id), 'more' FROM idgen_next_range('other', 50);
SELECT count(*), max(id) FROM lines;

-- a default that reserves ten ids for each row
CREATE TABLE batches (first_id bigint PRIMARY KEY DEFAULT (idgen_next_range('batches', 10)).first_id, what text);
SELECT idgen_create('batches', block_size => 25);
INSERT INTO batches (what) VALUES ('a'), ('b');
INSERT INTO batches (what) SELECT 'c' FROM generate_series(1, 3) RETURNING first_id;
COPY batches (what) FROM stdin;
d
\.
SELECT first_id FROM batches ORDER BY first_id;
SELECT ids_lost, ids_cached FROM idgen_stats WHERE name = 'batches';

-- PL/pgSQL: the same place in the code, with other names and numbers
DO $$
DECLARE
	r record;
	name text;
BEGIN
	FOR i IN 1 .. 4 LOOP
		name := CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END;
		IF i < 3 THEN
			PERFORM idgen_create(name);
		END IF;
		SELECT * INTO r FROM idgen_next_range(name, i * 5);
		RAISE NOTICE '%: % - %', name, r.first_id, r.last_id;
		r := idgen_next_range(name, i);
		RAISE NOTICE '%: % - %', name, r.first_id, r.last_id;
	END LOOP;
END $$;

-- prepared
PREPARE draw (text, bigint) AS SELECT * FROM idgen_next_range($1, $2);
EXECUTE draw ('even', 3);
EXECUTE draw ('odd', 2);
SET plan_cache_mode = force_generic_plan;
EXECUTE draw ('even', 3);
EXECUTE draw ('odd', 2);
UPDATE id_sequences SET next_block_start = 1001, name = 'even again' WHERE name = 'even';
EXECUTE draw ('even again', 30);
EXECUTE draw ('even', 3);
\echo :SQLSTATE

-- created on demand
SET idgen.auto_create = on;
SELECT * FROM idgen_next_range('demanded', 30);
SELECT next_block_start FROM id_sequences WHERE name = 'demanded';

DROP TABLE lines, batches;
DROP EXTENSION idgen;
