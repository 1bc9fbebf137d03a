--
-- Drawing single ids
--

--
-- idgen_next: ids one after the other, taken from the row a block at a time
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- a row is all it takes
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('later', 10001, 4);
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- it goes on where another program has put next_block_start
SELECT idgen_next('later');

-- each name has ids of its own
SELECT idgen_next('gen') AS gen, idgen_next('later') AS later;

-- several calls in one query are several draws
SELECT idgen_next('gen') AS a, idgen_next('gen') AS b, idgen_next('gen') AS c;

-- as many ids as calls, none twice
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 1000)) AS s;

-- 42704, with a hint
SELECT idgen_next('no such');
\echo :SQLSTATE
SELECT idgen_next_big('no such');
\echo :SQLSTATE
SELECT idgen_last('no such');
\echo :SQLSTATE
SELECT idgen_peek('no such');
\echo :SQLSTATE
SELECT idgen_restart('no such', 1);
\echo :SQLSTATE

-- the hint works
SELECT idgen_create('no such');
SELECT idgen_next('no such');

-- other types of name
SELECT idgen_next('no such'::varchar), idgen_next('no such'::name), idgen_next(name => 'no such');
\set VERBOSITY terse
SELECT idgen_next(1);
\set VERBOSITY default
\echo :SQLSTATE

DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- The second argument: which source the id sequence is expected to have
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 100 INCREMENT 10;
CREATE SEQUENCE other_seq START 200 INCREMENT 10;
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record
	LANGUAGE sql AS $$SELECT 300, 309$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('t', 1, 'table', NULL), ('s', 1, 'sequence', 'other_seq'), ('f', 1, 'function', 'public.allocate');

-- the right one
SELECT idgen_next('t', 'table'), idgen_next('s', 'sequence'), idgen_next('f', 'function');
SELECT idgen_next_big('t', 'table'), idgen_next_big('s', 'sequence'), idgen_next_big('f', 'function');
SELECT idgen_peek('t'), idgen_peek('s'), idgen_peek('f');
SELECT idgen_last('t'), idgen_last('s'), idgen_last('f');
SELECT idgen_next('t'), idgen_next('s'), idgen_next('f');

-- another one
SELECT idgen_next('t', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('t', 'function');
\echo :SQLSTATE
SELECT idgen_next('s', 'table');
\echo :SQLSTATE
SELECT idgen_next('s', 'function');
\echo :SQLSTATE
SELECT idgen_next('f', 'table');
\echo :SQLSTATE
SELECT idgen_next_big('s', 'table');
\echo :SQLSTATE

-- one that there is not, or not yet
SELECT idgen_next('t', 'tables');
\echo :SQLSTATE
SELECT idgen_next('t', '');
\echo :SQLSTATE
SELECT idgen_next('t', 'Table');
\echo :SQLSTATE
SELECT idgen_next('t', 'server');
\echo :SQLSTATE

-- none of these has drawn anything
SELECT idgen_next('t'), idgen_next('s'), idgen_next('f');

-- null
SELECT idgen_next('t', NULL), idgen_next(NULL, 'table'), idgen_next_big('t', NULL);
SELECT idgen_next('t');

-- no row: an id sequence only if its source is a native sequence
SELECT idgen_next('gen', 'table');
\echo :SQLSTATE
SELECT idgen_next('gen', 'function');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_last('gen');
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- names and sources from columns, in one call site
CREATE TABLE call (n integer, name text, source text);
INSERT INTO call VALUES (1, 't', 'table'), (2, 's', 'sequence'), (3, 's', 'sequence'), (4, 'f', 'function'),
	(5, NULL, 'table'), (6, 't', NULL), (7, 't', 'table'), (8, 'gen', 'sequence');
SELECT n, name, source, idgen_next(name, source) FROM call ORDER BY n;
SELECT n, source, idgen_next('gen', source) FROM call WHERE source = 'sequence' ORDER BY n;
SELECT n, name, idgen_next(name, 'sequence') FROM call WHERE source = 'sequence' ORDER BY n;
SELECT idgen_next('t', source) FROM (SELECT source FROM call WHERE n IN (1, 2) ORDER BY n) AS c;
\echo :SQLSTATE
CREATE FUNCTION draw(name text, source text) RETURNS bigint LANGUAGE plpgsql AS
	$$BEGIN RETURN idgen_next(name, source); END$$;
SELECT draw('t', 'table'), draw('s', 'sequence'), draw('t', 'table'), draw('t', NULL);
SELECT draw('t', 'sequence');
\echo :SQLSTATE
SELECT draw('t', 'table');

-- without a row, with one, and without, by the same statement
PREPARE draw AS SELECT idgen_next('gen', 'sequence'), idgen_next_big('gen', 'sequence');
EXECUTE draw;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base)
	VALUES ('gen', 1, 'sequence', 'other_seq', 10000);
