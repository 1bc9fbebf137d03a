--
-- Draws in statements of all kinds
--

--
-- idgen_next as the default of a column
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('orders', 1);
CREATE TABLE orders (
	id bigint PRIMARY KEY DEFAULT idgen_next('orders'),
	what text UNIQUE
);

INSERT INTO orders (what) VALUES ('a') RETURNING id;
INSERT INTO orders (what) VALUES ('b'), ('c') RETURNING id, what;
INSERT INTO orders VALUES (DEFAULT, 'd') RETURNING id;
INSERT INTO orders (what) SELECT 'e' || i FROM generate_series(1, 3) AS i RETURNING id, what;
INSERT INTO orders VALUES (1000, 'f') RETURNING id;
INSERT INTO orders DEFAULT VALUES RETURNING id;
UPDATE orders SET id = DEFAULT WHERE what = 'f' RETURNING id;

-- an id that meets a conflict is gone, as with nextval
INSERT INTO orders (what) VALUES ('a') ON CONFLICT (what) DO NOTHING RETURNING id;
INSERT INTO orders (what) VALUES ('a') ON CONFLICT (what) DO UPDATE SET what = 'a again' RETURNING id, what;
INSERT INTO orders (what) VALUES ('b') ON CONFLICT (what) DO UPDATE SET id = excluded.id RETURNING id, what;

-- MERGE
MERGE INTO orders o USING (VALUES ('b'), ('g')) AS s (what) ON o.what = s.what
	WHEN MATCHED THEN DELETE
	WHEN NOT MATCHED THEN INSERT (what) VALUES (s.what);
SELECT id, what FROM orders WHERE what IN ('b', 'g');

-- COPY
COPY orders (what) FROM stdin;
h
i
\.
SELECT id, what FROM orders WHERE what IN ('h', 'i') ORDER BY what;

-- many rows
INSERT INTO orders (what) SELECT 'bulk ' || i FROM generate_series(1, 3000) AS i;
SELECT count(*), count(DISTINCT id), max(id) - min(id) + 1 AS range FROM orders WHERE what LIKE 'bulk %';

-- a statement that fails gives back what it has allocated
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE invoices (id bigint PRIMARY KEY DEFAULT idgen_next('gapless'), amount int CHECK (amount > 0));
INSERT INTO invoices (amount) VALUES (10), (20), (30);
\set VERBOSITY terse
INSERT INTO invoices (amount) VALUES (10), (20), (-1);
\set VERBOSITY default
INSERT INTO invoices (amount) VALUES (40);
COPY invoices (amount) FROM stdin;
50
0
\.
COPY invoices (amount) FROM stdin;
50
60
\.
SELECT * FROM invoices ORDER BY id;

-- a column added to a table that has rows
CREATE TABLE old (what text);
INSERT INTO old SELECT FROM generate_series(1, 5);
ALTER TABLE old ADD COLUMN id bigint DEFAULT idgen_next('gapless');
SELECT id FROM old ORDER BY id;

-- partitions draw from the parent's sequence or from their own
INSERT INTO id_sequences (name, next_block_start) VALUES ('parts', 1), ('part two', 1000), ('view', 1000000);
CREATE TABLE parts (id bigint NOT NULL DEFAULT idgen_next('parts'), kind int) PARTITION BY LIST (kind);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts2 PARTITION OF parts (id DEFAULT idgen_next('part two')) FOR VALUES IN (2);
INSERT INTO parts (kind) VALUES (1), (2), (1) RETURNING tableoid::regclass, id;
INSERT INTO parts1 (kind) VALUES (1) RETURNING id;
INSERT INTO parts2 (kind) VALUES (2) RETURNING id;

-- partition key itself
CREATE TABLE ranges (id bigint DEFAULT idgen_next('parts')) PARTITION BY RANGE (id);
CREATE TABLE ranges1 PARTITION OF ranges FOR VALUES FROM (1) TO (6);
CREATE TABLE ranges2 PARTITION OF ranges FOR VALUES FROM (6) TO (100);
INSERT INTO ranges SELECT FROM generate_series(1, 3) RETURNING tableoid::regclass, id;

