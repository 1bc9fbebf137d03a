--
-- refill = 'auto' where there is a worker: it refills, and a rollback leaves a
-- gap; but not for a transaction that keeps it from the row
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 3, refill => 'auto');
BEGIN;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 10);
SELECT count(*) FROM idgen_cache WHERE state = 'pending';
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
SAVEPOINT a;
SELECT array_agg(idgen_next('gen')) FROM generate_series(12, 30);
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
SELECT refill, prefetch_blocks > 0 AS prefetches FROM idgen_stats;

-- ranges, and the end of the ids
SELECT first_id > 32 AS later, last_id - first_id AS width FROM idgen_next_range('gen', 100);
SELECT idgen_create('short', max_value => 5, refill => 'auto');
SELECT array_agg(idgen_next('short')) FROM generate_series(1, 5);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('short');
\echo :SQLSTATE

-- block_size 1 and again
UPDATE id_sequences SET block_size = 1 WHERE name = 'gen';
SELECT max(idgen_next('gen')) AS id FROM generate_series(1, 1000) \gset
BEGIN;
SELECT idgen_next('gen') = :id + 1 AS next;
ROLLBACK;
SELECT idgen_next('gen') = :id + 1 AS gapless;
UPDATE id_sequences SET block_size = 3 WHERE name = 'gen';
BEGIN;
SELECT idgen_next('gen') = :id + 2 AS next;
ROLLBACK;
SELECT idgen_next('gen') = :id + 3 AS gap;

-- what the transaction has done that keeps the worker out: it refills itself,
-- and so its ids are issued again after a rollback
\set draw 'SELECT max(idgen_next(name)), count(*) FROM id_sequences, generate_series(1, 10) WHERE name LIKE \'own%\' GROUP BY name'
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('own', 1, 3, 'auto');
BEGIN;
SELECT next_block_start FROM id_sequences WHERE name = 'own' FOR UPDATE;
:draw;
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'own';
ROLLBACK;
BEGIN;
UPDATE id_sequences SET block_size = 5 WHERE name = 'own';
:draw;
ROLLBACK;
BEGIN;
LOCK TABLE id_sequences IN SHARE MODE;
:draw;
ROLLBACK;
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'own';
:draw;
ROLLBACK TO a;
-- Having refilled itself, it goes on with that.
:draw;
SELECT state FROM idgen_cache WHERE name = 'own';
COMMIT;
SELECT next_block_start, (SELECT ids_cached FROM idgen_stats s WHERE s.name = i.name) FROM id_sequences i WHERE name = 'own';

-- switched while a transaction has a block of its own
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('switched', 1, 4);
BEGIN;
SELECT idgen_next('switched');
UPDATE id_sequences SET refill = 'auto' WHERE name = 'switched';
SELECT array_agg(idgen_next('switched')) FROM generate_series(2, 10);
COMMIT;
SELECT idgen_next('switched');
SELECT ids_lost FROM idgen_stats WHERE name = 'switched';

-- native sequences
CREATE SEQUENCE native_seq INCREMENT BY 10;
SELECT idgen_create('native', source => 'sequence', refill => 'auto');
SELECT max(idgen_next('native')) FROM generate_series(1, 25);
SELECT count(*) FROM pg_locks WHERE relation = 'native_seq'::regclass AND mode = 'RowExclusiveLock' AND pid = pg_backend_pid();
BEGIN;
LOCK TABLE id_sequences IN ACCESS EXCLUSIVE MODE;
SELECT max(idgen_next('native')) >= 1000 FROM generate_series(1, 1000);
COMMIT;

-- a role without any privilege but SELECT
CREATE ROLE regress_idgen_reader;
INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('read', 1, 'auto');
SET ROLE regress_idgen_reader;
SELECT max(idgen_next('read')) FROM generate_series(1, 50);
RESET ROLE;
DROP ROLE regress_idgen_reader;

DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
