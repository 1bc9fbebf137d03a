--
-- What a transaction finds out about a row that it has written itself holds no
-- longer than the row
--
CREATE EXTENSION idgen;

-- a row that was never committed, and another one of the same name
BEGIN;
SELECT idgen_create('gen', big_base => 5000);
SELECT idgen_next_big('gen');
ROLLBACK;
SELECT idgen_create('gen', big_base => 7000);
SELECT idgen_next_big('gen');

-- the same within a savepoint
BEGIN;
SAVEPOINT a;
SELECT idgen_create('sub', big_base => 5000);
SELECT idgen_next_big('sub');
ROLLBACK TO a;
SELECT idgen_create('sub', block_size => 1, big_base => 7000);
SELECT idgen_next_big('sub');
COMMIT;
SELECT idgen_next_big('sub');

-- and with what row security has decided
CREATE ROLE regress_idgen_user;
GRANT INSERT ON id_sequences TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON id_sequences USING (next_block_start < 500);
SET ROLE regress_idgen_user;
BEGIN;
INSERT INTO id_sequences (name, next_block_start) VALUES ('secret', 1);
SELECT idgen_next('secret');
ROLLBACK;
RESET ROLE;
INSERT INTO id_sequences (name, next_block_start) VALUES ('secret', 500);
SET ROLE regress_idgen_user;
SELECT idgen_next('secret');
\echo :SQLSTATE
RESET ROLE;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
