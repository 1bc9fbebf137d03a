--
-- A refill finds the row where its own transaction has put it: it costs the
-- same however many refills came before. (A vacuum of the table in the midst
-- makes the session look again, hence the tolerance.)
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('one', 1, 1);
SELECT idgen_next('gen'), idgen_next('one');
CREATE FUNCTION index_scans() RETURNS bigint LANGUAGE sql AS
	$$SELECT pg_stat_get_xact_numscans('id_sequences_pkey'::regclass)$$;

BEGIN;
-- the rest of the first block, and the first refill
SELECT count(idgen_next('gen')), count(idgen_next('one')) FROM generate_series(1, 10);
SELECT index_scans() AS before \gset
SELECT :before > 0 AS counted;
-- 30 more of the one, more than 40 of the other
SELECT count(idgen_next('gen')), count(idgen_next('one')) FROM generate_series(1, 1000);
SELECT index_scans() - :before < 5 AS hardly_more_index_scans;
-- with savepoints that are released as well
SAVEPOINT a;
SELECT count(idgen_next('gen')), count(idgen_next('one')) FROM generate_series(1, 1000);
RELEASE a;
SELECT count(idgen_next('gen')), count(idgen_next('one')) FROM generate_series(1, 1000);
SELECT index_scans() - :before < 5 AS hardly_more_index_scans;
COMMIT;
SELECT refills > 30 AS many_refills FROM idgen_stats ORDER BY name;

DROP FUNCTION index_scans;
DROP EXTENSION idgen;
