--
-- A read-only transaction gets no ids, though it would be the worker that
-- writes
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
BEGIN READ ONLY;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_peek('gen');
ROLLBACK;
SELECT next_block_start FROM id_sequences;

-- with cached ids, too
PREPARE draw AS SELECT idgen_next('gen');
EXECUTE draw;
BEGIN READ ONLY;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next_big('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_peek('gen'), idgen_last('gen');
COMMIT;
SET default_transaction_read_only = on;
EXECUTE draw;
\echo :SQLSTATE
RESET default_transaction_read_only;
EXECUTE draw;

-- a native sequence
CREATE SEQUENCE native_seq INCREMENT 20;
SELECT idgen_create('native', source => 'sequence', refill => 'worker');
BEGIN READ ONLY;
SELECT idgen_next('native');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('native');
BEGIN READ ONLY;
SELECT idgen_next('native');
\echo :SQLSTATE
ROLLBACK;

DEALLOCATE draw;
DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