EXECUTE draw;
UPDATE id_sequences SET source = 'table', source_name = NULL WHERE name = 'gen';
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('gen', 'table'), idgen_next('gen'), idgen_last('gen');
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'table');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own, idgen_last('gen') < 200 AS last;

-- the same, rolled back
BEGIN;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base)
	VALUES ('gen', 1, 'sequence', 'other_seq', 10000);
SELECT idgen_next_big('gen', 'sequence') > 10000 AS of_the_row;
ROLLBACK;
SELECT idgen_next_big('gen', 'sequence') < 200 AS of_its_own;
BEGIN;
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('gen', 1, 'table');
SAVEPOINT a;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'sequence', 'other_seq');
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_next('gen', 'sequence') >= 200 AS of_the_row;
TRUNCATE id_sequences;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;

-- idgen.auto_create makes rows of the source that it knows
SET idgen.auto_create = on;
SELECT idgen_next('gen', 'sequence') < 200 AS of_its_own;
SELECT idgen_next('new', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('new', 'function');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences;
SELECT idgen_next('new', 'table');
SELECT idgen_next('newer');
SELECT idgen_next('gen');
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT name, source, next_block_start FROM id_sequences ORDER BY name;
RESET idgen.auto_create;

-- other types
SELECT idgen_next('gen'::varchar, 'table'::name) < idgen_next(name => 'gen', source => 'table') AS ascending;
\set VERBOSITY terse
SELECT idgen_next('gen', 1);
\set VERBOSITY default
\echo :SQLSTATE

DEALLOCATE draw;
DROP FUNCTION draw, allocate;
DROP TABLE call;
DROP SEQUENCE gen_seq, other_seq;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- idgen_peek: the id that the next call gets, without taking it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);

-- from the row
SELECT idgen_peek('gen'), idgen_peek('gen'), next_block_start FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen');

-- from the cache
SELECT idgen_peek('gen'), idgen_peek('gen');
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT idgen_peek('gen');

-- from the pending block, and after it was undone
BEGIN;
SELECT idgen_next('gen');
SELECT idgen_peek('gen');
SAVEPOINT a;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT idgen_peek('gen');
ROLLBACK TO a;
SELECT idgen_peek('gen');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_peek('gen');
SELECT idgen_next('gen');

-- the same in one statement
SELECT idgen_peek('gen') AS p, idgen_next('gen') AS n, idgen_peek('gen') AS p, idgen_next('gen') AS n;
SELECT idgen_peek('gapless') AS p, idgen_next('gapless') AS n, idgen_peek('gapless') AS p, idgen_next('gapless') AS n;

-- it writes nothing
BEGIN READ ONLY;
SELECT idgen_peek('gen'), idgen_peek('gapless');
COMMIT;
SELECT idgen_peek('gen');

-- after the transaction's own changes of the row
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
SELECT idgen_peek('gen');
SELECT idgen_next('gen');
DELETE FROM id_sequences WHERE name = 'gapless';
SELECT idgen_peek('gapless');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_peek('gapless');

-- it does not count as a draw
SELECT idgen_create('new', 50);
SELECT idgen_peek('new');
SELECT idgen_last('new');
\echo :SQLSTATE

DROP EXTENSION idgen;

\c -
--
-- Ids may be negative, from -2^63 on
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('through zero', -5, 3, 9223372036854775807),
	('smallest', -9223372036854775808, 3, 9223372036854775807),
	('ends', -5, 3, -2),
	('one', -9223372036854775808, 3, -9223372036854775808),
	('gapless', -2, 1, 9223372036854775807);