-- defaults of a view's column, of a domain, and one inherited
CREATE VIEW orders_view AS SELECT * FROM orders;
ALTER VIEW orders_view ALTER COLUMN id SET DEFAULT idgen_next('view');
INSERT INTO orders_view (what) VALUES ('through a view') RETURNING id;
CREATE DOMAIN part_id AS bigint DEFAULT idgen_next('parts') CHECK (VALUE > 0);
CREATE TABLE of_domain (id part_id, n int);
INSERT INTO of_domain (n) VALUES (1), (2) RETURNING id;
CREATE TABLE child () INHERITS (invoices);
INSERT INTO child (amount) VALUES (1) RETURNING id;

-- a default keeps the extension from being dropped
DROP TABLE child, old, parts, ranges;
DROP DOMAIN part_id CASCADE;
DROP VIEW orders_view;
DROP TABLE of_domain, invoices;
DROP EXTENSION idgen;
\echo :SQLSTATE
DROP TABLE orders;
DROP EXTENSION idgen;

\c -
--
-- COPY in batches with ids by default, wherever it is used; and everything else
-- goes on as before
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');
-- A table and its partitions have no pages before the first batch is stored.
CREATE FUNCTION pages(relation text) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT sum(pg_relation_size(oid)) / 8192 FROM pg_class
		WHERE relname = relation OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = relation::regclass));
END $$;
CREATE TABLE loaded (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages('loaded'));

-- each row of an old table gets an id of its own: before COPY, after it, after
-- one that failed, and in one
CREATE TABLE old AS SELECT generate_series(1, 3) AS line;
ALTER TABLE old ADD COLUMN before bigint DEFAULT idgen_next('x');
COPY loaded (line) FROM stdin;
1
2
\.
ALTER TABLE old ADD COLUMN after bigint DEFAULT idgen_next('x');
COPY loaded (line) FROM stdin;
3
no number
\.
ALTER TABLE old ADD COLUMN after_error bigint DEFAULT idgen_next('x');
DO $$
BEGIN
	COPY loaded (line) FROM PROGRAM 'echo no number';
EXCEPTION WHEN invalid_text_representation THEN
	ALTER TABLE old ADD COLUMN caught bigint DEFAULT idgen_next('x');
END $$;
CREATE FUNCTION alter_old() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	COPY loaded (line) FROM PROGRAM 'seq 10 11';
	ALTER TABLE old ADD COLUMN inside bigint DEFAULT idgen_next('x');
	RETURN NULL;
END $$;
CREATE TABLE outer_one (id bigint DEFAULT idgen_next('x'), line int);
CREATE TRIGGER alter_old AFTER INSERT ON outer_one EXECUTE FUNCTION alter_old();
COPY outer_one (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT before), count(DISTINCT after), count(DISTINCT after_error), count(DISTINCT caught), count(DISTINCT inside) FROM old;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM loaded UNION ALL SELECT id FROM outer_one) AS both_tables;

-- an old table whose new column is of a domain, and a rewrite
CREATE DOMAIN id AS bigint DEFAULT idgen_next('x');
ALTER TABLE old ADD COLUMN domain id;
ALTER TABLE old ALTER line TYPE bigint USING idgen_next('x');
SELECT count(DISTINCT domain), count(DISTINCT line) FROM old;

-- savepoints: a rollback gives the block back, which nobody has by then
TRUNCATE loaded;
BEGIN;
SAVEPOINT s;
COPY loaded (line) FROM PROGRAM 'seq 100';
SELECT max(id) - min(id) AS ids, max(pages) FROM loaded;
ROLLBACK TO s;
COPY loaded (line) FROM PROGRAM 'seq 100';
SELECT count(DISTINCT id) FROM loaded;
COMMIT;
SELECT idgen_next('x') > max(id) AS goes_on FROM loaded;

-- with a condition, also one that draws
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 4' WHERE line <> 2;
SELECT line, id - min(id) OVER () AS id, pages FROM loaded ORDER BY line;
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 4' WHERE idgen_next('x') > line;
SELECT line, id - min(id) OVER () AS id FROM loaded ORDER BY line;

