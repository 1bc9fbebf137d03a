--
-- PREPARE TRANSACTION: the blocks that a transaction has had from a server have
-- been for all, so others go on with them, however it ends
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 5);
SELECT idgen_create('gen', source => 'server', source_name => 'central');

BEGIN;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 7);
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('gen');
ROLLBACK PREPARED 'regress_idgen';
SELECT idgen_next('gen');
BEGIN;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 7);
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('gen');
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('gen');
SELECT ids_lost FROM idgen_stats;

-- a row of the prepared transaction's own
BEGIN;
SELECT idgen_create('mine', source => 'server', source_name => 'central');
INSERT INTO centre.id_sequences VALUES ('mine', 1, 5);
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('mine');
\echo :SQLSTATE
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('mine');

-- a row that it deletes: others may go on meanwhile, and a gap is left
BEGIN;
DELETE FROM id_sequences WHERE name = 'mine';
SELECT idgen_create('mine', source => 'server', source_name => 'central');
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('mine');
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('mine') > 6 AS drawn;

-- or whose source it changes
BEGIN;
UPDATE id_sequences SET source = 'table', next_block_start = 1001 WHERE name = 'mine';
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('mine') < 1000 AS by_the_old_row;
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('mine');
UPDATE id_sequences SET source = 'server' WHERE name = 'mine';

-- a server that it alters
UPDATE centre.id_sequences SET block_size = 1, next_block_start = CASE WHEN name = 'gen' THEN 2001 ELSE 3001 END;
SELECT idgen_next('mine');
BEGIN;
ALTER SERVER central OPTIONS (ADD remote_name 'gen');
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('mine');
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('mine');

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
