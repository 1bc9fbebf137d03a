--
-- A read-only transaction draws nothing, not even from the cache, and is
-- refused with the words of nextval
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE native;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT idgen_next('gen');

BEGIN READ ONLY;
SELECT nextval('native');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_next_big('gen');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_create('new');
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
ROLLBACK;

-- an unknown name is not known, as with nextval
BEGIN READ ONLY;
SELECT idgen_next('no such');
\echo :SQLSTATE
ROLLBACK;

-- in the middle of a transaction that has a pending block
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 20);
SAVEPOINT a;
SET TRANSACTION READ ONLY;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;

SET default_transaction_read_only = on;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET default_transaction_read_only;
SELECT idgen_next('gen');

-- looking is allowed
BEGIN READ ONLY;
SELECT idgen_peek('gen'), idgen_last('gen');
SELECT ids_issued FROM idgen_stats;
SELECT first_id, last_id FROM idgen_cache;
COMMIT;

DROP SEQUENCE native;
DROP EXTENSION idgen;
