--
-- A transaction that has created, altered or restarted a native sequence draws
-- from the new state by itself, until it commits
--
-- A cache per session is emptied by changes that are rolled back, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence');
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- created and committed
BEGIN;
CREATE SEQUENCE gen_seq INCREMENT 10;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- altered and committed: what others had cached is gone then, not before
BEGIN;
ALTER SEQUENCE gen_seq RESTART 100;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_peek('gen'), idgen_last('gen');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- several blocks
BEGIN;
ALTER SEQUENCE gen_seq RESTART 200;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 25);
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- rolled back: the old ids go on
BEGIN;
ALTER SEQUENCE gen_seq RESTART 300 INCREMENT 5;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 12);
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

-- drawn from before: the ids left are those of the old state
BEGIN;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 400;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 500;
SELECT idgen_next('gen', 'sequence');
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- drawn from, and then changed once more: what is left is void
BEGIN;
CREATE SEQUENCE again_seq INCREMENT 10;
SELECT idgen_next('again', 'sequence');
ALTER SEQUENCE again_seq RESTART;
COMMIT;
SELECT idgen_next('again', 'sequence');
BEGIN;
ALTER SEQUENCE again_seq RESTART;
SELECT idgen_next('again', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE again_seq RESTART;
RELEASE a;
COMMIT;
SELECT idgen_next('again', 'sequence');
BEGIN;
ALTER SEQUENCE again_seq RESTART;
SELECT idgen_next('again', 'sequence');
DROP SEQUENCE again_seq;
COMMIT;
SELECT first_id, last_id, state FROM blocks WHERE name = 'again';

-- the same, undone by a savepoint: what is left is good
BEGIN;
ALTER SEQUENCE gen_seq RESTART 560;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE gen_seq RESTART 560;
ROLLBACK TO a;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- savepoints
BEGIN;
ALTER SEQUENCE gen_seq RESTART 600;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq RESTART 700;
SELECT idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT b;
ALTER SEQUENCE gen_seq RESTART 800;
RELEASE b;
SELECT idgen_next('gen', 'sequence');
COMMIT;
TABLE blocks;

-- altered in a savepoint that is rolled back, and drawn from there
BEGIN;
SELECT idgen_next('gen', 'sequence');
SAVEPOINT a;
ALTER SEQUENCE gen_seq RESTART 900;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen', 'sequence');
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 10);
COMMIT;
TABLE blocks;

-- created in a savepoint, released and rolled back
BEGIN;
SAVEPOINT a;
CREATE SEQUENCE new_seq INCREMENT 10;
SELECT idgen_next('new', 'sequence');
RELEASE a;
SELECT idgen_next('new', 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
BEGIN;
DROP SEQUENCE new_seq;
SAVEPOINT a;
CREATE SEQUENCE new_seq START 1000 INCREMENT 10;
SELECT idgen_next('new', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('new', 'sequence');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('new', 'sequence');

-- a truncated table
CREATE TABLE orders (id bigint DEFAULT nextval('new_seq'));
ALTER SEQUENCE new_seq OWNED BY orders.id;
BEGIN;
TRUNCATE orders RESTART IDENTITY;
SELECT idgen_next('new', 'sequence');
ROLLBACK;
SELECT idgen_next('new', 'sequence');
BEGIN;
TRUNCATE orders RESTART IDENTITY;
SELECT idgen_next('new', 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
BEGIN;
TRUNCATE orders RESTART IDENTITY;
COMMIT;
SELECT idgen_next('new', 'sequence');

-- one value at a time
CREATE SEQUENCE runs_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('runs', 1, 10, 'sequence');
SELECT idgen_next('runs');
BEGIN;
ALTER SEQUENCE runs_seq RESTART 100;
SELECT idgen_next('runs');
SELECT first_id, last_id, state FROM blocks WHERE name = 'runs';
SELECT last_value FROM runs_seq;
ROLLBACK;
SELECT idgen_next('runs');
SELECT last_value FROM runs_seq;
BEGIN;
ALTER SEQUENCE runs_seq RESTART 100;
SELECT idgen_next('runs');
SELECT nextval('runs_seq');
COMMIT;
SELECT idgen_next('runs'), idgen_next('runs');
SELECT first_id, last_id, state FROM blocks WHERE name = 'runs';

-- two names of one sequence
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('other', 1, 'sequence', 'gen_seq');
SELECT idgen_next('other') > 0 AS drawn;
BEGIN;
ALTER SEQUENCE gen_seq RESTART 3000;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');
COMMIT;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');
BEGIN;
ALTER SEQUENCE gen_seq RESTART 4000;
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen', 'sequence'), idgen_next('other');

-- bulk loads
BEGIN;
ALTER SEQUENCE gen_seq RESTART 10001;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen', 'sequence') AS id FROM generate_series(1, 1005)) AS s;
COMMIT;
SELECT idgen_next('gen', 'sequence');
SELECT last_value FROM gen_seq;

DROP VIEW blocks;
DROP TABLE orders;
DROP SEQUENCE gen_seq, runs_seq;
DROP EXTENSION idgen;
