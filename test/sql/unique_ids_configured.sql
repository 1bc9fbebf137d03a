--
-- Time-ordered ids: bigints and UUIDs
--
-- needs test/idgen.conf
--

--
-- Time-ordered ids: the clock, the node, and a counter, always ascending
--
CREATE EXTENSION idgen;
SELECT clock_timestamp() AS before \gset
SELECT idgen_unique_id() AS id \gset
SELECT clock_timestamp() AS after \gset
-- a server that was restarted right before may be ahead of its clock by 5
-- seconds
SELECT created_at BETWEEN date_trunc('milliseconds', :'before'::timestamptz) AND :'after'::timestamptz + interval '5 s' AS in_between,
	node, counter BETWEEN 0 AND 4095 AS twelve_bits
	FROM idgen_unique_id_parts(:id);

-- in one statement
CREATE TEMPORARY TABLE ids AS SELECT n, idgen_unique_id() AS id FROM generate_series(1, 100000) AS n;
SELECT count(*), count(DISTINCT id), min(id) > :id AS later, min(id) = (SELECT id FROM ids WHERE n = 1) AS first FROM ids;
SELECT count(*) AS not_ascending FROM (SELECT id > lag(id) OVER (ORDER BY n) AS up FROM ids) AS s WHERE NOT up;
SELECT count(*) AS other_nodes FROM ids, idgen_unique_id_parts(id) WHERE node <> 0;
SELECT count(DISTINCT created_at) > 1 AS time_goes_on, max(counter) > 0 AS counter_does FROM ids, idgen_unique_id_parts(id);

-- each time counts from 0
SELECT count(*) AS wrong FROM (
	SELECT counter, row_number() OVER (PARTITION BY created_at ORDER BY id) - 1 AS expected
	FROM ids, idgen_unique_id_parts(id)
	WHERE created_at > (SELECT created_at FROM idgen_unique_id_parts((SELECT min(id) FROM ids)))) AS s
	WHERE counter <> expected;

-- as a column default, and in other statements, savepoints and transactions
CREATE TEMPORARY TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_unique_id(), n integer);
INSERT INTO orders (n) VALUES (1), (2);
BEGIN;
INSERT INTO orders (n) VALUES (3);
SAVEPOINT a;
SELECT idgen_unique_id() AS id \gset
ROLLBACK TO a;
INSERT INTO orders (n) VALUES (4);
COMMIT;
BEGIN;
SELECT idgen_unique_id() > :id AS "not again";
ROLLBACK;
DROP TABLE ids, orders;
\c -
SELECT idgen_unique_id() > :id AS "not again";

DROP EXTENSION idgen;

\c -
--
-- Parallel workers draw time-ordered ids, and none twice
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

\c -
--
-- Everybody may draw time-ordered ids, and nobody needs the table for that
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_nobody;
REVOKE ALL ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_nobody;
SELECT count(*) FROM id_sequences;
\echo :SQLSTATE
SELECT idgen_unique_id() > 0 AS drawn;
SELECT node FROM idgen_unique_id_parts(idgen_unique_id());
-- the node is the server's
SET idgen.node_id = 1;
\echo :SQLSTATE
RESET ROLE;
SET idgen.node_id = 1;
\echo :SQLSTATE

-- it can be withdrawn
REVOKE EXECUTE ON FUNCTION idgen_unique_id() FROM PUBLIC;
SET ROLE regress_idgen_nobody;
SELECT idgen_unique_id();
\echo :SQLSTATE
RESET ROLE;

-- whatever state the table is in
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey;
SELECT idgen_unique_id() > 0 AS drawn;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_nobody;

\c -
--
-- At most 4096 time-ordered ids in a millisecond. A statement that wants more
-- does not run away from the clock, but waits for it.
--
CREATE EXTENSION idgen;
SELECT clock_timestamp() AS before \gset
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_unique_id() AS id FROM generate_series(1, 1000000)) AS s \gset
SELECT clock_timestamp() AS after \gset
SELECT :count AS ids;
SELECT b.created_at - a.created_at >= interval '244 ms' AS enough_time,
	b.created_at - a.created_at <= :'after'::timestamptz - :'before'::timestamptz + interval '5 ms' AS with_the_clock
	FROM idgen_unique_id_parts(:min) AS a, idgen_unique_id_parts(:max) AS b;
DROP EXTENSION idgen;

