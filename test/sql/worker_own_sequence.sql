--
-- With refill = 'worker', a session refills itself from a native sequence that
-- only it can see, or that its transaction has made or restarted
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- temporary: no worker has ever to do with it, so it works in a read-only
-- transaction, too
CREATE TEMPORARY SEQUENCE temporary_seq INCREMENT 20;
INSERT INTO id_sequences (name, next_block_start, source, refill) VALUES ('temporary', 1, 'sequence', 'worker');
SELECT idgen_next('temporary');
BEGIN READ ONLY;
SELECT idgen_next('temporary');
ROLLBACK;
SELECT array_agg(idgen_next('temporary')) FROM generate_series(3, 41);
SELECT last_value FROM temporary_seq;
SELECT cache, ids_issued, ids_cached, blocks_taken, refills, waits FROM idgen_stats;
ALTER SEQUENCE temporary_seq RESTART 501;
SELECT idgen_next('temporary');

-- made by the transaction
BEGIN;
CREATE SEQUENCE new_seq INCREMENT 5;
SELECT idgen_create('new', source => 'sequence', refill => 'worker');
SELECT array_agg(idgen_next('new')) FROM generate_series(1, 6);
SELECT last_value, currval('new_seq') FROM new_seq;
COMMIT;
SELECT idgen_next('new');
SELECT count(DISTINCT idgen_next('new')) FROM generate_series(1, 100);

-- restarted by it
BEGIN;
SELECT idgen_restart('new', 1001);
SELECT array_agg(idgen_next('new')) FROM generate_series(1, 6);
SAVEPOINT a;
ALTER SEQUENCE new_seq RESTART 2001;
SELECT idgen_next('new');
ROLLBACK TO a;
SELECT idgen_next('new');
COMMIT;
SELECT idgen_next('new');

-- and undone
SELECT idgen_next('new') AS before \gset
BEGIN;
ALTER SEQUENCE new_seq RESTART 5001;
SELECT idgen_next('new');
ROLLBACK;
SELECT idgen_next('new') = :before + 1 AS goes_on;

-- the row alone is of this transaction: what is cached of the sequence is as
-- good as before, and the worker does not need the row
CREATE SEQUENCE row_seq INCREMENT 5;
SELECT idgen_create('row', source => 'sequence', refill => 'worker');
SELECT idgen_next('row');
BEGIN;
UPDATE id_sequences SET big_base = 5000 WHERE name = 'row';
SELECT idgen_next_big('row');
DELETE FROM id_sequences WHERE name = 'row';
SELECT idgen_next('row', 'sequence');
COMMIT;
CREATE SEQUENCE single_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source, refill) VALUES ('single', 1, 1, 'sequence', 'worker');
SELECT idgen_next('single');
BEGIN;
SELECT refill FROM id_sequences WHERE name = 'single' FOR UPDATE;
SELECT idgen_next('single');
ROLLBACK;

-- a row that the worker does not see, or not as it is now
CREATE SEQUENCE unseen_seq INCREMENT 5;
BEGIN;
SELECT idgen_create('unseen', source => 'sequence', refill => 'worker');
SELECT array_agg(idgen_next('unseen')) FROM generate_series(1, 6);
ROLLBACK;
SELECT idgen_create('unseen', source => 'sequence');
SELECT idgen_next('unseen') > 6 AS goes_on;
BEGIN;
UPDATE id_sequences SET refill = 'worker' WHERE name = 'unseen';
SELECT count(DISTINCT idgen_next('unseen')) FROM generate_series(1, 100);
COMMIT;
SELECT count(DISTINCT idgen_next('unseen')) FROM generate_series(1, 100);

-- locked in a way that keeps the worker from it, but not new
BEGIN;
ALTER SEQUENCE single_seq OWNED BY NONE;
SELECT count(idgen_next('single')) FROM generate_series(1, 1000);
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('single') > 2 AS goes_on;

DROP EXTENSION idgen;
DROP SEQUENCE temporary_seq, new_seq, row_seq, single_seq, unseen_seq;
