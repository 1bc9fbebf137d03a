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