\c -
--
-- Time-ordered ids in transactions that may not write
--
CREATE EXTENSION idgen;
SELECT idgen_unique_id() AS id \gset
BEGIN READ ONLY;
SELECT idgen_unique_id() > :id AS ascending;
SELECT count(DISTINCT idgen_unique_id()) FROM generate_series(1, 1000);
-- and nothing was written
SELECT pg_current_xact_id_if_assigned();
COMMIT;
SET default_transaction_read_only = on;
SELECT idgen_unique_id() > :id AS ascending;
RESET default_transaction_read_only;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT idgen_unique_id() > :id AS ascending;
COMMIT;
DROP EXTENSION idgen;

\c -
--
-- UUIDs of version 7, always ascending
--
CREATE EXTENSION idgen;
SELECT clock_timestamp() AS before \gset
SELECT idgen_unique_uuid() AS id \gset
SELECT clock_timestamp() AS after \gset
-- a server that was restarted right before may be ahead of its clock by 5
-- seconds
SELECT idgen_unique_uuid_created_at(:'id') BETWEEN date_trunc('milliseconds', :'before'::timestamptz)
	AND :'after'::timestamptz + interval '5 s' AS in_between;

-- in one statement
CREATE TEMPORARY TABLE ids AS SELECT n, idgen_unique_uuid() AS id FROM generate_series(1, 100000) AS n;
SELECT count(*), count(DISTINCT id), min(id::text) > :'id' AS later, (SELECT id FROM ids WHERE n = 1)::text = min(id::text) AS first FROM ids;
SELECT count(*) AS not_ascending FROM (SELECT id > lag(id) OVER (ORDER BY n) AS up FROM ids) AS s WHERE NOT up;
SELECT count(DISTINCT idgen_unique_uuid_created_at(id)) > 1 AS time_goes_on FROM ids;

-- version 7, variant 10; all else behind the milliseconds varies
CREATE TEMPORARY TABLE bits AS SELECT n, ('x' || replace(id::text, '-', ''))::bit(128) AS id FROM ids WHERE n <= 10000;
SELECT count(*) AS wrong FROM bits WHERE substring(id, 49, 4) <> B'0111' OR substring(id, 65, 2) <> B'10';
SELECT string_agg(place::text, ',' ORDER BY place) AS same FROM generate_series(48, 127) AS place
	WHERE (SELECT count(DISTINCT get_bit(id, place)) FROM bits) = 1;

-- 58 bits are random, and new for each UUID: each bit is set in half of them,
-- and in half of them as it was in the one before
SELECT count(DISTINCT substring(id, 71)) FROM bits;
SELECT place, round(avg(get_bit(id, place)), 1) AS set, round(avg((get_bit(id, place) = get_bit(previous, place))::integer), 1) AS as_before
	FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM bits) AS s, generate_series(70, 127) AS place
	GROUP BY place
	HAVING avg(get_bit(id, place)) NOT BETWEEN 0.46 AND 0.54
		OR avg((get_bit(id, place) = get_bit(previous, place))::integer) NOT BETWEEN 0.46 AND 0.54;

-- the server's own functions, where it has them
SELECT current_setting('server_version_num')::integer >= 170000 AS has_version,
	current_setting('server_version_num')::integer >= 180000 AS has_v7 \gset
\set other_version 0
\set other_time 0
\if :has_version
SELECT count(*) AS other_version FROM ids WHERE uuid_extract_version(id) <> 7 \gset
\endif
\if :has_v7
SELECT count(*) AS other_time FROM ids WHERE uuid_extract_timestamp(id) IS DISTINCT FROM idgen_unique_uuid_created_at(id) \gset
\endif
SELECT :other_version AS other_version, :other_time AS other_time;

-- as a column default, and in other statements, savepoints and transactions
CREATE TEMPORARY TABLE orders (id uuid PRIMARY KEY DEFAULT idgen_unique_uuid(), n integer);
INSERT INTO orders (n) VALUES (1), (2);
BEGIN;
INSERT INTO orders (n) VALUES (3);
SAVEPOINT a;
SELECT idgen_unique_uuid() AS id \gset
ROLLBACK TO a;
INSERT INTO orders (n) VALUES (4);
COMMIT;
SELECT array_agg(n ORDER BY id) FROM orders;
BEGIN;
SELECT idgen_unique_uuid() > :'id' AS "not again";
ROLLBACK;
DROP TABLE ids, bits, orders;
\c -
SELECT idgen_unique_uuid() > :'id' AS "not again";

DROP EXTENSION idgen;

\c -
--
-- UUIDs in order where an id sequence cannot draw: in transactions that may not
-- write, in parallel workers, and without any privilege
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
