--
-- In a read-only transaction, ids come from temporary sequences only
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE TEMPORARY SEQUENCE temporary_seq INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('row', 1, 'sequence', 'gen_seq'), ('temporary row', 1, 'sequence', 'temporary_seq');
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

SET default_transaction_read_only = on;

-- refused, also with ids in the cache, as by nextval()
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next_big('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('row');
\echo :SQLSTATE
SELECT nextval('gen_seq');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_peek('gen'), idgen_last('gen');

-- not refused: the first draw, one from the cache, refills
SELECT idgen_next('temporary', 'sequence'), idgen_next('temporary', 'sequence');
SELECT nextval('temporary_seq');
SELECT idgen_next_big('temporary', 'sequence'), idgen_next('temporary row'), idgen_next('temporary row');
SELECT count(DISTINCT id) FROM (SELECT idgen_next('temporary', 'sequence') AS id FROM generate_series(1, 100)) AS s;
BEGIN;
SELECT idgen_next('temporary', 'sequence') > 0 AS drawn;
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('temporary', 'sequence') > 0 AS drawn;
COMMIT;

RESET default_transaction_read_only;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

-- the same statement, in one transaction and another
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
EXECUTE draw;
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;
DEALLOCATE draw;

-- a temporary sequence that hides another one
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
CREATE TEMPORARY SEQUENCE gen_seq START 1000 INCREMENT 10;
SET search_path = pg_temp, public;
BEGIN READ ONLY;
EXECUTE draw;
SELECT idgen_next('row');
ROLLBACK;
DROP SEQUENCE pg_temp.gen_seq;
BEGIN READ ONLY;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
DEALLOCATE draw;

DROP SEQUENCE gen_seq, temporary_seq;
DROP EXTENSION idgen;
