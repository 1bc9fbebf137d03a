--
-- Switching between refill = 'transaction' and 'worker'
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 20);

-- what a transaction has published is a gap, as at each change of the row
SELECT idgen_next('gen');
UPDATE id_sequences SET refill = 'worker';
SELECT array_agg(idgen_next('gen')) FROM generate_series(2, 20);
SELECT idgen_next('gen');
SELECT ids_lost FROM idgen_stats;

-- and the other way round: then a transaction's ids are issued again if it is
-- rolled back
UPDATE id_sequences SET refill = 'transaction';
SELECT ids_cached, ids_lost >= 19 AS lost, prefetch_blocks FROM idgen_stats;
BEGIN;
SELECT idgen_next('gen') AS id \gset
SELECT state, :id + 1 = first_id AS follows FROM idgen_cache;
ROLLBACK;
SELECT idgen_next('gen') = :id AS comes_again;

-- in one transaction, which has allocated before
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('pending', 1, 4);
BEGIN;
SELECT idgen_next('pending');
UPDATE id_sequences SET refill = 'worker' WHERE name = 'pending';
COMMIT;
SELECT idgen_next('pending'), idgen_next('pending');
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'pending';

-- undone, its ids are issued again: they were of a transaction's block
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('undone', 1, 4);
BEGIN;
SELECT idgen_next('undone');
UPDATE id_sequences SET refill = 'worker' WHERE name = 'undone';
ROLLBACK;
UPDATE id_sequences SET refill = 'worker' WHERE name = 'undone';
SELECT idgen_next('undone'), idgen_next('undone');

-- the worker's cached ids, and a block of this transaction
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('both', 1, 4, 'worker');
SELECT idgen_next('both');
BEGIN;
UPDATE id_sequences SET refill = 'transaction' WHERE name = 'both';
SELECT array_agg(idgen_next('both')) FROM generate_series(2, 6);
ROLLBACK;
SELECT idgen_next('both');

-- a gapless id sequence is not any more, and again
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
SELECT idgen_next('gapless');
UPDATE id_sequences SET refill = 'worker' WHERE name = 'gapless';
BEGIN;
SELECT idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');
UPDATE id_sequences SET refill = 'transaction' WHERE name = 'gapless';
SELECT max(idgen_next('gapless')) AS id FROM generate_series(1, 1000) \gset
BEGIN;
SELECT idgen_next('gapless') = :id + 1 AS next;
ROLLBACK;
SELECT idgen_next('gapless') = :id + 1 AS gapless;

-- with a native sequence
CREATE SEQUENCE native_seq INCREMENT 5;
SELECT idgen_create('native', source => 'sequence');
SELECT idgen_next('native');
UPDATE id_sequences SET refill = 'worker' WHERE name = 'native';
SELECT array_agg(idgen_next('native')) FROM generate_series(2, 12);
UPDATE id_sequences SET refill = 'transaction' WHERE name = 'native';
SELECT idgen_next('native') > 16 AS later;
-- each change makes a gap, which is counted; the worker may have refilled ahead
SELECT last_value + 4 - ids_issued - ids_cached = ids_lost AS all_counted FROM idgen_stats, native_seq WHERE name = 'native';

-- to and fro: no id twice
SELECT idgen_create('to and fro', block_size => 3);
CREATE TABLE drawn (id bigint);
DO $$
BEGIN
	FOR i IN 1 .. 200 LOOP
		UPDATE id_sequences SET refill = CASE i % 2 WHEN 0 THEN 'transaction' ELSE 'worker' END WHERE name = 'to and fro';
		COMMIT;
		FOR j IN 1 .. i % 11 LOOP
			INSERT INTO drawn VALUES (idgen_next('to and fro'));
			COMMIT;
		END LOOP;
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT id) FROM drawn;

DROP TABLE drawn;
DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
