--
-- A block belongs to the transaction that allocated it until that commits, and
-- is forgotten when it does not
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- pending
BEGIN;
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;

-- forgotten: the row is as before, and the ids are issued again
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
TABLE blocks;
COMMIT;

-- published
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- an id drawn from a published block stays drawn, whatever becomes of the
-- transaction
BEGIN;
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;
SELECT idgen_next('gen');

-- the last published id and a new block in one transaction, undone
SELECT idgen_next('gen') FROM generate_series(1, 3);
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 3);
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- an error undoes as well
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT idgen_next('gen') / 0;
SELECT idgen_next('gen');

-- gapless ids are issued again one by one
SELECT idgen_next('gapless');
BEGIN;
SELECT idgen_next('gapless'), idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');

-- a block that was used up leaves nothing to publish
SELECT idgen_restart('gen', 101);
BEGIN;
SELECT idgen_next('gen') FROM generate_series(1, 4);
COMMIT;
TABLE blocks;
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- COMMIT of a failed transaction, and AND CHAIN
BEGIN;
SELECT idgen_next('gen');
SELECT 1 / 0;
COMMIT;
BEGIN;
SELECT idgen_next('gen');
ROLLBACK AND CHAIN;
SELECT idgen_next('gen');
COMMIT AND CHAIN;
SELECT idgen_next('gen');
ROLLBACK;
TABLE blocks;

DROP VIEW blocks;
DROP EXTENSION idgen;
