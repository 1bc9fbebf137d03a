--
-- The table id_sequences, changed as any table
--

--
-- id_sequences altered by its owner: what helps works, what breaks it is said
-- clearly
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1);
SELECT idgen_next('gen');

-- another column, which no dump could be restored with
ALTER TABLE id_sequences ADD COLUMN remark text;
\echo :SQLSTATE
CREATE TABLE parent_of_rows (name varchar(255) COLLATE "C" NOT NULL);
ALTER TABLE id_sequences INHERIT parent_of_rows;
ALTER TABLE parent_of_rows ADD COLUMN remark text;
\echo :SQLSTATE
ALTER TABLE id_sequences NO INHERIT parent_of_rows;
DROP TABLE parent_of_rows;
SELECT max(idgen_next('gen')) FROM generate_series(1, 5);

-- indexes on columns that a refill changes must find the row afterwards
CREATE INDEX next_index ON id_sequences (next_block_start);
CREATE UNIQUE INDEX expression_index ON id_sequences ((next_block_start * 2 + exhausted)) WHERE next_block_start > 0;
SELECT max(idgen_next('gen')) FROM generate_series(1, 94);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT name, next_block_start FROM id_sequences WHERE next_block_start = 101;
SELECT name, next_block_start FROM id_sequences WHERE next_block_start * 2 + exhausted = 202 AND next_block_start > 0;
SELECT count(*) FROM id_sequences WHERE next_block_start = 100;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- a unique one is obeyed
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('other', 102, 1);
SELECT idgen_next('gen');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'other';
SELECT idgen_next('gen');
DROP INDEX next_index, expression_index;

-- rewritten in the same transaction
BEGIN;
SELECT max(idgen_next('gen')) FROM generate_series(1, 100);
CLUSTER id_sequences USING id_sequences_pkey;
SELECT idgen_next('gen');
ALTER TABLE id_sequences ALTER COLUMN layout TYPE text USING 'plain';
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');
VACUUM FULL id_sequences;
SELECT idgen_next('gen');
REINDEX TABLE id_sequences;
SELECT idgen_next('gen');

-- a column of a type that has as many bytes, but other values, even a domain
-- with the name of the right one, or of one that has the same values
CREATE TABLE owning (id serial);
SELECT idgen_adopt('owning', 'id');
ALTER TABLE id_sequences ALTER owned_by TYPE macaddr8 USING '01:02:03:04:05:06:07:08';
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP TABLE owning;
CREATE SCHEMA regress_idgen_alike;
CREATE DOMAIN regress_idgen_alike.idgen_column AS macaddr8;
ALTER TABLE id_sequences ALTER owned_by TYPE regress_idgen_alike.idgen_column;
SELECT idgen_next('gen');
CREATE TABLE other (id serial);
DROP TABLE other;
ALTER TABLE id_sequences ALTER owned_by TYPE idgen_column USING NULL;
ALTER TABLE id_sequences ALTER COLUMN layout TYPE varchar(10);
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE id_sequences ALTER COLUMN layout TYPE text;
DROP SCHEMA regress_idgen_alike CASCADE;
SELECT idgen_next('gen');

-- without its key a row cannot be found
BEGIN;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;

-- without its checks it can be wrong
BEGIN;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_block_size_check;
UPDATE id_sequences SET block_size = 0;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_peek('gen');
\echo :SQLSTATE
ROLLBACK TO a;
UPDATE id_sequences SET block_size = -1;
SAVEPOINT b;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO b;
UPDATE id_sequences SET block_size = 1;
SELECT idgen_next('gen');
ROLLBACK;
BEGIN;
ALTER TABLE id_sequences ALTER next_block_start DROP NOT NULL, ALTER layout DROP NOT NULL;
INSERT INTO id_sequences (name, next_block_start) VALUES ('no start', NULL);
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('no layout', 1, NULL);
SAVEPOINT a;
SELECT idgen_next('no start');
\echo :SQLSTATE
ROLLBACK TO a;
UPDATE id_sequences SET block_size = 5 WHERE name = 'no start';
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('no layout');
\echo :SQLSTATE
ROLLBACK;
-- nor does a row without a name bring the server down
BEGIN;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey, ALTER name DROP NOT NULL;
INSERT INTO id_sequences (name, next_block_start) VALUES (NULL, 1);
\echo :SQLSTATE
ROLLBACK;

