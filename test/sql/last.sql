--
-- idgen_last: what this session drew last from an id sequence, like currval
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('a', 100, 4), ('b', 200, 4), ('gapless', 1, 1);

SELECT idgen_last('a');
\echo :SQLSTATE
SELECT idgen_last('no such');
\echo :SQLSTATE

-- one for each name
SELECT idgen_next('a'), idgen_next('a'), idgen_next('b');
SELECT idgen_last('a'), idgen_last('b');
SELECT idgen_next('a') AS n, idgen_last('a') AS l, idgen_next('a') AS n, idgen_last('a') AS l;
SELECT idgen_last('gapless');
\echo :SQLSTATE

-- the plain id also after a big one
UPDATE id_sequences SET big_base = 10000000000000000000 WHERE name = 'gapless';
SELECT idgen_next_big('gapless');
SELECT idgen_last('gapless');

-- a failed draw leaves it alone
SELECT idgen_create('end', 1, max_value => 1);
SELECT idgen_next('end');
SELECT idgen_next('end');
\echo :SQLSTATE
SELECT idgen_last('end');

-- not undone by a rollback, as with currval
BEGIN;
SELECT idgen_next('gapless');
ROLLBACK;
SELECT idgen_last('gapless'), idgen_peek('gapless');

-- a restart is no draw
SELECT idgen_restart('b', 1000);
SELECT idgen_last('b');
SELECT idgen_next('b');
SELECT idgen_last('b');

-- it can be asked in a read-only transaction, but not when the row is gone
BEGIN READ ONLY;
SELECT idgen_last('b');
COMMIT;
DELETE FROM id_sequences WHERE name = 'b';
SELECT idgen_last('b');
\echo :SQLSTATE

-- usual use: the child's reference to the row inserted before
CREATE TABLE parent (id bigint PRIMARY KEY DEFAULT idgen_next('a'));
CREATE TABLE child (parent bigint REFERENCES parent DEFAULT idgen_last('a'), n int);
INSERT INTO parent DEFAULT VALUES RETURNING id;
INSERT INTO child (n) VALUES (1), (2) RETURNING parent;

-- another session has drawn none, a new extension neither
\c -
SELECT idgen_last('a');
\echo :SQLSTATE
SELECT idgen_next('a') = idgen_last('a') AS same;
DROP TABLE child, parent;
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('a', 100);
SELECT idgen_last('a');
\echo :SQLSTATE

DROP EXTENSION idgen;