SELECT idgen_next('through zero') FROM generate_series(1, 8);
SELECT idgen_next('smallest') FROM generate_series(1, 4);
SELECT idgen_next('ends') FROM generate_series(1, 4);
SELECT idgen_next('ends');
\echo :SQLSTATE
SELECT idgen_next('one');
SELECT idgen_next('one');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 4);
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

SELECT idgen_restart('gapless', -100);
SELECT idgen_peek('gapless'), idgen_next('gapless'), idgen_last('gapless');
SELECT idgen_create('created', -10);
SELECT idgen_next_big('created');

DROP EXTENSION idgen;

\c -
--
-- Ids up to 2^63 - 1, and nothing overflows there
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('short', 9223372036854775805, 5),
	('full', 9223372036854775803, 5),
	('last', 9223372036854775807, 20),
	('gapless', 9223372036854775806, 1),
	('huge', 9223372036854775000, 2147483647),
	('bulk', 9223372036854765808, 10);

SELECT idgen_next('short') FROM generate_series(1, 3);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('full') FROM generate_series(1, 5);
SELECT idgen_next('full');
\echo :SQLSTATE
SELECT idgen_peek('last');
SELECT idgen_next('last');
SELECT idgen_next('last');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 2);
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('huge') AS id FROM generate_series(1, 808)) AS s;
SELECT idgen_next('huge');
\echo :SQLSTATE
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 10000)) AS s;
SELECT idgen_next('bulk');
\echo :SQLSTATE
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

-- next_block_start cannot say that the very last id was issued, only exhausted
-- can: taking just that back would issue the id again
UPDATE id_sequences SET exhausted = 0 WHERE name = 'last';
\echo :SQLSTATE
SELECT idgen_next('last');
\echo :SQLSTATE

-- starting again below is all right
UPDATE id_sequences SET next_block_start = 9223372036854775806, exhausted = 0 WHERE name = 'last';
SELECT idgen_next('last') FROM generate_series(1, 2);
SELECT idgen_next('last');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('last', 9223372036854775807);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_restart('last', 9223372036854775806);
SELECT idgen_next('last') FROM generate_series(1, 2);
SELECT idgen_next('last');
\echo :SQLSTATE

-- one id short of the end, next_block_start can say it
INSERT INTO id_sequences (name, next_block_start, block_size, max_value)
	VALUES ('one short', 9223372036854775805, 5, 9223372036854775806);
SELECT idgen_next('one short') FROM generate_series(1, 2);
SELECT idgen_next('one short');
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one short';
UPDATE id_sequences SET max_value = 9223372036854775807, exhausted = 0 WHERE name = 'one short';
SELECT idgen_next('one short');
SELECT idgen_next('one short');
\echo :SQLSTATE

-- the last ids, undone at a savepoint and at the end
SELECT idgen_restart('short', 9223372036854775806);
BEGIN;
SAVEPOINT a;
SELECT idgen_next('short') FROM generate_series(1, 2);
ROLLBACK TO a;
SELECT idgen_next('short');
ROLLBACK;
SELECT idgen_next('short') FROM generate_series(1, 2);
SELECT idgen_next('short');
\echo :SQLSTATE

-- a gapless rest at the very end goes back to the row
SELECT idgen_restart('gapless', 9223372036854775708);
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gapless') AS id FROM generate_series(1, 95)) AS s;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'gapless';
SELECT idgen_next('gapless') FROM generate_series(1, 5);
SELECT idgen_next('gapless');
\echo :SQLSTATE

DROP EXTENSION idgen;

\c -
--
-- No id after max_value: a short last block, then 2200H until the row is right
-- again
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('short', 1, 4, 10);
SELECT idgen_next('short') FROM generate_series(1, 8);
SELECT next_block_start, exhausted FROM id_sequences;

-- the refill that takes the last id says so in the row
SELECT idgen_next('short');
SELECT next_block_start, exhausted FROM id_sequences;
SELECT idgen_peek('short');
SELECT idgen_next('short');

-- from then on, every function that would need an id fails
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next_big('short');
\echo :SQLSTATE
SELECT idgen_peek('short');
\echo :SQLSTATE
SELECT idgen_last('short');

-- neither half of what the hint says is enough
UPDATE id_sequences SET max_value = 14;
SELECT idgen_next('short');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 10, exhausted = 0;
SELECT idgen_next('short');
\echo :SQLSTATE

