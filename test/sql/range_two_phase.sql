--
-- A range in a transaction that is prepared: the rest of its block is not
-- published, whichever way it ends
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('prepared', 1, 20);
BEGIN;
SELECT * FROM idgen_next_range('prepared', 25);
PREPARE TRANSACTION 'idgen range';
COMMIT PREPARED 'idgen range';
SELECT * FROM idgen_next_range('prepared', 3);
BEGIN;
SELECT * FROM idgen_next_range('prepared', 25);
PREPARE TRANSACTION 'idgen range';
ROLLBACK PREPARED 'idgen range';
SELECT * FROM idgen_next_range('prepared', 30);

DROP EXTENSION idgen;
