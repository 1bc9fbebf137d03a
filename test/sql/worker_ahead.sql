--
-- When half of the last allocation is left, the worker refills, and nobody
-- waits; it takes more blocks when the last ones were used up fast
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\getenv inputdir PG_ABS_SRCDIR
\set wait_until :inputdir '/include/wait_until.sql'
\i :wait_until

INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
SELECT max(idgen_next('gen')) FROM generate_series(1, 10);
SELECT next_block_start FROM id_sequences;

-- the eleventh id is taken where half of the block is left
SELECT idgen_next('gen');
CALL wait_until('next_block_start > 21 FROM id_sequences');
CALL wait_until('ids_cached = next_block_start - 12 FROM id_sequences JOIN idgen_stats USING (name)');
SELECT refills, waits FROM idgen_stats;
SELECT first_id, last_id >= 40 AS merged FROM idgen_cache;

-- nobody who leaves it the time for that has to wait
DO $$
BEGIN
	FOR i IN 1 .. 200 LOOP
		PERFORM idgen_next('gen');
		CALL wait_until($q$ ids_cached >= 10 FROM idgen_stats WHERE name = 'gen' $q$);
	END LOOP;
END $$;
SELECT ids_issued, waits FROM idgen_stats;

-- the first allocation is one block, of whatever size
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('one', 1, 1, 'worker');
SELECT idgen_next('one');
SELECT next_block_start, ids_cached, prefetch_blocks FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'one';

-- used up fast, they double up to idgen.max_prefetch_blocks
SELECT max(idgen_next('one')) FROM generate_series(2, 20000);
CALL wait_until($$ next_block_start - 1 = ids_issued + ids_cached FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'one' $$);
SELECT prefetch_blocks = current_setting('idgen.max_prefetch_blocks')::int AS as_many_as_may_be,
		refills < 5000 AS few_refills, blocks_taken = next_block_start - 1 AS blocks_of_one
	FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'one';

-- a session that draws a block at a time has to do without
UPDATE id_sequences SET refill = 'transaction' WHERE name = 'one';
SELECT name, refill, prefetch_blocks IS NULL AS none FROM idgen_stats ORDER BY name;

DROP PROCEDURE wait_until;
DROP EXTENSION idgen;
