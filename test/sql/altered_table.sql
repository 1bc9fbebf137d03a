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
