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
