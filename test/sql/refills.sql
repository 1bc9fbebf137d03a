--
-- How much a refill takes
--

--
-- One block per refill; within a transaction, from the ninth on, about an
-- eighth of what it has taken so far
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1), ('bulk', 1, 20);

-- alone in a transaction, a refill takes exactly one block, however many came
-- before
CREATE PROCEDURE draw_and_commit(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM idgen_next('gen');
		COMMIT;
	END LOOP;
END $$;
CALL draw_and_commit(300);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
SELECT ids_issued, blocks_taken, refills FROM idgen_stats WHERE name = 'gen';

-- the blocks of each refill, from the row: is it what is promised? An eighth is
-- between a sixteenth and a quarter here.
CREATE FUNCTION as_promised(taken bigint[]) RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(CASE WHEN n <= 8 THEN blocks = 1
			ELSE blocks BETWEEN greatest(1, so_far / 16) AND greatest(1, so_far / 4) END)
		FROM (SELECT n, blocks, sum(blocks) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS so_far
			FROM unnest(taken) WITH ORDINALITY AS u (blocks, n)) AS s
$$;
CREATE FUNCTION blocks_of_refills(seq text, ids int) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
	before bigint;
	after bigint;
	size int;
	taken bigint[];
BEGIN
	SELECT next_block_start, block_size INTO before, size FROM id_sequences WHERE name = seq;
	FOR i IN 1 .. ids LOOP
		PERFORM idgen_next(seq);
		SELECT next_block_start INTO after FROM id_sequences WHERE name = seq;
		IF after <> before THEN
			taken := taken || (after - before) / size;
			before := after;
		END IF;
	END LOOP;
	RETURN taken;
END $$;
SELECT as_promised(blocks), cardinality(blocks) < 50 AS few FROM blocks_of_refills('gen', 1000) AS blocks;

-- the next transaction begins again with one, after the rest
DO $$
BEGIN
	WHILE (SELECT ids_cached > 0 FROM idgen_stats WHERE name = 'gen') LOOP
		PERFORM idgen_next('gen');
	END LOOP;
END $$;
SELECT blocks_of_refills('gen', 80);

-- the first eight take one block each, however large earlier blocks were
BEGIN;
UPDATE id_sequences SET block_size = 1000 WHERE name = 'gen';
SELECT count(idgen_next('gen')) FROM generate_series(1, 2000);
UPDATE id_sequences SET block_size = 10 WHERE name = 'gen';
SELECT blocks_of_refills('gen', 60);
COMMIT;

-- gapless: the same, though in the end nothing of it stays
SELECT as_promised(blocks_of_refills('gapless', 100));
SELECT next_block_start FROM id_sequences WHERE name = 'gapless';
SELECT refills < 50 AS few FROM idgen_stats WHERE name = 'gapless';

-- a bulk load costs few versions of the row
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 1000000)) AS s;
SELECT ids_issued, refills < 120 AS few, next_block_start = 20 * blocks_taken + 1 AS from_the_row,
	ids_issued + ids_cached = 20 * blocks_taken AS adds_up,
	ids_cached <= ids_issued / 4 AS little_left
	FROM idgen_stats JOIN id_sequences USING (name) WHERE name = 'bulk';

-- undone, nothing of it stays either
BEGIN;
SELECT next_block_start FROM id_sequences WHERE name = 'bulk' \gset
SELECT count(idgen_next('bulk')) FROM generate_series(1, 1000000);
ROLLBACK;
SELECT next_block_start - :next_block_start AS more FROM id_sequences WHERE name = 'bulk';

-- savepoints neither stop the growth nor start it anew
SELECT idgen_restart('bulk', 1);
CREATE FUNCTION draw_in_subtransactions(n int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		BEGIN
			PERFORM idgen_next('bulk');
		EXCEPTION WHEN others THEN
			RAISE;
		END;
	END LOOP;
	RETURN idgen_last('bulk');
END $$;
SELECT refills AS refills_before FROM idgen_stats WHERE name = 'bulk' \gset
SELECT draw_in_subtransactions(20000);
SELECT refills - :refills_before < 80 AS few FROM idgen_stats WHERE name = 'bulk';

DROP PROCEDURE draw_and_commit;
DROP FUNCTION as_promised, blocks_of_refills, draw_in_subtransactions;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- A growing next_block_start, as other programs leave it behind, does not
-- disturb what is cached
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

SELECT idgen_next('gen');

-- the classic two statements
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'gen';
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'gen';
COMMIT;
TABLE blocks;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- in the middle of a transaction that draws itself
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen') FROM generate_series(1, 4);
COMMIT;
TABLE blocks;

-- a gapless one is shared in the same way
SELECT idgen_next('gapless'), idgen_next('gapless');
UPDATE id_sequences SET next_block_start = next_block_start + 1 WHERE name = 'gapless';
SELECT idgen_next('gapless');
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + 1 WHERE name = 'gapless';
SELECT idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');
SELECT next_block_start FROM id_sequences WHERE name = 'gapless';

DROP VIEW blocks;
DROP EXTENSION idgen;
