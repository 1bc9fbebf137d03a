--
-- idgen_stats, idgen_cache and idgen_stats_reset
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('gen', 1, 10), ('gapless', 1, 1), ('idle', 1, 10), ('undone', 1, 10);
CREATE VIEW counters AS
	SELECT name, ids_issued, ids_cached, ids_lost, blocks_taken, refills, waits, last_refill IS NOT NULL AS refilled
	FROM idgen_stats WHERE name <> 'gapless' AND refills + ids_cached > 0 ORDER BY name;

-- what has not been used is not known to the cache
TABLE counters;
SELECT clock_timestamp() AS before \gset
SELECT idgen_next('gen'), idgen_next('gapless');
TABLE counters;
SELECT source, refill FROM idgen_stats WHERE name = 'gen';
SELECT count(DISTINCT cache) AS one_kind, bool_and(cache IN ('server', 'session')) AS known_kind FROM idgen_stats;

-- from the cache
SELECT count(idgen_next('gen')) FROM generate_series(1, 9);
TABLE counters;

-- a transaction counts when it is over, whichever way it ends
BEGIN;
SELECT count(idgen_next('gen')), count(idgen_next('gapless')), count(idgen_next('undone')) FROM generate_series(1, 15);
TABLE counters;
ROLLBACK;
TABLE counters;
BEGIN;
SELECT count(idgen_next('gen')), count(idgen_next('gapless')) FROM generate_series(1, 15);
COMMIT;
TABLE counters;

-- last_refill is about now, and not in the future
SELECT last_refill BETWEEN now() - interval '1 hour' AND clock_timestamp() AS recent,
	counted_since BETWEEN date_trunc('second', :'before'::timestamptz) AND last_refill AS since_first_draw FROM idgen_stats WHERE name = 'gen';

-- gapless ids are issued, never cached and never lost, also if they are rolled
-- back
SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'gapless';

-- ids dropped because of a change of the row
SELECT idgen_restart('gen', 1000);
TABLE counters;
SELECT idgen_next('gen');

-- reset: the counters start anew, what is cached stays
SELECT clock_timestamp() AS before \gset
SELECT idgen_stats_reset();
TABLE counters;
SELECT bool_and(counted_since BETWEEN date_trunc('second', :'before'::timestamptz) AND clock_timestamp()) AS since_reset FROM idgen_stats;
SELECT idgen_next('gen');
TABLE counters;

-- a deleted row is not shown
DELETE FROM id_sequences WHERE name = 'gen';
TABLE counters;

-- in the order of names, and of ids
DELETE FROM id_sequences;
SELECT idgen_create(name) FROM unnest('{c,a,b,d}'::text[]) AS name;
SELECT idgen_next(name) FROM unnest('{c,a,b,d}'::text[]) AS name;
SELECT name FROM idgen_stats;
SELECT name, first_id FROM idgen_cache;

DROP VIEW counters;
DROP EXTENSION idgen;
