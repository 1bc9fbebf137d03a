--
-- UUIDs in order where an id sequence cannot draw: in transactions that may not
-- write, in parallel workers, and without any privilege
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT idgen_unique_uuid() AS id \gset
BEGIN READ ONLY;
SELECT idgen_unique_uuid() > :'id' AS ascending;
SELECT count(DISTINCT idgen_unique_uuid()) FROM generate_series(1, 1000);
-- and nothing was written
SELECT pg_current_xact_id_if_assigned();
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT idgen_unique_uuid() > :'id' AS ascending;
COMMIT;

-- in parallel workers alone
CREATE TABLE numbers AS SELECT n FROM generate_series(1, 50000) AS n;
ANALYZE numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
SET compute_query_id = regress;
EXPLAIN (VERBOSE, COSTS OFF) SELECT n, idgen_unique_uuid() FROM numbers;
SELECT idgen_unique_uuid() AS id \gset
CREATE TABLE ids AS SELECT n, idgen_unique_uuid() AS id FROM numbers;
SELECT count(*), count(DISTINCT id), count(DISTINCT right(id::text, 12)) AS random,
	min(id::text) > :'id' AS later, max(id::text) < idgen_unique_uuid()::text AS earlier FROM ids;
DROP TABLE numbers, ids;

-- without privileges, whatever state the table is in
CREATE ROLE regress_idgen_nobody;
REVOKE ALL ON id_sequences FROM PUBLIC;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey;
SET ROLE regress_idgen_nobody;
SELECT idgen_unique_uuid() > :'id' AS ascending;
SELECT idgen_unique_uuid_created_at(idgen_unique_uuid_min('2026-11-22 12:00+00')) = '2026-11-22 12:00+00' AS same;
SELECT idgen_unique_id_min('2024-01-01 00:00+00');
RESET ROLE;
-- they can be withdrawn
REVOKE EXECUTE ON FUNCTION idgen_unique_uuid() FROM PUBLIC;
SET ROLE regress_idgen_nobody;
SELECT idgen_unique_uuid();
\echo :SQLSTATE
RESET ROLE;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_nobody;
