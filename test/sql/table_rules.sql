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
