--
-- Time-ordered ids: bigints and UUIDs
--

--
-- What a time-ordered id is composed of
--
CREATE EXTENSION idgen;
SET timezone = 'UTC';
SET datestyle = 'ISO';
-- From the right: 12 bits of counter, 10 of node, 41 of milliseconds since 2024
SELECT id, created_at, node, counter FROM unnest(ARRAY[
	0,
	1,
	4095,                   -- 2^12 - 1
	4096,                   -- 2^12
	4190208,                -- 1023 * 2^12
	4194304,                -- 2^22
	4198401,                -- 2^22 + 2^12 + 1
	4194304000,             -- 1000 * 2^22
	362387865600000000,     -- 86,400,000 * 1000 * 2^22: 1000 days
	132271570944004096 + 7, -- 86,400,000 * 365 * 2^22 + 2^12 + 7: 365 days
	9223372032559808512,    -- (2^31 - 1) * 2^32
	9223372036850581504,    -- (2^41 - 1) * 2^22
	9223372036854775807     -- 2^63 - 1
	]) AS id, idgen_unique_id_parts(id);

-- the same with SQL's own bits
SELECT count(*), count(*) FILTER (WHERE
		p.created_at = timestamptz '2024-01-01 00:00+00' + ms * interval '1 ms' AND p.node = n AND p.counter = c) AS right
	FROM generate_series(0, 2199023255551, 21990232555) AS ms, generate_series(0, 1023, 93) AS n, generate_series(0, 4095, 455) AS c,
		idgen_unique_id_parts((ms << 22) | (n << 12) | c) AS p;

SELECT idgen_unique_id_parts(-1);
\echo :SQLSTATE
SELECT idgen_unique_id_parts(-9223372036854775808);
\echo :SQLSTATE
SELECT idgen_unique_id_parts(NULL) IS NULL AS "null";
SELECT (idgen_unique_id_parts(4198401)).node;

-- the same instant everywhere
SET timezone = 'Asia/Tokyo';
SELECT created_at FROM idgen_unique_id_parts(0);
DROP EXTENSION idgen;

\c -
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

\c -
--
-- The time in a UUID of version 7; null for others
--
CREATE EXTENSION idgen;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT id, idgen_unique_uuid_created_at(id::uuid) FROM unnest(ARRAY[
	'017f22e2-79b0-7cc3-98c4-dc0c0c07398f', -- the example of RFC 9562, A.6: 2022-02-22 19:22:22
	'00000000-0000-7000-8000-000000000000', -- the smallest of all
	'00000000-0001-7fff-bfff-ffffffffffff',
	'ffffffff-ffff-7000-8000-000000000000', -- the latest time
	'ffffffff-ffff-7fff-bfff-ffffffffffff',
	'017f22e2-79b0-8cc3-98c4-dc0c0c07398f', -- another version
	'017f22e2-79b0-6cc3-98c4-dc0c0c07398f',
	'017f22e2-79b0-7cc3-18c4-dc0c0c07398f', -- other variants
	'017f22e2-79b0-7cc3-58c4-dc0c0c07398f',
	'017f22e2-79b0-7cc3-d8c4-dc0c0c07398f',
	'c232ab00-9414-11ec-b3c8-9f6bdeced846', -- version 1
	'00000000-0000-0000-0000-000000000000',
	'ffffffff-ffff-ffff-ffff-ffffffffffff'
	]) AS id;
SELECT count(idgen_unique_uuid_created_at(gen_random_uuid())) AS of_version_4 FROM generate_series(1, 100);
SELECT idgen_unique_uuid_created_at(NULL) IS NULL AS "null";
-- the same instant everywhere
SET timezone = 'Asia/Tokyo';
SELECT idgen_unique_uuid_created_at('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT proname, provolatile, proparallel, proisstrict FROM pg_proc
	WHERE proname ~ '^idgen_(unique_id|unique_uuid|uuid_)' ORDER BY proname;
DROP EXTENSION idgen;
