--
-- When less than half of the last allocation is left, the worker refills, so
-- that nobody waits
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
SELECT next_block_start, ids_cached FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'one';

DROP PROCEDURE wait_until;
DROP EXTENSION idgen;
