--
-- idgen_restart of id sequences with source "sequence": transactional, unlike
-- setval()
--
-- A cache per session is emptied by restarts that are rolled back, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 10 MINVALUE 1 MAXVALUE 1000;
SELECT idgen_next('gen', 'sequence');

-- without a row, there is nothing of that name to restart or to look at, as
-- with idgen_next of the name alone; but ALTER SEQUENCE restarts it
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 500);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence'), nextval('gen_seq');
ALTER SEQUENCE gen_seq RESTART WITH 500;
SELECT idgen_next('gen', 'sequence'), nextval('gen_seq'), idgen_next('gen', 'sequence');

-- START is where it was
SELECT start_value FROM pg_sequences WHERE sequencename = 'gen_seq';

-- with a row, which stays as it is
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('gen', 77, 'sequence');
SELECT idgen_restart('gen', 100);
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 200);
SELECT idgen_next('gen');
SELECT next_block_start FROM id_sequences;

-- out of bounds
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 0);
\echo :SQLSTATE
SELECT idgen_restart('gen', 1001);
\echo :SQLSTATE
SELECT idgen_restart('gen', -9223372036854775808);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 1000);
SELECT idgen_next('gen');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen');

-- rolled back: as if nothing had been, but what was drawn before stays drawn
BEGIN;
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 300);
SELECT idgen_next('gen'), idgen_next('gen');
SELECT last_value FROM gen_seq;
ROLLBACK;
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;

-- a savepoint, rolled back and released
BEGIN;
SELECT idgen_restart('gen', 400);
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_restart('gen', 500);
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_restart('gen', 600);
SELECT idgen_next('gen');
ROLLBACK TO b;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
RELEASE a;
SAVEPOINT c;
SELECT idgen_restart('gen', 700);
RELEASE c;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
SELECT * FROM idgen_cache;

-- only within a savepoint that is rolled back
BEGIN;
SAVEPOINT a;
SELECT idgen_restart('gen', 1);
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- in an exception block
DO $$
BEGIN
	PERFORM idgen_restart('gen', 1);
	PERFORM idgen_next('gen');
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE '%', idgen_next('gen');
END$$;

-- several in one transaction, drawn from in between or not
BEGIN;
SELECT idgen_restart('gen', 1), idgen_next('gen'), idgen_restart('gen', 50), idgen_restart('gen', 60);
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- descending
CREATE SEQUENCE down_seq INCREMENT -10;
SELECT idgen_next('down', 'sequence');
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('down', 1, 1, 'sequence');
SELECT idgen_restart('down', -500);
SELECT idgen_next('down'), idgen_next('down');

-- null does nothing
SELECT idgen_restart('gen', NULL), idgen_restart(NULL, 1);
SELECT idgen_next('gen');

DROP SEQUENCE gen_seq, down_seq;
DROP EXTENSION idgen;
