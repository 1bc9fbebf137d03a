--
-- At most 4096 time-ordered ids in a millisecond. A statement that wants more
-- does not run away from the clock, but waits for it.
--
-- needs test/idgen.conf
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
