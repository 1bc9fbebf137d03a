--
-- PREPARE TRANSACTION: the rest of a block is not published, whichever way the
-- transaction ends; that of a gapless one goes back before
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1), ('undone', 1, 10);
CREATE VIEW blocks AS SELECT * FROM idgen_cache ORDER BY name, first_id;
SELECT idgen_next('gen');

BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 12);
SELECT max(idgen_next('gapless')) FROM generate_series(1, 100);
PREPARE TRANSACTION 'regress_idgen';
TABLE blocks;
SELECT name, ids_lost, ids_lost_prepared FROM idgen_stats ORDER BY name;
COMMIT PREPARED 'regress_idgen';
TABLE blocks;
SELECT name, next_block_start FROM id_sequences ORDER BY name;
SELECT idgen_next('gen'), idgen_next('gapless');

-- rolled back, the ids are issued again
BEGIN;
SELECT idgen_next('undone') FROM generate_series(1, 3);
SELECT max(idgen_next('gapless')) FROM generate_series(1, 100);
PREPARE TRANSACTION 'regress_idgen';
TABLE blocks;
ROLLBACK PREPARED 'regress_idgen';
TABLE blocks;
SELECT name, next_block_start FROM id_sequences ORDER BY name;
SELECT idgen_next('undone'), idgen_next('gapless');

-- ids drawn from the cache alone are no obstacle
BEGIN;
SELECT idgen_next('undone');
PREPARE TRANSACTION 'regress_idgen';
TABLE blocks;
ROLLBACK PREPARED 'regress_idgen';
SELECT idgen_next('undone');

-- in between, the row is locked, but that concerns no other id sequence
BEGIN;
SELECT idgen_restart('undone', 100);
SELECT idgen_next('undone');
PREPARE TRANSACTION 'regress_idgen';
SET lock_timeout = '10ms';
SELECT idgen_next('gen') > 0 AS others_go_on;
\set VERBOSITY sqlstate
SELECT idgen_next('undone');
\set VERBOSITY default
RESET lock_timeout;
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('undone') > 100 AS restarted;

DROP VIEW blocks;
DROP EXTENSION idgen;
