--
-- UUIDs of version 7, always ascending
--
-- needs test/idgen.conf
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
