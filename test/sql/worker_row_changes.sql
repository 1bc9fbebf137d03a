--
-- What a change of the row means for ids that the worker has cached, from the
-- moment that it commits
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
SELECT idgen_next('gen');

-- another program's allocation: none
UPDATE id_sequences SET next_block_start = next_block_start + block_size;
SELECT array_agg(idgen_next('gen')) FROM generate_series(2, 25);

-- big_base, block_size, max_value raised: none
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES ('other', 1, 20, 1000, 'worker');
SELECT idgen_next('other');
UPDATE id_sequences SET big_base = 5000, block_size = 7, max_value = 2000 WHERE name = 'other';
SELECT idgen_next('other'), idgen_next_big('other');
SELECT ids_lost FROM idgen_stats WHERE name = 'other';

-- restart forward and backward, next_block_start or max_value lowered: they are
-- dropped
SELECT idgen_restart('other', 101);
SELECT idgen_next('other'), idgen_next('other');
SELECT ids_lost > 0 AS counted FROM idgen_stats WHERE name = 'other';
SELECT idgen_restart('other', 51);
SELECT idgen_next('other'), idgen_next('other');
UPDATE id_sequences SET next_block_start = 31 WHERE name = 'other';
SELECT idgen_next('other'), idgen_next('other');
UPDATE id_sequences SET next_block_start = 1500, max_value = 1501 WHERE name = 'other';
SELECT idgen_next('other'), idgen_next('other');
UPDATE id_sequences SET next_block_start = 1, max_value = 1500, exhausted = 0 WHERE name = 'other';
SELECT idgen_next('other'), idgen_next('other');

-- renamed, deleted, and inserted again
UPDATE id_sequences SET name = 'renamed', next_block_start = 201 WHERE name = 'other';
SELECT idgen_next('other');
\echo :SQLSTATE
SELECT idgen_next('renamed');
DELETE FROM id_sequences WHERE name = 'renamed';
SELECT idgen_next('renamed');
\echo :SQLSTATE
SELECT idgen_create('renamed', 301, refill => 'worker');
SELECT idgen_next('renamed');
TRUNCATE id_sequences;
SELECT idgen_next('renamed');
\echo :SQLSTATE
SELECT count(*) FROM idgen_cache;

-- another source
CREATE SEQUENCE other_seq START 1001 INCREMENT 20;
SELECT idgen_create('source', refill => 'worker');
SELECT idgen_next('source');
UPDATE id_sequences SET source = 'sequence', source_name = 'other_seq';
SELECT idgen_next('source');
UPDATE id_sequences SET source = 'table', next_block_start = 401;
SELECT idgen_next('source');

-- in the middle of refilling ahead, again and again: what comes after a restart
-- is not from before it (there may be a gap, if the worker has refilled while
-- it committed)
CREATE PROCEDURE restart_often(n integer) LANGUAGE plpgsql AS $$
DECLARE
	start bigint;
BEGIN
	FOR i IN 1 .. n LOOP
		FOR j IN 1 .. i % 23 LOOP
			PERFORM idgen_next('often');
		END LOOP;
		COMMIT;
		start := 1000000000 - 10000 * i;
		IF i % 2 = 0 THEN
			PERFORM idgen_restart('often', start);
		ELSE
			UPDATE id_sequences SET next_block_start = start WHERE name = 'often';
		END IF;
		COMMIT;
		ASSERT idgen_next('often') BETWEEN start AND start + 5000;
		COMMIT;
	END LOOP;
END $$;
SELECT idgen_create('often', 2000000000, block_size => 5, refill => 'worker');
CALL restart_often(300);

DROP PROCEDURE restart_often;
DROP EXTENSION idgen;
DROP SEQUENCE other_seq;