-- frozen
BEGIN;
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 3' (FREEZE);
SELECT count(DISTINCT id), max(pages) FROM loaded;
COMMIT;

-- several batches
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 2500';
SELECT count(DISTINCT id), count(DISTINCT pages) FROM loaded;

-- partitions, one with a trigger
CREATE TABLE loaded_by_list (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages('loaded_by_list')) PARTITION BY LIST (line);
CREATE TABLE loaded_1 PARTITION OF loaded_by_list FOR VALUES IN (1, 2);
CREATE TABLE loaded_3 PARTITION OF loaded_by_list DEFAULT;
COPY loaded_by_list (line) FROM PROGRAM 'seq 4';
SELECT count(DISTINCT id), max(pages) FROM loaded_by_list;
TRUNCATE loaded_by_list;
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(*) FROM %I', TG_ARGV[0]) INTO NEW.pages;
	RETURN NEW;
END $$;
CREATE TRIGGER counts BEFORE INSERT ON loaded_3 FOR EACH ROW EXECUTE FUNCTION counts('loaded_by_list');
COPY loaded_by_list (line) FROM PROGRAM 'seq 4';
SELECT line, id - min(id) OVER () AS id, pages FROM loaded_by_list ORDER BY line;

-- a trigger that looks at the table sees each row before its own
CREATE TRIGGER counts BEFORE INSERT ON loaded FOR EACH ROW EXECUTE FUNCTION counts('loaded');
TRUNCATE loaded, loaded_by_list;
COPY loaded (line) FROM PROGRAM 'seq 3';
SELECT line, id - min(id) OVER () AS id, pages FROM loaded ORDER BY line;
DROP TRIGGER counts ON loaded;

-- triggers and functions that draw meanwhile
CREATE FUNCTION draws() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	drawn bigint := idgen_next('x');
BEGIN
	RAISE NOTICE '% of %', drawn - NEW.id, (SELECT count(DISTINCT idgen_next('x')) FROM generate_series(1, 10));
	RETURN NULL;
END $$;
CREATE TRIGGER draws AFTER INSERT ON loaded FOR EACH ROW EXECUTE FUNCTION draws();
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
DROP TRIGGER draws ON loaded;

