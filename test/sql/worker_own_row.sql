--
-- The worker cannot refill from a row that the current transaction keeps from
-- it: the transaction can use what is cached, unless it has made that void, and
-- then gets 55P03 at once
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- a row that nobody else sees yet
BEGIN;
SELECT idgen_create('gen', refill => 'worker');
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen');
\echo :SQLSTATE
BEGIN;
SELECT idgen_create('gen', refill => 'worker');
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('gen');

-- locked: what is cached, and no more
\set VERBOSITY sqlstate
BEGIN;
SELECT next_block_start FROM id_sequences FOR UPDATE;
SELECT array_agg(idgen_next('gen')) FROM generate_series(2, 20);
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- changed as other programs do
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('a', 1, 20, 'worker'), ('b', 1, 20, 'worker');
SELECT idgen_next('a'), idgen_next('b');
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'b';
SELECT array_agg(idgen_next('a')), array_agg(idgen_next('b')) FROM generate_series(2, 20);
ROLLBACK;
SELECT idgen_next('a'), idgen_next('b');
INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('unused', 1, 'worker');
BEGIN;
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'unused';
SELECT idgen_next('unused');
ROLLBACK;
SELECT idgen_next('unused');

-- changed so that what is cached is void
BEGIN;
SAVEPOINT s;
SELECT idgen_restart('a', 101);
SELECT idgen_next('a');
ROLLBACK TO s;
SELECT idgen_next('a');
SAVEPOINT s;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'a';
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
UPDATE id_sequences SET max_value = 1000 WHERE name = 'a';
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
UPDATE id_sequences SET big_base = 5000 WHERE name = 'a';
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
DELETE FROM id_sequences WHERE name = 'a';
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
DELETE FROM id_sequences WHERE name = 'a';
INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('a', 101, 'worker');
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
UPDATE id_sequences SET name = 'c' WHERE name = 'a';
SELECT idgen_next('a');
ROLLBACK TO s;
SAVEPOINT s;
UPDATE id_sequences SET name = 'c' WHERE name = 'a';
SELECT idgen_next('c');
ROLLBACK TO s;
SELECT idgen_next('a');
COMMIT;

-- none is cached: any lock that keeps the worker from updating the row
INSERT INTO id_sequences (name, next_block_start, block_size, refill)
	SELECT 'lock ' || n, 1, 20, 'worker' FROM generate_series(1, 11) AS n;
BEGIN;
SAVEPOINT s;
SELECT name FROM id_sequences WHERE name = 'lock 1' FOR UPDATE;
SELECT idgen_next('lock 1');
ROLLBACK TO s;
SELECT idgen_next('lock 1');
SAVEPOINT s;
SELECT name FROM id_sequences WHERE name = 'lock 2' FOR NO KEY UPDATE;
SELECT idgen_next('lock 2');
ROLLBACK TO s;
SELECT idgen_next('lock 2');
SAVEPOINT s;
SELECT name FROM id_sequences WHERE name = 'lock 3' FOR SHARE;
SELECT idgen_next('lock 3');
ROLLBACK TO s;
SELECT idgen_next('lock 3');
SELECT name FROM id_sequences WHERE name = 'lock 4' FOR KEY SHARE;
SELECT idgen_next('lock 4');

-- others are none of its business
SAVEPOINT s;
SELECT name FROM id_sequences WHERE name = 'lock 5' FOR UPDATE;
SELECT idgen_next('lock 6');
ROLLBACK TO s;
COMMIT;

-- a lock on the table
BEGIN;
SAVEPOINT s;
LOCK TABLE id_sequences IN SHARE MODE;
SELECT idgen_next('lock 7');
ROLLBACK TO s;
SAVEPOINT s;
LOCK TABLE id_sequences;
SELECT idgen_next('lock 10');
ROLLBACK TO s;
LOCK TABLE id_sequences IN SHARE UPDATE EXCLUSIVE MODE;
SELECT idgen_next('lock 11');
COMMIT;

-- a foreign key
CREATE TABLE invoices (id bigint, numbers varchar(255) REFERENCES id_sequences);
BEGIN;
INSERT INTO invoices (numbers) VALUES ('lock 8');
UPDATE invoices SET id = idgen_next('lock 8') RETURNING id;
COMMIT;

-- caught, the transaction goes on
\set VERBOSITY default
BEGIN;
SELECT name FROM id_sequences WHERE name = 'lock 9' FOR UPDATE;
DO $$
BEGIN
	PERFORM idgen_next('lock 9');
EXCEPTION WHEN lock_not_available THEN
	RAISE NOTICE '%', SQLERRM;
END $$;
SELECT idgen_next('lock 8');
COMMIT;
SELECT idgen_next('lock 9');

DROP TABLE invoices;
DROP EXTENSION idgen;
