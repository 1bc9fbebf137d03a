--
-- Parallel workers draw time-ordered ids, and none twice
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT proname, provolatile, proparallel, proisstrict FROM pg_proc WHERE proname LIKE 'idgen\_unique\_id%' ORDER BY proname;

CREATE TABLE numbers AS SELECT n FROM generate_series(1, 50000) AS n;
ANALYZE numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
-- so that all rows come from workers
SET parallel_leader_participation = off;
-- whether the server computes query ids or not, plans do not show them
SET compute_query_id = regress;
EXPLAIN (VERBOSE, COSTS OFF) SELECT n, idgen_unique_id(), (idgen_unique_id_parts(n)).counter FROM numbers;

-- Do they?
CREATE FUNCTION workers_launched(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Workers Launched}';
END $$;
SELECT workers_launched('SELECT n, idgen_unique_id() FROM numbers');

SELECT idgen_unique_id() AS id \gset
CREATE TABLE ids AS SELECT n, idgen_unique_id() AS id FROM numbers;
SELECT count(*), count(DISTINCT id), min(id) > :id AS later, max(id) < idgen_unique_id() AS earlier FROM ids;

DROP TABLE numbers, ids;
DROP FUNCTION workers_launched;
DROP EXTENSION idgen;