-- both are: it lives again, to its new end
UPDATE id_sequences SET max_value = 13;
SELECT idgen_next('short') FROM generate_series(1, 3);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences;

-- a last block that is just full, and one with a single id
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('full', 1, 4, 4), ('single', 5, 4, 5), ('gapless', 1, 1, 2);
SELECT idgen_next('full') FROM generate_series(1, 4);
SELECT idgen_next('full');
\echo :SQLSTATE
SELECT idgen_next('single');
SELECT idgen_next('single');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 2);
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

-- in one statement: it fails as a whole, and its ids are issued again
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('one go', 1, 4, 10);
SELECT idgen_next('one go') FROM generate_series(1, 11);
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one go';
SELECT array_agg(id) FROM (SELECT idgen_next('one go') AS id FROM generate_series(1, 10)) AS s;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one go';

-- taking the last id is part of the transaction, like every refill
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('undone', 1, 4, 2);
BEGIN;
SELECT idgen_next('undone') FROM generate_series(1, 2);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'undone';
ROLLBACK;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'undone';
SELECT idgen_next('undone') FROM generate_series(1, 2);

-- next_block_start behind max_value: the same error, until it is not
INSERT INTO id_sequences (name, next_block_start, max_value) VALUES ('behind', 11, 10);
SELECT idgen_next('behind');
\echo :SQLSTATE
SELECT idgen_peek('behind');
\echo :SQLSTATE
UPDATE id_sequences SET next_block_start = 10 WHERE name = 'behind';
SELECT idgen_next('behind');
SELECT idgen_next('behind');
\echo :SQLSTATE

-- exhausted set by hand
INSERT INTO id_sequences (name, next_block_start, exhausted) VALUES ('by hand', 1, 1);
SELECT idgen_next('by hand');
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = 0 WHERE name = 'by hand';
SELECT idgen_next('by hand');

-- a refill that grew large stops at the end as well
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('bulk', 1, 10, 9999);
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 9999)) AS s;
SELECT idgen_next('bulk');
\echo :SQLSTATE

DROP EXTENSION idgen;

\c -
--
-- idgen_next_big: the same ids, plus big_base, exact up to 38 digits
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, big_base) VALUES
	('plain', 1, 20, 0),
	('above bigint', 9223372036854775805, 20, 1),
	('38 digits', 1, 20, 99999999999999999999999999999999999990),
	('negative', 1, 20, -99999999999999999999999999999999999999),
	('above 2^63', 1, 20, 9223372036854775808),
	('gapless', 1, 1, 10000000000000000000);

-- one stream of ids for both functions
SELECT idgen_next('plain'), idgen_next_big('plain'), idgen_next('plain');
SELECT idgen_next_big('above bigint') FROM generate_series(1, 3);
SELECT idgen_next_big('above bigint');
\echo :SQLSTATE
SELECT idgen_next_big('38 digits') FROM generate_series(1, 9);
SELECT idgen_next('38 digits'), idgen_last('38 digits'), idgen_peek('38 digits');
SELECT idgen_next_big('negative') FROM generate_series(1, 2);
SELECT idgen_next_big('gapless') FROM generate_series(1, 2);
SELECT pg_typeof(idgen_next_big('plain'));

-- a new big_base works from the next call
UPDATE id_sequences SET big_base = 20000000000000000000 WHERE name = 'gapless';
SELECT idgen_next_big('gapless');
UPDATE id_sequences SET big_base = 0 WHERE name = 'gapless';
SELECT idgen_next_big('gapless');

-- no fraction, no more than 38 digits, and a number
UPDATE id_sequences SET big_base = 1.5 WHERE name = 'plain';
SELECT big_base FROM id_sequences WHERE name = 'plain';
UPDATE id_sequences SET big_base = 1e38 WHERE name = 'plain';
\echo :SQLSTATE
\set VERBOSITY terse
UPDATE id_sequences SET big_base = 'NaN' WHERE name = 'plain';
\echo :SQLSTATE
\set VERBOSITY default

-- as a column default
CREATE TABLE wide (id numeric(38,0) DEFAULT idgen_next_big('above 2^63'));
INSERT INTO wide SELECT FROM generate_series(1, 2);
SELECT id FROM wide ORDER BY id;

DROP TABLE wide;
DROP EXTENSION idgen;