-- nor does a column of another type, or a primary key of another column
BEGIN;
ALTER TABLE id_sequences ALTER layout DROP DEFAULT, ALTER layout TYPE integer USING 1;
SAVEPOINT a;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('x', 1, 1);
\echo :SQLSTATE
ROLLBACK;
BEGIN;
ALTER TABLE id_sequences DROP COLUMN layout;
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;
BEGIN;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey, ADD PRIMARY KEY (next_block_start);
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;

-- without its triggers too
BEGIN;
ALTER TABLE id_sequences DISABLE TRIGGER ALL;
UPDATE id_sequences SET layout = 'prefix';
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK;

-- none of that has harmed it
SELECT idgen_next('gen');

-- replication needs to know which row an update is of
SET client_min_messages = error;
CREATE PUBLICATION regress_idgen FOR TABLE id_sequences;
RESET client_min_messages;
SELECT idgen_next('gen');
ALTER TABLE id_sequences REPLICA IDENTITY NOTHING;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE id_sequences REPLICA IDENTITY DEFAULT;
SELECT idgen_next('gen');
DROP PUBLICATION regress_idgen;

DROP EXTENSION idgen;

\c -
--
-- id_sequences itself refuses rows that make no id sequence
--
CREATE EXTENSION idgen;

-- what every column is when it is left out
INSERT INTO id_sequences (name, next_block_start) VALUES ('x', 1);
\x on
SELECT * FROM id_sequences;
\x off

-- the row shown with an error says what was inserted; leave it out
\set VERBOSITY terse

-- 23514
INSERT INTO id_sequences (name, next_block_start) VALUES ('', 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('y', 1, 0);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('y', 1, -1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, exhausted) VALUES ('y', 1, 2);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, big_base) VALUES ('y', 1, 'NaN');
\echo :SQLSTATE
UPDATE id_sequences SET name = '';
\echo :SQLSTATE
UPDATE id_sequences SET block_size = 0;
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = -1;
\echo :SQLSTATE
UPDATE id_sequences SET big_base = 'NaN';
\echo :SQLSTATE

-- 23502
INSERT INTO id_sequences (name) VALUES ('y');
\echo :SQLSTATE
INSERT INTO id_sequences (next_block_start) VALUES (1);
\echo :SQLSTATE
UPDATE id_sequences SET next_block_start = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET block_size = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET max_value = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET source = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET refill = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET layout = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET big_base = NULL;
\echo :SQLSTATE

-- 23505: names are compared byte by byte
INSERT INTO id_sequences (name, next_block_start) VALUES ('x', 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('X', 1);

-- 22001, 22003
INSERT INTO id_sequences (name, next_block_start) VALUES (repeat('y', 256), 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 9223372036854775808);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, big_base) VALUES ('y', 1, 1e38);
\echo :SQLSTATE

\set VERBOSITY default

-- 22023, 0A000
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('y', 1, 'x');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('y', 1, 'server', '');
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'x';
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'worker', source = 'function', source_name = 'public.f';
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'x';
\echo :SQLSTATE

-- COPY is no way around
COPY id_sequences (name, next_block_start, layout) FROM stdin;
y	1	sessions
\.
\echo :SQLSTATE

-- nothing has changed, and a null start_value is filled in
UPDATE id_sequences SET next_block_start = 5, start_value = NULL WHERE name = 'x';
SELECT name, next_block_start, start_value FROM id_sequences ORDER BY name;
SELECT idgen_next('x'), idgen_next('X');

DROP EXTENSION idgen;

\c -
--
-- id_sequences in a hierarchy of tables: what is drawn from are the rows of the
-- table itself; and it is no partition, whose rows could move away
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 1);
SELECT idgen_next('gen');

