--
-- idgen_next_range: consecutive ids in one call
--
-- needs test/idgen.conf
--

--
-- idgen_next_range in queries: in FROM and in the target list, with named
-- arguments, in defaults, in PL/pgSQL; one range for each call
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

\c -
--
-- Ranges of sizes that do not divide a block, and single draws in between: no
-- id twice, and each that was allocated is issued, cached, or counted as lost
--
CREATE EXTENSION idgen;
CREATE TABLE drawn (n serial, name text, first_id bigint, last_id bigint);
CREATE PROCEDURE draw(seq text, commit_every int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		INSERT INTO drawn (name, first_id, last_id) SELECT seq, r.* FROM idgen_next_range(seq, i * i % 61 + 1) AS r;
		IF i % commit_every = 0 THEN COMMIT; END IF;
		IF i % 5 = 0 THEN INSERT INTO drawn (name, first_id, last_id) SELECT seq, id, id FROM idgen_next(seq) AS id; END IF;
	END LOOP;
END $$;
SELECT idgen_create(name) FROM unnest('{each,third,one}'::text[]) AS name;
CALL draw('each', 1);
CALL draw('third', 3);
CALL draw('one', 1000);
SELECT name, sum(last_id - first_id + 1) = ids_issued AS issued,
		ids_issued + ids_cached + ids_lost = next_block_start - 1 AS adds_up, ids_cached + ids_lost < ids_issued / 4 AS few_left
	FROM drawn JOIN idgen_stats USING (name) JOIN id_sequences USING (name)
	GROUP BY name, ids_issued, ids_cached, ids_lost, next_block_start ORDER BY name;
SELECT count(*) AS overlapping FROM drawn a JOIN drawn b
	ON a.name = b.name AND a.n < b.n AND a.first_id <= b.last_id AND b.first_id <= a.last_id;

-- a block of somebody else's in between: no range goes across it
SELECT idgen_create('shared', block_size => 10);
SELECT * FROM idgen_next_range('shared', 6);
UPDATE id_sequences SET next_block_start = next_block_start + 10 WHERE name = 'shared';
SELECT first_id > 20 AS behind_it, last_id - first_id FROM idgen_next_range('shared', 12);

-- what the transaction has made void is in no range
SELECT idgen_create('void');
SELECT idgen_next('void');
BEGIN;
SELECT idgen_restart('void', 101);
SELECT * FROM idgen_next_range('void', 30);
ROLLBACK;

DROP PROCEDURE draw;
DROP TABLE drawn;
DROP EXTENSION idgen;

\c -
--
-- Who may draw a range, and where: as for single ids
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('native', 1, 1, 'sequence');
CREATE SEQUENCE native_seq INCREMENT BY 20;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
CREATE ROLE regress_idgen_reader;

-- anybody may
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 30);
-- but not from every native sequence
SELECT * FROM idgen_next_range('native', 30, 'sequence');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON SEQUENCE native_seq TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('native', 30, 'sequence');
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security
CREATE POLICY others ON id_sequences USING (name <> 'gen');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- unknown names and sources
SELECT * FROM idgen_next_range('no such', 5);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('', 5);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('none', 5, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 5, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 5, 'no such');
\echo :SQLSTATE

-- read-only
BEGIN READ ONLY;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT * FROM idgen_next_range('native', 5, 'sequence');
\echo :SQLSTATE
ROLLBACK;

-- nothing was drawn by all that
SELECT idgen_peek('gen'), idgen_peek('native');
SELECT ids_lost FROM idgen_stats;

-- no id is left
UPDATE id_sequences SET next_block_start = next_block_start + 20, exhausted = 1;
SELECT * FROM idgen_next_range('gen', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 10);
SELECT * FROM idgen_next_range('gen', 1);
\echo :SQLSTATE

DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_reader;

\c -
--
-- A range in a transaction that is prepared: the rest of its block is not
-- published, whichever way it ends
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('prepared', 1, 20);
BEGIN;
SELECT * FROM idgen_next_range('prepared', 25);
PREPARE TRANSACTION 'idgen range';
COMMIT PREPARED 'idgen range';
SELECT * FROM idgen_next_range('prepared', 3);
BEGIN;
SELECT * FROM idgen_next_range('prepared', 25);
PREPARE TRANSACTION 'idgen range';
ROLLBACK PREPARED 'idgen range';
SELECT * FROM idgen_next_range('prepared', 30);

DROP EXTENSION idgen;
