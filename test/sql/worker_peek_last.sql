--
-- idgen_peek and idgen_last with refill = 'worker'
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, big_base, refill) VALUES ('gen', 1, 4, 1000, 'worker');

-- to look at what comes next does not wake the worker
SELECT idgen_peek('gen');
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT next_block_start FROM id_sequences;
SELECT idgen_next('gen'), idgen_peek('gen'), idgen_last('gen');

-- without big_base
SELECT idgen_next_big('gen'), idgen_peek('gen'), idgen_last('gen');

-- over the end of a block, and after a rollback
BEGIN;
SELECT max(idgen_next('gen')) FROM generate_series(3, 8);
SELECT idgen_peek('gen'), idgen_last('gen');
ROLLBACK;
SELECT idgen_peek('gen'), idgen_last('gen');
SELECT idgen_next('gen');

-- a failed call changes neither
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('restarted', 1, 20, 'worker');
SELECT idgen_next('restarted');
BEGIN;
SELECT idgen_restart('restarted', 101);
SELECT idgen_peek('restarted'), idgen_last('restarted');
SAVEPOINT a;
SELECT idgen_next('restarted');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_peek('restarted'), idgen_last('restarted');
COMMIT;
SELECT idgen_peek('restarted'), idgen_last('restarted');
SELECT idgen_next('restarted');

-- in a row of the current transaction
BEGIN;
SELECT idgen_create('new', 7, refill => 'worker');
SELECT idgen_peek('new');
COMMIT;
SELECT idgen_peek('new'), idgen_next('new'), idgen_peek('new');

-- with a native sequence
CREATE SEQUENCE native_seq INCREMENT 5;
SELECT idgen_create('native', source => 'sequence', refill => 'worker');
SELECT idgen_peek('native'), idgen_next('native', 'sequence'), idgen_peek('native'), idgen_last('native');
SELECT max(idgen_next('native')) FROM generate_series(2, 100);
SELECT idgen_peek('native'), idgen_last('native');

DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
