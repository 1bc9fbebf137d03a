--
-- The extension dropped and created again: nothing of the old one's ids
-- remains, unless that is rolled back
--
-- A cache per session is emptied by a change that is rolled back, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT idgen_next('gen') FROM generate_series(1, 3);

-- twice in a session
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_next('gen');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 100);
SELECT idgen_next('gen');

-- in one transaction, where both have drawn
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 200);
SELECT idgen_next('gen');
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');

-- with a pending block of the old one
SELECT count(idgen_next('gen')) FROM generate_series(1, 18);
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 300);
SELECT idgen_next('gen');
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');

-- rolled back
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 1);
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
DROP EXTENSION idgen;
ROLLBACK;
SELECT idgen_next('gen');

-- rolled back to a savepoint: the same ids need not, but must not twice
BEGIN;
SELECT idgen_next('gen') AS before \gset
SAVEPOINT a;
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 1);
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen') AS within \gset
COMMIT;
SELECT idgen_next('gen') AS after \gset
SELECT :before < :within AND :within < :after AS ascending;

-- draws of the new one do not look for the row where the old one's was
INSERT INTO id_sequences (name, next_block_start) SELECT 'n' || i, 1 FROM generate_series(1, 300) AS i;
BEGIN;
SELECT idgen_next('n300');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('n300', 100);
SELECT idgen_next('n300');
COMMIT;
SELECT idgen_next('n300');

DROP EXTENSION idgen;
