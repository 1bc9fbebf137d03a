--
-- What has collided before is left out, also if the next transaction meets a
-- unique violation in a savepoint, and is prepared, and rolled back then
--
-- needs test/idgen.conf
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4);
CREATE TABLE t (id bigint PRIMARY KEY DEFAULT idgen_next('gen'));
INSERT INTO t VALUES (1), (2), (7), (8), (9);

INSERT INTO t DEFAULT VALUES;
INSERT INTO t DEFAULT VALUES;
BEGIN;
INSERT INTO t SELECT idgen_next('gen') FROM generate_series(1, 4) RETURNING id;
SAVEPOINT s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
PREPARE TRANSACTION 'p';
ROLLBACK PREPARED 'p';
SELECT next_block_start FROM id_sequences;
SELECT idgen_next('gen');

DROP TABLE t;
DROP EXTENSION idgen;
