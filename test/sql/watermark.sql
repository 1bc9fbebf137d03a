--
-- idgen_watermark: up to which id none will appear any more
--
-- needs test/idgen.conf
CREATE EXTENSION idgen;
\set VERBOSITY terse
SELECT idgen_create('outbox', watermark => true);
SELECT idgen_watermark('outbox');
SELECT idgen_next('outbox') FROM generate_series(1, 3);
SELECT idgen_watermark('outbox');

-- what the transaction itself has drawn is in progress
BEGIN;
SELECT idgen_next('outbox');
SELECT idgen_watermark('outbox');
SELECT first_id, last_id FROM idgen_next_range('outbox', 50);
SELECT idgen_watermark('outbox');
ROLLBACK;
SELECT idgen_watermark('outbox');
SELECT idgen_next('outbox');
SELECT idgen_watermark('outbox');

-- the last ids there are
SELECT idgen_create('few', block_size => 2, max_value => 3, watermark => true);
SELECT idgen_next('few') FROM generate_series(1, 3);
SELECT idgen_watermark('few');
SELECT idgen_create('greatest', 9223372036854775807, watermark => true);
SELECT idgen_watermark('greatest');
SELECT idgen_next('greatest');
SELECT idgen_watermark('greatest');

-- gapless ids, and refills by a worker
SELECT idgen_create('gapless', block_size => 1, early_release => true, watermark => true), idgen_create('auto', refill => 'auto', watermark => true);
BEGIN;
SELECT idgen_next('gapless'), idgen_next('auto');
SELECT idgen_watermark('gapless'), idgen_watermark('auto');
COMMIT;
SELECT idgen_watermark('gapless'), idgen_watermark('auto');

-- native sequences
CREATE SEQUENCE native_seq INCREMENT BY 10 MAXVALUE 25;
SELECT idgen_create('native', source => 'sequence', watermark => true);
SELECT idgen_watermark('native');
SELECT idgen_next('native') FROM generate_series(1, 12);
SELECT idgen_watermark('native');
SELECT idgen_next('native') FROM generate_series(1, 13);
SELECT idgen_watermark('native');
ALTER SEQUENCE native_seq CYCLE;
SELECT idgen_watermark('native');
SELECT idgen_next('native');
ALTER SEQUENCE native_seq NO CYCLE CACHE 2;
SELECT idgen_watermark('native');
ALTER SEQUENCE native_seq CACHE 1;
DROP SEQUENCE native_seq;
CREATE SEQUENCE native_seq INCREMENT BY -1;
SELECT idgen_watermark('native');
SELECT idgen_next('native'), idgen_next('native');

-- children of templates and of rows with periods
SELECT idgen_create('tenant/*', watermark => true), idgen_create('daily', period => 'day', watermark => true);
SELECT idgen_next('tenant/7'), idgen_next('daily') > 0;
SELECT idgen_watermark('tenant/7');
SELECT idgen_watermark('daily');
SELECT idgen_watermark('tenant/*');
UPDATE id_sequences SET watermark = false WHERE name = 'tenant/*';
SELECT idgen_apply_template('tenant/*');
SELECT idgen_watermark('tenant/7');

-- it goes back only with what makes ids void
SELECT idgen_restart('outbox', 2);
SELECT idgen_watermark('outbox');

-- where none can be told
SELECT idgen_create('prefixed', layout => 'prefixed', watermark => true);
SELECT idgen_create('null', watermark => NULL);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'SELECT 1::bigint, 2::bigint';
SELECT idgen_create('fun', source => 'function', source_name => 'allocate', watermark => true);
UPDATE id_sequences SET layout = 'session' WHERE name = 'outbox';
SELECT idgen_create('plain');
SELECT idgen_watermark('plain');
SELECT idgen_watermark('none');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT idgen_watermark('outbox');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT idgen_watermark('outbox');
ROLLBACK;

-- what this transaction has done to the row does not count
BEGIN;
SELECT idgen_restart('outbox', 1000);
SELECT idgen_watermark('outbox');
ROLLBACK;
UPDATE id_sequences SET exhausted = 1 WHERE name = 'outbox';
SELECT idgen_watermark('outbox') < 1000 AS low;
UPDATE id_sequences SET exhausted = 0 WHERE name = 'outbox';
UPDATE id_sequences SET max_value = 100, exhausted = 0 WHERE name = 'few';
SELECT idgen_watermark('few') < idgen_next('few') AS below;

-- a row that a draw makes may be prepared
UPDATE id_sequences SET watermark = true WHERE name = 'tenant/*';
BEGIN;
SELECT idgen_next('tenant/8');
PREPARE TRANSACTION 'made';
COMMIT PREPARED 'made';
SELECT idgen_watermark('tenant/8');

-- the end of a native sequence is not in the way of what is cached
CREATE SEQUENCE ends_seq INCREMENT BY 50 MAXVALUE 100;
SELECT idgen_create('ends', source => 'sequence', watermark => true);
SELECT idgen_watermark('ends');
SELECT count(idgen_next('ends')) FROM generate_series(1, 100);
SELECT idgen_watermark('ends');
DROP SEQUENCE ends_seq;

-- a session that has drawn before it learns of the watermark may have done so
-- in this very transaction
SELECT idgen_next('plain');
BEGIN;
SELECT idgen_next('plain');
UPDATE id_sequences SET watermark = true WHERE name = 'plain';
COMMIT;
SELECT idgen_watermark('plain');
SELECT idgen_watermark('plain');
BEGIN;
UPDATE id_sequences SET watermark = false WHERE name = 'plain';
UPDATE id_sequences SET watermark = true WHERE name = 'plain';
PREPARE TRANSACTION 'watermark';

-- who sees what
SELECT name, watermark, lag, held_by_pid, held_by_transaction FROM idgen_watermarks WHERE name IN ('outbox', 'gapless', 'few');
BEGIN;
SELECT idgen_next('outbox');
SELECT name, watermark, lag, held_by_pid = pg_backend_pid() AS own, held_since = now() AS now FROM idgen_watermarks WHERE name = 'outbox';
SELECT count(*) FROM idgen_health WHERE problem_kind = 'watermark_held';
SELECT pg_sleep(1.1);
SET LOCAL idgen.warn_watermark = 1;
SELECT regexp_replace(regexp_replace(problem, '\d{4,}\D', 'N', 'g'), 'since .*: ', 'since …: ') FROM idgen_health WHERE problem_kind = 'watermark_held';
COMMIT;
CREATE ROLE regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT idgen_watermark('outbox');
SELECT name, watermark FROM idgen_watermarks WHERE name = 'outbox';
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_reader;
SELECT idgen_watermark('outbox');
RESET ROLE;
DROP ROLE regress_idgen_reader;
DROP FUNCTION allocate(text, integer);
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
