-- docs/refill.md, "Who refills"

-- claim: refill "worker": not in the transaction that makes the row.
BEGIN;
SELECT idgen_create('wk', refill => 'worker');
SELECT idgen_next('wk');
-- gives: ERROR 55P03: the worker cannot refill id sequence "wk"
ROLLBACK;

-- claim: refill "worker": a rollback leaves a gap.
SELECT idgen_create('wk2', refill => 'worker');
BEGIN;
SELECT idgen_next('wk2');
-- gives: 1
ROLLBACK;
SELECT idgen_next('wk2');
-- gives: 2

-- claim: The worker is seen in pg_stat_activity.
SELECT backend_type FROM pg_stat_activity WHERE backend_type LIKE 'idgen%' AND datname = current_database();
-- gives: idgen worker

-- claim: The worker ends when nobody has asked for anything for idgen.worker_idle_timeout.
DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = current_database()); PERFORM pg_sleep(0.05); END LOOP; END $$;
SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = current_database();
-- gives: 0

-- claim: block_size 1 with refill "worker" is not gapless, only small.
SELECT idgen_create('w1', block_size => 1, refill => 'worker');
SELECT idgen_next('w1');
-- gives: 1
BEGIN;
SELECT idgen_next('w1');
-- gives: 2
ROLLBACK;
SELECT idgen_next('w1');
-- gives: 3

-- claim: In a transaction that has locked the row, ids that are cached can be drawn.
BEGIN;
SELECT FROM id_sequences WHERE name = 'wk2' FOR UPDATE;
SELECT idgen_next('wk2');
-- gives: 3
ROLLBACK;

-- claim: A change voids them.
BEGIN;
UPDATE id_sequences SET block_size = 30 WHERE name = 'wk2';
SELECT idgen_next('wk2');
-- gives: ERROR 55P03
ROLLBACK;

-- claim: 55P03 at once if the current transaction has locked the row.
SELECT idgen_create('wl', refill => 'worker');
BEGIN;
SELECT name FROM id_sequences WHERE name = 'wl' FOR UPDATE;
-- gives: wl
SELECT idgen_next('wl');
-- gives: ERROR 55P03: the worker cannot refill id sequence "wl"
ROLLBACK;

-- claim: 55P03 after idgen.worker_timeout if another transaction has locked the row.
BEGIN;
SELECT name FROM id_sequences WHERE name = 'wl' FOR UPDATE;
-- gives: wl
\other SET idgen.worker_timeout = '700ms'; SELECT idgen_next('wl');
-- gives: ERROR 55P03: the worker cannot refill id sequence "wl"
ROLLBACK;

-- claim: Ending the worker does no harm.
SELECT bool_and(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = current_database();
-- gives: t
SELECT idgen_next('wl');
-- gives: 1

-- claim: The worker refills from native sequences, too.
CREATE SEQUENCE wsq_seq INCREMENT 10;
SELECT idgen_create('wsq', source => 'sequence', source_name => 'wsq_seq', refill => 'worker');
SELECT idgen_next('wsq');
-- gives: 1

-- claim: For a bulk load, the worker takes an eighth of what the transaction has drawn.
SELECT idgen_create('wb', refill => 'worker');
SELECT count(idgen_next('wb')) FROM generate_series(1, 1000000);
-- gives: 1000000
SELECT refills < 150, ids_cached < 1000000 / 4 FROM idgen_stats WHERE name = 'wb';
-- gives: t|t

-- claim: refill "worker": an open transaction that has drawn holds up nobody.
BEGIN;
DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM idgen_next('wk2'); END LOOP; END $$;
\other SELECT idgen_next('wk2') > 0;
-- gives: t
COMMIT;

-- claim: 55P03 if another transaction has locked the table.
BEGIN;
LOCK TABLE id_sequences IN SHARE MODE;
\other SET idgen.worker_timeout = '1s'; SELECT count(idgen_next('wk2')) FROM generate_series(1, 5000);
-- gives: ERROR 55P03: the worker cannot refill id sequence "wk2"
COMMIT;

-- claim: CREATE DATABASE ... TEMPLATE works while a worker is there.
SELECT idgen_create('wk', refill => 'worker');
SELECT idgen_next('wk');
-- gives: 1
\c postgres
CREATE DATABASE template_copy TEMPLATE claims_who_refills;
\c claims_who_refills

-- claim: DROP DATABASE ends the worker of that database.
\at template_copy SELECT idgen_next('wk') > 0;
-- gives: t
DROP DATABASE template_copy;
SELECT count(*) FROM pg_database WHERE datname = 'template_copy';
-- gives: 0

-- claim: refill "auto": an open transaction that has drawn holds up nobody, and a rollback leaves a gap.
SELECT idgen_create('au', refill => 'auto');
BEGIN;
SELECT max(idgen_next('au')) FROM generate_series(1, 1000);
-- gives: 1000
\other SELECT idgen_next('au');
-- gives: 1001
ROLLBACK;
SELECT idgen_next('au');
-- gives: 1002

-- claim: refill "auto": the transaction that has made the row refills itself.
BEGIN;
SELECT idgen_create('own', refill => 'auto');
SELECT idgen_next('own');
-- gives: 1
ROLLBACK;

-- claim: refill "auto": a transaction that has locked the row refills itself; others wait for it, for lock_timeout.
SELECT idgen_create('held', refill => 'auto');
BEGIN;
SELECT name FROM id_sequences WHERE name = 'held' FOR UPDATE;
-- gives: held
SELECT idgen_next('held');
-- gives: 1
\other SET lock_timeout = '100ms'; SELECT idgen_next('held');
-- gives: ERROR 55P03: canceling statement due to lock timeout
ROLLBACK;
SELECT idgen_next('held');
-- gives: 1

-- claim: refill "auto" and block_size 1: gapless.
SELECT idgen_create('one', block_size => 1, refill => 'auto');
BEGIN;
SELECT idgen_next('one');
-- gives: 1
ROLLBACK;
SELECT idgen_next('one');
-- gives: 1

-- claim: refill "auto" and source "function": in the calling transaction.
CREATE FUNCTION thousand(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'SELECT 1000::bigint, 1009::bigint';
SELECT idgen_create('fu', source => 'function', source_name => 'thousand', refill => 'auto');
SELECT idgen_next('fu');
-- gives: 1000
