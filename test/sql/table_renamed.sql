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
