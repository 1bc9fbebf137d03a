--
-- since when idgen_stats counts, and how long refills take
--
CREATE EXTENSION idgen;
SELECT idgen_create('quick'), idgen_create('unused');

-- from the first draw on
SELECT clock_timestamp() AS before \gset
SELECT idgen_next('quick');
SELECT counted_since BETWEEN :'before' AND clock_timestamp() AS since_first_draw,
	counted_since <= last_refill AS before_refill
	FROM idgen_stats WHERE name = 'quick';
SELECT count(*) FROM idgen_stats WHERE name = 'unused';

-- one refill: all percentiles are its bound. Nobody has waited.
SELECT refill_ms_p50 = refill_ms_p99 AS same, refill_ms_p99 > 0 AS known, wait_ms_p50, wait_ms_p99, wait_ms_total
	FROM idgen_stats WHERE name = 'quick';

-- an allocator that takes its time
CREATE FUNCTION slowly(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql VOLATILE AS $$ SELECT 1::bigint, 10::bigint FROM pg_sleep(0.11) $$;
SELECT idgen_create('slow', source => 'function', source_name => 'slowly');
SELECT idgen_next('slow');
SELECT refill_ms_p50 >= 1000 AS slow FROM idgen_stats WHERE name = 'slow';

-- a refill that is rolled back has taken its time, too; one that fails counts
-- neither as a refill nor here
BEGIN;
SELECT count(idgen_next('slow')) FROM generate_series(1, 10);
ROLLBACK;
SELECT refills, refill_ms_p99 >= 1000 AS slow FROM idgen_stats WHERE name = 'slow';
CREATE FUNCTION fails(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$ BEGIN RAISE 'no block today'; END $$;
SELECT idgen_create('failing', source => 'function', source_name => 'fails');
\set VERBOSITY terse
SELECT idgen_next('failing');
SELECT refills, refill_ms_p50 FROM idgen_stats WHERE name = 'failing';

-- and counted anew
SELECT count(idgen_next('quick')) FROM generate_series(1, 20) AS i;
SELECT idgen_stats_reset();
SELECT refills, refill_ms_p50, refill_ms_p99, wait_ms_total
	FROM idgen_stats WHERE name = 'quick';
SELECT clock_timestamp() - counted_since < interval '1 hour' AS since_reset FROM idgen_stats WHERE name = 'quick';

DROP EXTENSION idgen;
DROP FUNCTION slowly, fails;
