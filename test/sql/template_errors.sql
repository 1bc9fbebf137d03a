--
-- Templates: nobody draws from one, and what makes none
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('t/*');
SELECT idgen_next('t/*');
\echo :SQLSTATE
\set VERBOSITY sqlstate
SELECT idgen_next('t/*', 'table');
SELECT idgen_next('t/*', 'sequence');
SELECT idgen_next_big('t/*');
SELECT idgen_next_big('t/*', 'table');
SELECT idgen_next_range('t/*', 2);
SELECT idgen_peek('t/*');
SELECT idgen_last('t/*');
SELECT idgen_restart('t/*', 1);

-- be there one or not, also where it would match another, or is to be made
SELECT idgen_next('unknown/*');
SELECT idgen_next('t/x/*');
SELECT idgen_next('/*');
SELECT idgen_next('*');
SET idgen.auto_create = on;
SELECT idgen_next('unknown/*');
RESET idgen.auto_create;
CREATE TABLE documents (id bigint DEFAULT idgen_next('t/*'));
INSERT INTO documents DEFAULT VALUES;
COPY documents FROM stdin;
1
\.
COPY documents (id) FROM PROGRAM 'true';
PREPARE draw AS SELECT idgen_next('t/*');
EXECUTE draw;
\set VERBOSITY default
SELECT name FROM id_sequences ORDER BY name;

-- a row that becomes one, and one that is one no longer
SELECT idgen_create('u', block_size => 1);
SELECT idgen_next('u');
UPDATE id_sequences SET name = 'u/*' WHERE name = 'u';
SELECT idgen_next('u');
\echo :SQLSTATE
SELECT idgen_next('u/*');
\echo :SQLSTATE
SELECT idgen_next('u/x');
UPDATE id_sequences SET name = 'u' WHERE name = 'u/*';
SELECT idgen_next('u'), idgen_next('u/x');
SELECT idgen_next('u/y');
\echo :SQLSTATE

-- what is for templates, and what is not
SELECT idgen_create('plain', max_children => 5);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, max_children) VALUES ('plain', 1, 5);
\echo :SQLSTATE
SELECT idgen_create('few/*', max_children => 0);
\echo :SQLSTATE
SELECT idgen_create('few/*', max_children => 5);
UPDATE id_sequences SET name = 'few' WHERE name = 'few/*';
\echo :SQLSTATE
UPDATE id_sequences SET name = 'few', max_children = NULL WHERE name = 'few/*';
SELECT idgen_create('owned/*', owned_by => 'documents.id');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('owned/*', 1, 'documents.id');
UPDATE id_sequences SET owned_by = 'documents.id' WHERE name = 't/*';
\echo :SQLSTATE
SELECT name, owned_by FROM id_sequences WHERE name LIKE 'owned%';
ALTER TABLE documents ALTER id DROP DEFAULT;
SELECT idgen_adopt('documents', 'id', name => 'adopted/*');
\echo :SQLSTATE

-- a child that is wrong from the start
SELECT idgen_create('full/*', next_block_start => 11, max_value => 10, exhausted => 1);
SELECT idgen_next('full/x');
\echo :SQLSTATE
SELECT idgen_create('wide/*', next_block_start => 100000000000000, layout => 'session');
SELECT idgen_next('wide/x');
\echo :SQLSTATE
SELECT name FROM id_sequences WHERE name IN ('full/x', 'wide/x');

-- the source that is asked for must be the template's
SELECT idgen_next('t/asked', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('t/asked', 'nonsense');
\echo :SQLSTATE
SELECT name FROM id_sequences WHERE name = 't/asked';

-- in a read-only transaction: as nextval, if the row is to be made
BEGIN READ ONLY;
SAVEPOINT s;
SELECT idgen_next('t/new');
\echo :SQLSTATE
ROLLBACK TO s;
SELECT idgen_next_big('t/new');
ROLLBACK TO s;
SELECT idgen_next_range('t/new', 2);
ROLLBACK TO s;
SELECT idgen_next('no/new');
\echo :SQLSTATE
ROLLBACK;

-- while the command rewrites the table
ALTER TABLE id_sequences ALTER start_value TYPE bigint USING idgen_next('t/rewritten');
\echo :SQLSTATE
SELECT name FROM id_sequences WHERE name = 't/rewritten';

-- a trigger may swallow the row, or write another
CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$BEGIN RETURN NULL; END$$;
CREATE TRIGGER swallow BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT idgen_next('t/swallowed');
\echo :SQLSTATE
DROP TRIGGER swallow ON id_sequences;
CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$BEGIN NEW.next_block_start := 2 * NEW.next_block_start; RETURN NEW; END$$;
CREATE TRIGGER double BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION double();
SELECT idgen_next('t/doubled'), idgen_next('t/doubled');
DROP TRIGGER double ON id_sequences;
ALTER TABLE id_sequences ADD CHECK (name <> 't/forbidden');
\set VERBOSITY terse
SELECT idgen_next('t/forbidden');
\echo :SQLSTATE

DROP TABLE documents;
DROP FUNCTION swallow(), double() CASCADE;
DROP EXTENSION idgen;