-- as a parent
CREATE TABLE child () INHERITS (id_sequences);
INSERT INTO child (name, next_block_start) VALUES ('child', 1), ('gen', 1001);
SELECT idgen_next('gen');
SELECT idgen_next('child');
\echo :SQLSTATE
SELECT idgen_restart('child', 1);
\echo :SQLSTATE
SELECT idgen_restart('gen', 11);
SELECT name, next_block_start FROM child ORDER BY name;
SELECT idgen_next('gen');
SELECT name, ids_issued FROM idgen_stats;
CREATE TABLE t (id bigint DEFAULT idgen_next('child') NOT NULL, more bigint DEFAULT idgen_next('more') NOT NULL);
SELECT idgen_release('t', 'id');
\echo :SQLSTATE
SELECT idgen_create('more');
INSERT INTO child (name, next_block_start) VALUES ('more', 1);
SELECT idgen_release('t', 'more');
SELECT name FROM child ORDER BY name;
DROP TABLE t;

-- with row security that takes a query
CREATE TABLE hidden (layout text);
INSERT INTO hidden VALUES ('plain');
UPDATE child SET layout = 'session';
CREATE ROLE regress_idgen_user;
GRANT SELECT ON hidden TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON id_sequences USING (layout NOT IN (SELECT h.layout FROM hidden AS h));
SET ROLE regress_idgen_user;
SELECT name, layout FROM id_sequences ORDER BY name;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;
DROP POLICY shown ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DROP TABLE child, hidden;

-- as a child
CREATE TABLE parent (LIKE id_sequences INCLUDING CONSTRAINTS);
ALTER TABLE id_sequences INHERIT parent;
SELECT idgen_next('gen');
UPDATE parent SET next_block_start = 21 WHERE name = 'gen';
SELECT idgen_next('gen');
ALTER TABLE id_sequences NO INHERIT parent;
DROP TABLE parent;

-- as a partition
CREATE TABLE parent (LIKE id_sequences) PARTITION BY LIST (name);
ALTER TABLE parent ATTACH PARTITION id_sequences FOR VALUES IN ('gen');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
ALTER TABLE parent DETACH PARTITION id_sequences;
SELECT idgen_next('gen');

DROP TABLE parent;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
--
-- The table is looked for by its name, in the schema of the functions
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('x', 1, 1);
SELECT idgen_next('x');

ALTER TABLE id_sequences RENAME TO renamed;
SELECT idgen_next('x');
\echo :SQLSTATE
SELECT idgen_create('y');
\echo :SQLSTATE
-- nor is another one taken that is in the search_path
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.id_sequences (LIKE renamed INCLUDING ALL);
SET search_path = elsewhere, public;
SELECT idgen_next('x');
\echo :SQLSTATE
RESET search_path;

-- when it is back, it goes on
ALTER TABLE renamed RENAME TO id_sequences;
SELECT idgen_next('x');

-- in another schema it is not found either
ALTER EXTENSION idgen DROP TABLE id_sequences;
DROP TABLE elsewhere.id_sequences;
ALTER TABLE id_sequences SET SCHEMA elsewhere;
SELECT idgen_next('x');
\echo :SQLSTATE
ALTER TABLE elsewhere.id_sequences SET SCHEMA public;
ALTER EXTENSION idgen ADD TABLE id_sequences;
SELECT idgen_next('x');

DROP SCHEMA elsewhere;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Rules on id_sequences, made by its owner: what is not done because of them is
-- said
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('x', 1, 1);

-- a refill is no UPDATE of SQL, a row of auto_create no INSERT
CREATE RULE r AS ON UPDATE TO id_sequences DO INSTEAD NOTHING;
SELECT idgen_next('x');
\set SHOW_CONTEXT never
SELECT idgen_restart('x', 10);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_next('x');
DROP RULE r ON id_sequences;
CREATE RULE r AS ON INSERT TO id_sequences DO INSTEAD NOTHING;
SET idgen.auto_create = on;
SELECT idgen_next('y');
RESET idgen.auto_create;
DROP RULE r ON id_sequences;

-- rules that do something else besides are in nobody's way
CREATE TABLE noted (what text);
CREATE RULE r AS ON INSERT TO id_sequences DO ALSO INSERT INTO noted VALUES (new.name);
CREATE RULE r2 AS ON UPDATE TO id_sequences DO ALSO INSERT INTO noted VALUES (new.next_block_start);
INSERT INTO id_sequences (name, next_block_start) VALUES ('z', 1);
SELECT idgen_restart('x', 10);
SELECT idgen_next('x');
TABLE noted;

DROP RULE r ON id_sequences;
DROP RULE r2 ON id_sequences;
DROP TABLE noted;
DROP EXTENSION idgen;
