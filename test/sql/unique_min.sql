--
-- The smallest time-ordered id and the smallest UUID of a time
--
CREATE EXTENSION idgen;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT t, idgen_unique_id_min(t::timestamptz), idgen_unique_uuid_min(t::timestamptz) FROM unnest(ARRAY[
	'2024-01-01 00:00',
	'2024-01-01 00:00:00.000999',
	'2024-01-01 00:00:00.001',
	'2026-11-22 12:34:56.789',
	'2026-11-22 12:34:56.789123',
	'2026-11-22 12:34:56.789+14',
	'2093-09-06 15:47:35.551',
	'2093-09-06 15:47:35.551999']) AS t;

-- the time is that of the id, in whole milliseconds, and no smaller id has it
SELECT count(*), count(*) FILTER (WHERE
		(idgen_unique_id_parts(id)).created_at = date_trunc('milliseconds', t)
		AND (idgen_unique_id_parts(id - 1)).created_at < date_trunc('milliseconds', t)) AS right_ids,
	count(*) FILTER (WHERE idgen_unique_uuid_created_at(uuid) = date_trunc('milliseconds', t)
		AND uuid::text LIKE '%-7000-8000-000000000000') AS right_uuids
	FROM (SELECT t, idgen_unique_id_min(t) AS id, idgen_unique_uuid_min(t) AS uuid
		FROM generate_series(timestamptz '2024-01-01 00:00:01', '2093-09-01', interval '41 days 3:25:45.678901') AS t) AS s;

-- out of range
SELECT idgen_unique_id_min('2023-12-31 23:59:59.999999');
\echo :SQLSTATE
SELECT idgen_unique_id_min('2093-09-06 15:47:35.552');
\echo :SQLSTATE
SELECT idgen_unique_id_min('infinity');
\echo :SQLSTATE
SELECT idgen_unique_id_min('-infinity');
\echo :SQLSTATE
SELECT idgen_unique_id_min('4714-11-24 00:00 BC');
\echo :SQLSTATE
SELECT idgen_unique_id_min('294276-12-31 23:59:59.999999');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('1970-01-01'), idgen_unique_uuid_min('10889-08-02 05:31:50.655999');
SELECT idgen_unique_uuid_min('1969-12-31 23:59:59.999999');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('10889-08-02 05:31:50.656');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('infinity');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('-infinity');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('4714-11-24 00:00 BC');
\echo :SQLSTATE
SELECT idgen_unique_uuid_min('294276-12-31 23:59:59.999999');
\echo :SQLSTATE
SELECT idgen_unique_id_min(NULL) IS NULL AND idgen_unique_uuid_min(NULL) IS NULL AS "null";

-- as bounds of partitions
CREATE TABLE events (id uuid PRIMARY KEY, what text) PARTITION BY RANGE (id);
CREATE TABLE events_10 PARTITION OF events
	FOR VALUES FROM (idgen_unique_uuid_min('2026-10-01')) TO (idgen_unique_uuid_min('2026-11-01'));
CREATE TABLE events_11 PARTITION OF events
	FOR VALUES FROM (idgen_unique_uuid_min('2026-11-01')) TO (idgen_unique_uuid_min('2026-12-01'));
SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'events_11';
INSERT INTO events VALUES ('019d9ad1-51ff-7fff-bfff-ffffffffffff', 'too early');
\echo :SQLSTATE
INSERT INTO events SELECT idgen_unique_uuid_min(t), t FROM unnest(ARRAY[timestamptz '2026-10-01', '2026-10-31 23:59:59.999', '2026-11-01']) AS t;
SELECT tableoid::regclass, id, what FROM events ORDER BY id;
CREATE TABLE numbered (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE numbered_11 PARTITION OF numbered
	FOR VALUES FROM (idgen_unique_id_min('2026-11-01')) TO (idgen_unique_id_min('2026-12-01'));
SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'numbered_11';

-- IMMUTABLE: a plan looks at one partition, and at a part of the index
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM events
	WHERE id >= idgen_unique_uuid_min('2026-11-22 00:00+00') AND id < idgen_unique_uuid_min('2026-11-23 00:00+00');
DROP TABLE events, numbered;
DROP EXTENSION idgen;
