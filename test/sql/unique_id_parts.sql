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