-- A check that draws stays with its domain, and draws from any source then.
CREATE DOMAIN checked AS bigint CHECK (VALUE < idgen_next('x'));
CREATE TABLE loaded_checked (id bigint DEFAULT idgen_next('x'), line checked);
COPY loaded_checked (line) FROM stdin;
1
2
\.
CREATE FUNCTION allocator(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 100000, 100009';
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocator';
INSERT INTO loaded_checked (line) VALUES (3), (4);
SELECT line, id - 100000 AS id FROM loaded_checked WHERE line > 2 ORDER BY line;
ROLLBACK;

-- both ways, and the columns in the data
TRUNCATE loaded;
COPY (SELECT idgen_next('x') > 0 FROM generate_series(1, 2)) TO stdout;
COPY loaded (id, line) FROM stdin;
-1	1
-2	2
\.
COPY loaded (id, line) TO stdout;
\copy loaded (line) FROM PROGRAM 'seq 3 4'
SELECT count(DISTINCT id), max(pages) FROM loaded;

-- COPY by a function, of which there is a cached plan
CREATE FUNCTION load() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE loaded;
	COPY loaded (line) FROM PROGRAM 'seq 3';
	RETURN (SELECT max(pages) FROM loaded);
END $$;
SELECT load(), load();
PREPARE insert_one AS INSERT INTO loaded (line) VALUES (5) RETURNING id - idgen_last('x') AS is_last;
EXECUTE insert_one;

DROP TABLE old, loaded, outer_one, loaded_by_list, loaded_checked;
DROP DOMAIN id, checked;
DROP FUNCTION pages, allocator, alter_old, counts, draws, load;
DROP EXTENSION idgen;

\c -
--
-- COPY stores rows in batches if their ids come from idgen_next, and then only
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');
CREATE SEQUENCE native_seq;

-- A table has no pages before the first batch is stored. The server must take
-- this for a function that does not look at the table, or there are no batches.
CREATE FUNCTION pages() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN pg_relation_size('loaded') / 8192;
END $$;

-- How COPY stores rows with that default
CREATE FUNCTION rows_with(expression text, command text DEFAULT 'COPY loaded (line) FROM PROGRAM ''seq 3''') RETURNS text
	LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('CREATE TABLE loaded (id numeric DEFAULT %s, line int, pages bigint DEFAULT pages())', expression);
	EXECUTE command;
	SELECT CASE WHEN count(DISTINCT id) < 3 THEN 'wrong ids' WHEN max(pages) = 0 THEN 'in a batch' ELSE 'one by one' END
		INTO answer FROM loaded;
	DROP TABLE loaded;
	RETURN answer;
END $$;

-- as with nextval, and not with any volatile function
SELECT rows_with($$idgen_next('x')$$), rows_with($$nextval('native_seq')$$), rows_with('random()::numeric');

-- also within an expression; but not by the other functions that draw
SELECT rows_with($$idgen_next(lower('X')) * 10$$), rows_with($$idgen_next('x') + random()::numeric$$);
SELECT rows_with($$idgen_next('x', 'table')$$), rows_with($$idgen_next_big('x')$$), rows_with($$idgen_next_text('x')::numeric$$);

-- sources and refills that run nobody's code
SELECT idgen_create('native', source => 'sequence');
SELECT rows_with($$idgen_next('native')$$);
SELECT idgen_create('gapless', block_size => 1);
SELECT rows_with($$idgen_next('gapless')$$);

-- the default of a domain
CREATE DOMAIN id AS bigint DEFAULT idgen_next('x') CHECK (VALUE < 1000000);
SELECT rows_with('NULL::bigint', $$ALTER TABLE loaded ALTER id DROP DEFAULT, ALTER id TYPE id;
	COPY loaded (line) FROM PROGRAM 'seq 3'$$);

-- not if a function allocates: it may look at the table
CREATE FUNCTION allocator(name text, blocks int, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := pg_relation_size('loaded') + 1000 * (SELECT count(*) FROM loaded);
	last_id := first_id;
	RETURN NEXT;
END $$;
SELECT idgen_create('function', source => 'function', source_name => 'allocator');
SELECT rows_with($$idgen_next('function')$$);
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocator' WHERE name = 'x';
SELECT rows_with($$idgen_next('x')$$);
ROLLBACK;
SELECT rows_with($$idgen_next('x')$$);

-- nor with periods: it is another row that is drawn from
SELECT idgen_create('yearly', period => 'year'), idgen_next('yearly');
SELECT rows_with($$idgen_next('yearly')$$);

-- nor if the row is switched to one after the defaults are planned
CREATE FUNCTION switch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET source = 'function', source_name = 'public.allocator' WHERE name = 'x';
	RETURN NULL;
END $$;
SELECT rows_with($$idgen_next('x')$$, $$
	CREATE TRIGGER switch BEFORE INSERT ON loaded EXECUTE FUNCTION switch();
	COPY loaded (line) FROM PROGRAM 'seq 3'$$);
\echo :SQLSTATE
SELECT source, rows_with($$idgen_next('x')$$) FROM id_sequences WHERE name = 'x';

-- nor with a trigger of others on id_sequences, which a refill fires
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER watcher AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT rows_with($$idgen_next('x')$$);
ALTER TABLE id_sequences DISABLE TRIGGER watcher;
SELECT rows_with($$idgen_next('x')$$);
DROP TRIGGER watcher ON id_sequences;

-- nor by a name that is not constant
SET regress.name = 'x';
SELECT rows_with($$idgen_next(current_setting('regress.name'))$$);

-- nor while there is no row
SET idgen.auto_create = on;
SELECT rows_with($$idgen_next('new')$$);
SELECT rows_with($$idgen_next('new')$$);
RESET idgen.auto_create;

-- errors as ever
SELECT rows_with($$idgen_next('no such')$$);
\echo :SQLSTATE
SELECT rows_with($$idgen_next('x', 'no such')$$);
\echo :SQLSTATE
SELECT rows_with($$idgen_next('x', 'sequence')$$);
\echo :SQLSTATE

-- to switch it off
ALTER FUNCTION idgen_next_in_copy(text, internal) VOLATILE;
SELECT rows_with($$idgen_next('x')$$);
ALTER FUNCTION idgen_next_in_copy(text, internal) STABLE;

-- what else a role needs
CREATE ROLE regress_idgen_loader;
CREATE TABLE loaded (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages());
GRANT SELECT, INSERT, TRUNCATE ON loaded TO regress_idgen_loader;
SET ROLE regress_idgen_loader;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION idgen_next(text) FROM PUBLIC;
SET ROLE regress_idgen_loader;
\copy loaded (line) FROM '/dev/null'
RESET ROLE;
GRANT EXECUTE ON FUNCTION idgen_next(text) TO PUBLIC;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_loader;
COPY loaded (line) FROM stdin;
1
\.
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security: a policy may look at the table
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON id_sequences USING (true);
SET ROLE regress_idgen_loader;
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;
RESET ROLE;
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;

DROP TABLE loaded;
DROP OWNED BY regress_idgen_loader;
DROP ROLE regress_idgen_loader;
DROP FUNCTION rows_with, allocator, switch, nothing;
DROP DOMAIN id;
DROP FUNCTION pages;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;

\c -
--
-- Prepared statements, and names that come from a query
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('a', 100, 4), ('b', 200, 4), ('c', 300, 1);

-- a parameter has another value each time, with either kind of plan
PREPARE next (text) AS SELECT idgen_next($1);
SET plan_cache_mode = force_custom_plan;
EXECUTE next ('a');
EXECUTE next ('b');
EXECUTE next ('a');
SET plan_cache_mode = force_generic_plan;
EXECUTE next ('a');
EXECUTE next ('b');
EXECUTE next ('c');
EXECUTE next ('a');
EXECUTE next (NULL);
EXECUTE next ('no such');
\echo :SQLSTATE
EXECUTE next ('b');
RESET plan_cache_mode;

-- a constant
PREPARE next_a AS SELECT idgen_next('a');
EXECUTE next_a;
EXECUTE next_a;

-- the row goes and comes back under a statement that has been run before
DELETE FROM id_sequences WHERE name = 'a';
EXECUTE next_a;
\echo :SQLSTATE
EXECUTE next ('a');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('a', 500);
EXECUTE next_a;
EXECUTE next ('a');

-- so does the extension
PREPARE next_c AS SELECT idgen_next('c');
EXECUTE next_c;
DROP EXTENSION idgen;
\set VERBOSITY terse
EXECUTE next_c;
\set VERBOSITY default
\echo :SQLSTATE
CREATE EXTENSION idgen;
EXECUTE next_c;
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('c', 700);
EXECUTE next_c;
DEALLOCATE ALL;

-- many names in one query, each with its own ids
INSERT INTO id_sequences (name, next_block_start, block_size)
	SELECT 'n' || i, 1000 * i, i % 7 + 1 FROM generate_series(1, 200) AS i;
CREATE TABLE draws AS
	SELECT 'n' || i AS name, round, NULL::bigint AS id
	FROM generate_series(1, 200) AS i, generate_series(0, 9) AS round;
INSERT INTO draws SELECT name, round, idgen_next(name) FROM draws ORDER BY round, name;
DELETE FROM draws WHERE id IS NULL;
SELECT count(*) AS ids, count(DISTINCT id) AS different,
	bool_and(id = 1000 * substr(name, 2)::int + round) AS all_right FROM draws;

-- names that repeat, in an order that makes each call differ from the last
SELECT name, array_agg(id ORDER BY n) FROM
	(SELECT n, (ARRAY['n1', 'n2', 'n1', 'n3'])[n % 4 + 1] AS name,
		idgen_next((ARRAY['n1', 'n2', 'n1', 'n3'])[n % 4 + 1]) AS id
	FROM generate_series(0, 7) AS n) AS s
	GROUP BY name ORDER BY name;

-- the same through an operator, which is another kind of expression
CREATE OPERATOR @@@ (FUNCTION = idgen_next, RIGHTARG = text);
SELECT @@@ 'n4' AS constant, @@@ name AS from_row FROM (VALUES ('n4'), ('n5'), ('n4')) AS v (name);
DROP OPERATOR @@@ (NONE, text);

-- as many draws as rows, even if the name does not depend on the row
SELECT count(DISTINCT (SELECT idgen_next('n1'))) AS once,
	count(DISTINCT idgen_next('n1')) AS each_time FROM generate_series(1, 10);
WITH unused AS (SELECT idgen_next('n1')), used AS MATERIALIZED (SELECT idgen_next('n1') AS id)
	SELECT a.id = b.id AS one_draw FROM used AS a, used AS b;
SELECT idgen_peek('n1') AS drawn_22_times;

DROP TABLE draws;
DROP EXTENSION idgen;

\c -
-- What a parallel plan cannot do says so, also in a function that was wrongly
-- declared to be parallel safe
CREATE EXTENSION idgen;
SELECT idgen_create('x');
CREATE TABLE t (id integer);
CREATE TABLE many AS SELECT generate_series(1, 1000);
ALTER TABLE many SET (parallel_workers = 2);
CREATE FUNCTION run(query text) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
	EXECUTE query;
	RETURN 'done';
END$$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT count(run('')) FROM many;

\set SHOW_CONTEXT never
SELECT count(run($$SELECT idgen_next('x')$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_next_range('x', 3)$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_peek('x')$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_last('none')$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_create('y')$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_restart('x', 5)$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_adopt('t', 'id')$$)) FROM many;
\echo :SQLSTATE
SELECT count(run($$SELECT idgen_release('t', 'id')$$)) FROM many;
\echo :SQLSTATE

-- functions that only look are free to
SELECT count(run('SELECT * FROM idgen_stats')) FROM many;
SELECT count(run('SELECT * FROM idgen_cache')) FROM many;
SELECT idgen_next('x');

DROP TABLE t, many;
DROP FUNCTION run(text);
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- DISCARD ALL and DISCARD SEQUENCES reset idgen_last, as they do currval
--
CREATE EXTENSION idgen;
SELECT idgen_create('x'), idgen_create('big', big_base => 1000000000000000000000), idgen_create('other');
SELECT idgen_next('x'), idgen_next('x'), idgen_next_big('big');
SELECT idgen_last('x'), idgen_last('big');

DISCARD SEQUENCES;
SELECT idgen_last('x');
\echo :SQLSTATE
SELECT idgen_last('big');
\echo :SQLSTATE

-- ids go on, those of a draw with all that it knows
SELECT idgen_next('x') AS id, idgen_last('x') AS last, idgen_next('x') AS id, idgen_last('x') AS last;
SELECT idgen_next_big('big'), idgen_last('big');
DISCARD ALL;
SELECT idgen_last('x');
\echo :SQLSTATE
SELECT idgen_next('x'), idgen_last('x');

-- what else is discarded does not matter, nor does a DISCARD that fails
DISCARD PLANS;
DISCARD TEMP;
BEGIN;
DISCARD ALL;
ROLLBACK;
SELECT idgen_last('x');

-- a rollback brings nothing back
BEGIN;
SELECT idgen_next('x');
DISCARD SEQUENCES;
ROLLBACK;
SELECT idgen_last('x');
\echo :SQLSTATE

-- in the middle of a transaction, and of a draw
BEGIN;
SELECT idgen_next('other');
DISCARD SEQUENCES;
SELECT idgen_next('other'), idgen_last('other');
COMMIT;
CREATE FUNCTION allocator(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$
BEGIN
	DISCARD SEQUENCES;
	RETURN QUERY VALUES (1000::bigint, 1001::bigint);
END $$;
SELECT idgen_create('function', source => 'function', source_name => 'allocator');
SELECT idgen_next('function');
SELECT idgen_last('function');
SELECT idgen_last('other');
\echo :SQLSTATE

-- twice, and with nothing to discard
DISCARD SEQUENCES;
DISCARD SEQUENCES;
SELECT idgen_next('x') = idgen_last('x') AS same;

DROP FUNCTION allocator;
DROP EXTENSION idgen;
