--
-- The owner of id_sequences can rename it and put something else in its place,
-- which is an error for those who draw, and no harm to the server
--
\set SHOW_CONTEXT never
CREATE SCHEMA regress_idgen_schema;
CREATE EXTENSION idgen SCHEMA regress_idgen_schema;
CREATE ROLE regress_idgen_owner;
ALTER TABLE regress_idgen_schema.id_sequences OWNER TO regress_idgen_owner;
GRANT ALL ON SCHEMA regress_idgen_schema TO regress_idgen_owner;
SET search_path = regress_idgen_schema;
SET ROLE regress_idgen_owner;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1);
SELECT idgen_next('gen');
ALTER TABLE id_sequences RENAME TO renamed;
SELECT idgen_next('gen');
\echo :SQLSTATE

-- everything that can have these columns
CREATE TABLE id_sequences (LIKE renamed INCLUDING DEFAULTS, PRIMARY KEY (name)) PARTITION BY LIST (name);
CREATE TABLE part PARTITION OF id_sequences DEFAULT;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT * FROM idgen_cache;
DROP TABLE id_sequences;
CREATE VIEW id_sequences AS SELECT * FROM renamed;
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP VIEW id_sequences;
CREATE MATERIALIZED VIEW id_sequences AS SELECT * FROM renamed;
CREATE UNIQUE INDEX ON id_sequences (name);
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP MATERIALIZED VIEW id_sequences;
CREATE SEQUENCE id_sequences;
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP SEQUENCE id_sequences;

-- a table like it will do, one that is not like it will not
CREATE TABLE id_sequences (name varchar(255) PRIMARY KEY, next_block_start bigint);
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP TABLE id_sequences;
CREATE TABLE id_sequences (LIKE renamed INCLUDING ALL);
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1001);
SELECT idgen_next('gen');
DROP TABLE id_sequences;

-- and the right one, when it is back
ALTER TABLE renamed RENAME TO id_sequences;
SELECT idgen_next('gen');

RESET ROLE;
RESET search_path;
DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_schema;
DROP ROLE regress_idgen_owner;
