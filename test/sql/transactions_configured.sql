--
-- Draws in transactions that roll back, prepare, or see old rows
--
-- needs test/idgen.conf
--

--
-- PREPARE TRANSACTION: the rest of a block is not published, whichever way the
-- transaction ends; that of a gapless one goes back before
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

\c -
--
-- What a source has allocated that is not undone with the transaction is a gap
-- if that has changed the row, and rolls back. It is counted.
--
CREATE EXTENSION idgen;
CREATE SEQUENCE of_parts INCREMENT BY 20;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('parts', 1, 'sequence', 'public.of_parts');
CREATE VIEW account AS
	SELECT ids_issued, ids_cached, ids_lost, (SELECT last_value FROM of_parts) AS last_value FROM idgen_stats WHERE name = 'parts';

SELECT idgen_next('parts');
BEGIN;
UPDATE id_sequences SET format = '{id}' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

-- the pooling
BEGIN;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

-- to a savepoint
BEGIN;
SAVEPOINT s;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK TO s;
COMMIT;
TABLE account;
BEGIN;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
SAVEPOINT s;
SELECT idgen_next_range('parts', 25);
ROLLBACK TO s;
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

DROP VIEW account;
DROP EXTENSION idgen;
DROP SEQUENCE of_parts;
