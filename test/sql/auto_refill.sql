--
-- refill = 'auto' where no worker refills: as refill = 'transaction'
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- gapless with block_size 1: the session refills in any case
SELECT idgen_create('gapless', block_size => 1, refill => 'auto');
SELECT idgen_next('gapless');
BEGIN;
SELECT array_agg(idgen_next('gapless')) FROM generate_series(2, 5);
SAVEPOINT a;
SELECT idgen_next('gapless');
ROLLBACK TO a;
SELECT idgen_next('gapless');
ROLLBACK;
SELECT idgen_next('gapless');
SELECT next_block_start FROM id_sequences;
SELECT count(*) FROM idgen_cache;

-- source function: in the calling transaction, whose rights it has
CREATE TABLE counter (next_id bigint);
INSERT INTO counter VALUES (1);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + blocks * 3 RETURNING next_id - blocks * 3, next_id - 1
$$;
SELECT idgen_create('allocated', source => 'function', source_name => 'allocate', refill => 'auto');
BEGIN;
SELECT idgen_next('allocated');
ROLLBACK;
SELECT idgen_next('allocated');
SELECT next_id FROM counter;

-- temporary sequences
CREATE TEMPORARY SEQUENCE temporary_seq INCREMENT BY 10;
SELECT idgen_create('temporary', source => 'sequence', refill => 'auto');
SELECT idgen_next('temporary');

-- the transaction that makes or changes the row: refills are its own
BEGIN;
SELECT idgen_create('gen', block_size => 3, refill => 'auto');
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 4);
COMMIT;
SELECT array_agg(idgen_next('gen')) FROM generate_series(5, 6);
BEGIN;
UPDATE id_sequences SET big_base = 1000 WHERE name = 'gen';
SELECT idgen_next_big('gen');
ROLLBACK;
BEGIN;
SELECT idgen_restart('gen', 101);
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 4);
ROLLBACK;
BEGIN;
SELECT next_block_start FROM id_sequences WHERE name = 'gen' FOR UPDATE;
SELECT idgen_next('gen') AS id \gset
SELECT idgen_next('gen') = :id + 1 AS goes_on FROM id_sequences WHERE name = 'gen';
COMMIT;

-- without a row that says so: the settings
SHOW idgen.default_refill;
SELECT idgen_create('by default');
SET idgen.default_refill = 'auto';
SELECT idgen_create('by setting'), idgen_create('null', refill => NULL), idgen_create('said', refill => 'transaction');
SET idgen.auto_create = on;
SET idgen.default_block_size = 1;
SELECT idgen_next('made');
RESET idgen.auto_create;
RESET idgen.default_block_size;
SET idgen.default_refill = 'worker';
SELECT idgen_create('strict'), idgen_create('function', source => 'function', source_name => 'allocate');
INSERT INTO id_sequences (name, next_block_start) VALUES ('inserted', 1);
SELECT name, refill FROM id_sequences WHERE name IN ('by default', 'by setting', 'null', 'said', 'made', 'strict', 'function', 'inserted') ORDER BY name;
SET idgen.default_refill = 'both';
\echo :SQLSTATE
RESET idgen.default_refill;
\set VERBOSITY sqlstate
SET idgen.worker_start_timeout = -2;
\set VERBOSITY default
UPDATE id_sequences SET refill = 'automatic' WHERE name = 'gen';
\echo :SQLSTATE

-- what is said of it
SELECT name, refill, prefetch_blocks FROM idgen_stats WHERE name IN ('allocated', 'gen') ORDER BY name;

-- moved columns have it
CREATE TABLE orders (id serial PRIMARY KEY, number serial, item text);
SELECT idgen_adopt('orders', 'id');
SELECT idgen_adopt('orders', 'number', 'numbers', 'transaction');
SELECT name, refill FROM id_sequences WHERE name IN ('public.orders.id', 'numbers') ORDER BY name;
INSERT INTO orders (item) VALUES ('nail') RETURNING id, number;
SELECT idgen_adopt('orders', 'item', refill => 'sometimes');
\echo :SQLSTATE
SELECT idgen_adopt('orders', 'item', refill => NULL);
\echo :SQLSTATE

DROP TABLE orders, counter;
DROP EXTENSION idgen;
DROP FUNCTION allocate;
