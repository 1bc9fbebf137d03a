--
-- What drops the cached ids of an id sequence: deleting or renaming its row,
-- a lower next_block_start or max_value. For others only when it commits.
--
-- A cache per session is emptied even by changes that are rolled back, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('other', 1, 10);
CREATE VIEW blocks AS SELECT * FROM idgen_cache ORDER BY name, first_id;
SELECT idgen_next('gen'), idgen_next('other');

-- DELETE, rolled back: in between there is nothing to draw from
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- a new row of that name in the same transaction, rolled back
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 500, 10);
SELECT idgen_next('gen');
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen');

-- and committed
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 500, 10);
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- one after the other
DELETE FROM id_sequences WHERE name = 'gen';
SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10);
SELECT idgen_next('gen');

-- a lower next_block_start, rolled back and committed
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- also a block that the transaction itself has allocated before
SELECT count(idgen_next('gen')) FROM generate_series(1, 9);
BEGIN;
SELECT idgen_next('gen');
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- undone with a savepoint
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET next_block_start = 5 WHERE name = 'gen';
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
RELEASE b;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
TABLE blocks;

-- a lower max_value: what is above it must not be issued
UPDATE id_sequences SET max_value = 5 WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 15 WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 5);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- rename, rolled back and committed: the ids go with neither name
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET name = 'new' WHERE name = 'gen';
SELECT idgen_next('new');
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen');
SELECT idgen_next('new');
\echo :SQLSTATE
UPDATE id_sequences SET name = 'new' WHERE name = 'gen';
TABLE blocks;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('new');

-- the old name may be given to another one, at once or later
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 700, 10);
SELECT idgen_next('gen');
BEGIN;
UPDATE id_sequences SET name = 'newer' WHERE name = 'gen';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 800, 10);
SELECT idgen_next('gen'), idgen_next('newer');
COMMIT;
SELECT idgen_next('gen'), idgen_next('newer');
DELETE FROM id_sequences WHERE name IN ('gen', 'newer');

-- swapping two names in one transaction
UPDATE id_sequences SET next_block_start = 501, max_value = 1000, exhausted = 0 WHERE name = 'new';
BEGIN;
UPDATE id_sequences SET name = 'tmp' WHERE name = 'other';
UPDATE id_sequences SET name = 'other' WHERE name = 'new';
UPDATE id_sequences SET name = 'new' WHERE name = 'tmp';
SELECT idgen_next('new');
COMMIT;
SELECT idgen_next('new'), idgen_next('other');
SELECT name, next_block_start, max_value FROM id_sequences ORDER BY name;

-- the last block of another program leaves the cache alone; what sets that back
-- does not
UPDATE id_sequences SET next_block_start = next_block_start + 20, exhausted = 1;
TABLE blocks;
UPDATE id_sequences SET exhausted = 0;
TABLE blocks;

-- each other column holds for the next id: block_size 1 is gapless from now on
DO $$
DECLARE
	change text;
BEGIN
	FOREACH change IN ARRAY ARRAY['block_size = 5', 'max_value = 10000000', 'source_name = ''x''', 'refill = ''auto''', 'big_base = 100',
		'start_value = 0', 'format = ''{id}''', 'block_size = 1'] LOOP
		PERFORM idgen_next(name) FROM id_sequences;
		ASSERT EXISTS (SELECT FROM blocks), change;
		EXECUTE 'UPDATE id_sequences SET ' || change;
	END LOOP;
END $$;
TABLE blocks;
SELECT idgen_next('new') - next_block_start FROM id_sequences WHERE name = 'new';
SELECT idgen_next('new') - next_block_start FROM id_sequences WHERE name = 'new';
UPDATE id_sequences SET block_size = 5;
SELECT count(idgen_next(name)) FROM id_sequences;
TABLE blocks;

-- TRUNCATE, rolled back and committed
BEGIN;
TRUNCATE id_sequences;
SELECT idgen_next('new');
\echo :SQLSTATE
ROLLBACK;
TABLE blocks;
BEGIN;
TRUNCATE id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('new', 1000);
SELECT idgen_next('new');
COMMIT;
TABLE blocks;
SELECT idgen_next('new');
INSERT INTO id_sequences (name, next_block_start) VALUES ('other', 2000);
SELECT idgen_next('other');

-- after TRUNCATE, draws do not look for the row where it was before
INSERT INTO id_sequences (name, next_block_start) SELECT 'n' || i, 1 FROM generate_series(1, 300) AS i;
BEGIN;
SELECT idgen_next('n300');
TRUNCATE id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('n300', 100);
SELECT idgen_next('n300');
COMMIT;
SELECT idgen_next('n300');

DROP VIEW blocks;
DROP EXTENSION idgen;
