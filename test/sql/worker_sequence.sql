--
-- refill = 'worker' with a native sequence: the worker calls nextval()
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\getenv inputdir PG_ABS_SRCDIR
\set wait_until :inputdir '/include/wait_until.sql'
\i :wait_until

-- one value for a block of 20
CREATE SEQUENCE gen_seq INCREMENT 20;
INSERT INTO id_sequences (name, next_block_start, source, refill) VALUES ('gen', 1, 'sequence', 'worker');
SELECT idgen_next('gen'), idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;
SELECT currval('gen_seq');
\echo :SQLSTATE
SELECT source, source_name, refill, ids_issued, ids_cached, blocks_taken, refills, waits, prefetch_blocks FROM idgen_stats;

-- refilling ahead
SELECT max(idgen_next('gen')) FROM generate_series(3, 11);
CALL wait_until('last_value > 1 FROM gen_seq');
CALL wait_until('ids_cached = last_value + 19 - 11 FROM gen_seq, idgen_stats');
SELECT waits FROM idgen_stats;

-- never again, whatever is rolled back
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 10000)) AS s;

-- INCREMENT 1: as many values as block_size says
CREATE SEQUENCE single_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source, refill) VALUES ('single', 1, 10, 'sequence', 'worker');
SELECT idgen_next('single');
SELECT last_value FROM single_seq;
SELECT nextval('single_seq');
CREATE TABLE drawn (id bigint);
INSERT INTO drawn VALUES (1), (11);
-- there may be too many pieces for the cache then, but they are counted
INSERT INTO drawn SELECT CASE n % 3 WHEN 0 THEN nextval('single_seq') ELSE idgen_next('single') END FROM generate_series(1, 1000) AS n;
CALL wait_until($$ ids_issued + ids_cached + ids_lost + 1 + 333 = last_value FROM single_seq, idgen_stats WHERE name = 'single' $$);
SELECT count(DISTINCT id) FROM drawn;

-- downwards, by one and by more
CREATE SEQUENCE down_seq INCREMENT -1 MINVALUE -1000;
CREATE SEQUENCE steps_seq INCREMENT -5 MINVALUE -1000;
INSERT INTO id_sequences (name, next_block_start, block_size, source, refill) VALUES
	('down', 1, 10, 'sequence', 'worker'), ('steps', 1, 10, 'sequence', 'worker');
SELECT array_agg(idgen_next('down')), array_agg(idgen_next('steps')) FROM generate_series(1, 12);
SELECT min(down), min(steps), count(DISTINCT down), count(DISTINCT steps)
	FROM (SELECT idgen_next('down') AS down, idgen_next('steps') AS steps FROM generate_series(13, 1000)) AS s;
SELECT idgen_next('down');
\echo :SQLSTATE

-- the last block is short
CREATE SEQUENCE short_seq INCREMENT 20 MAXVALUE 50;
SELECT idgen_create('short', source => 'sequence', refill => 'worker');
SELECT max(idgen_next('short')) FROM generate_series(1, 50);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_peek('short');
\echo :SQLSTATE
ALTER SEQUENCE short_seq MAXVALUE 100;
SELECT idgen_next('short');

-- a cycle
CREATE SEQUENCE cycle_seq INCREMENT 5 MAXVALUE 20 CYCLE;
SELECT idgen_create('cycle', source => 'sequence', refill => 'worker');
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('cycle') AS id FROM generate_series(1, 100)) AS s;

-- restarted, which drops what is cached
SELECT idgen_restart('gen', 501);
SELECT idgen_next('gen'), idgen_next('gen');
ALTER SEQUENCE gen_seq RESTART 1001;
SELECT idgen_next('gen'), idgen_next('gen');

-- dropped and made anew, or another one by that name
DROP SEQUENCE gen_seq;
SELECT idgen_next('gen');
\echo :SQLSTATE
CREATE SEQUENCE gen_seq START 2001 INCREMENT 20;
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'single_seq' WHERE name = 'gen';
SELECT idgen_next('gen') < 2001 AS another;

-- a schema for each tenant: the session says which sequence is meant
CREATE SCHEMA a CREATE SEQUENCE gen_seq START 3001 INCREMENT 20;
CREATE SCHEMA b CREATE SEQUENCE gen_seq START 4001 INCREMENT 20;
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';
SET search_path = a, public;
SELECT idgen_next('gen');
SET search_path = b, public;
SELECT idgen_next('gen');
SELECT count(idgen_next('gen')) FROM generate_series(4002, 4100);
SET search_path = a, public;
SELECT idgen_next('gen');
RESET search_path;
SELECT idgen_next('gen');

-- privileges are asked of the role that draws, not of the owner of the table
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;
GRANT USAGE ON SEQUENCE gen_seq TO regress_idgen_user;
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;
SET ROLE regress_idgen_user;
SELECT count(DISTINCT idgen_next('gen')) FROM generate_series(1, 100);
RESET ROLE;
SET ROLE regress_idgen_owner;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

DROP TABLE drawn;
DROP SCHEMA a, b CASCADE;
DROP PROCEDURE wait_until;
DROP EXTENSION idgen;
DROP SEQUENCE gen_seq, single_seq, down_seq, steps_seq, short_seq, cycle_seq;
DROP ROLE regress_idgen_user, regress_idgen_owner;
