--
-- Templates: rows that others are made from
--

--
-- Templates: the first draw of a name that matches one makes its row
--
CREATE EXTENSION idgen;
SELECT idgen_create('invoice/*', next_block_start => 100, block_size => 1, max_value => 5000, max_children => 100);
SELECT idgen_next('invoice/acme'), idgen_next('invoice/acme'), idgen_next('invoice/bolt');
\x on
SELECT name, next_block_start, block_size, exhausted, max_value, source, source_name, refill, layout, big_base, start_value, pooling,
	owned_by, max_children, period, time_zone, format, template, refilled_at > now() - interval '1 hour' AS refilled_now
	FROM id_sequences ORDER BY name;
\x off

-- all functions that draw make it, and no others
SELECT idgen_next_big('invoice/big'), idgen_next_range('invoice/range', 3), idgen_next('invoice/source', 'table');
SELECT idgen_last('invoice/range'), idgen_last('invoice/big');
SELECT idgen_last('invoice/unknown');
\echo :SQLSTATE
SELECT idgen_restart('invoice/acme', 50);
SELECT idgen_next('invoice/acme');
SELECT name FROM id_sequences ORDER BY name;

-- what matches: anything in place of the asterisk, but not nothing
\set VERBOSITY terse
SELECT idgen_next('invoice/acme/2026'), idgen_next('invoice/ '), idgen_next('invoice//'), idgen_next('invoice/*x');
SELECT idgen_next('invoice/');
SELECT idgen_next('invoice');
SELECT idgen_next('Invoice/acme');
SELECT idgen_next('my/invoice/acme');
SELECT idgen_next('/invoice/acme');
SELECT idgen_next('/');
SELECT idgen_next('//');
SELECT idgen_next('invoice/' || repeat('x', 248));
SELECT idgen_next('invoice/' || repeat('x', 247));
\set VERBOSITY default

-- the longest one
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('/*', 7000, 1), ('a/*', 1000, 1), ('a/b/c/*', 3000, 1), ('a/b/*', 2000, 1), ('a/*/*', 4000, 1), ('*', 5000, 1);
SELECT idgen_next('a/b/c/d'), idgen_next('a/b/c'), idgen_next('a/b'), idgen_next('a/bb/c/d'), idgen_next('a/b/c/'),
	idgen_next('a/*/x'), idgen_next('a/b/cc'), idgen_next('/x'), idgen_next('/a/b'), idgen_next('*');
SELECT name, template FROM id_sequences WHERE template IS NOT NULL AND template <> 'invoice/*' ORDER BY name;

-- a row that is there is what it says
INSERT INTO id_sequences (name, next_block_start) VALUES ('a/own', 77);
SELECT idgen_next('a/own');
SELECT template FROM id_sequences WHERE name = 'a/own';

-- in a column default, PL/pgSQL, a prepared statement, COPY
CREATE TABLE documents (tenant text, id bigint DEFAULT idgen_next('a/documents'));
COPY documents (tenant) FROM stdin;
x
y
\.
INSERT INTO documents (tenant) VALUES ('z') RETURNING id;
DO $$
BEGIN
	FOR i IN 1..3 LOOP
		RAISE NOTICE '%', idgen_next('a/tenant ' || i % 2);
	END LOOP;
END $$;
PREPARE draw AS SELECT idgen_next('a/' || $1);
EXECUTE draw('p');
EXECUTE draw('p');
EXECUTE draw('q');
SELECT tenant, idgen_next('a/' || tenant) FROM documents ORDER BY tenant;
ALTER TABLE documents ALTER id SET DEFAULT idgen_next('copied/' || current_user);
INSERT INTO id_sequences (name, next_block_start) VALUES ('copied/*', 1);
COPY documents (tenant) FROM stdin;
v
w
\.
SELECT tenant, id FROM documents ORDER BY tenant, id;

-- many at once, at any isolation level
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), sum(idgen_next('a/many ' || i % 100)) FROM generate_series(1, 300) AS i;
COMMIT;

-- the template may be in the snapshot of nobody but this command
WITH template AS (INSERT INTO id_sequences (name, next_block_start) VALUES ('now/*', 9) RETURNING name)
	SELECT idgen_next(replace(name, '*', 'x')) FROM template;

-- the row is part of the transaction and of the savepoint
BEGIN;
SELECT idgen_next('a/undone');
SAVEPOINT s;
SELECT idgen_next('a/undone too');
ROLLBACK TO s;
SELECT name FROM id_sequences WHERE name LIKE 'a/undone%';
SELECT idgen_next('a/undone too'), idgen_next('a/undone too');
ROLLBACK;
SELECT name FROM id_sequences WHERE name LIKE 'a/undone%';
SELECT idgen_next('a/undone'), idgen_next('a/undone too');

-- a deleted child comes back, and a template that is deleted has no more
DELETE FROM id_sequences WHERE name = 'a/undone';
SELECT idgen_next('a/undone');
DELETE FROM id_sequences WHERE name = 'a/*';
SELECT idgen_next('a/undone');
SELECT idgen_next('a/later');
\echo :SQLSTATE

-- one that is renamed matches other names
UPDATE id_sequences SET name = 'c/*' WHERE name = 'a/b/*';
SELECT idgen_next('c/x');
SELECT idgen_next('a/b/later');
\echo :SQLSTATE

-- idgen.auto_create comes after templates
SET idgen.auto_create = on;
SELECT idgen_next('c/y'), idgen_next('d/y');
SELECT name, template FROM id_sequences WHERE name LIKE '_/y' ORDER BY name;
RESET idgen.auto_create;

-- where children start is up to what the template says now
UPDATE id_sequences SET next_block_start = 500 WHERE name = 'c/*';
SELECT start_value FROM id_sequences WHERE name = 'c/*';
SELECT idgen_next('c/z');
UPDATE id_sequences SET start_value = 600 WHERE name = 'c/*';
SELECT idgen_next('c/z2');
UPDATE id_sequences SET next_block_start = 800, start_value = 700 WHERE name = 'c/*';
SELECT idgen_next('c/z3');
UPDATE id_sequences SET start_value = NULL WHERE name = 'c/*';
SELECT idgen_next('c/z4');

DROP TABLE documents;
DROP EXTENSION idgen;

\c -
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
\set VERBOSITY default
\set SHOW_CONTEXT errors

\c -
--
-- Templates: children take source, layout and all else that says how to draw
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- one native sequence for all children, or one for each
CREATE SEQUENCE shared_seq INCREMENT BY 10;
CREATE SEQUENCE "own/x_seq" INCREMENT BY 5 START 100;
SELECT idgen_create('shared/*', source => 'sequence', source_name => 'shared_seq'), idgen_create('own/*', source => 'sequence');
SELECT idgen_next('shared/x'), idgen_next('shared/x'), idgen_next('shared/y'), idgen_next('shared/x', 'sequence');
SELECT idgen_next('own/x'), idgen_next('own/x');
SELECT idgen_next('own/y');
\echo :SQLSTATE
SELECT idgen_create('none/*', source => 'sequence', source_name => 'nowhere');
\echo :SQLSTATE
SELECT idgen_create('none/*', source => 'function');
\echo :SQLSTATE

-- a name that was drawn from without a row gets one when there is a template
CREATE SEQUENCE "late/x_seq" INCREMENT BY 10;
PREPARE draw AS SELECT idgen_next('late/x', 'sequence');
EXECUTE draw;
SELECT name FROM id_sequences WHERE name LIKE 'late/%';
INSERT INTO id_sequences (name, next_block_start, source, max_value) VALUES ('late/*', 1, 'sequence', 10000);
EXECUTE draw;
SELECT name FROM id_sequences WHERE name LIKE 'late/%' ORDER BY name;
CREATE SEQUENCE "later/x_seq" INCREMENT BY 10;
PREPARE draw_later AS SELECT idgen_next('later/x', 'sequence');
EXECUTE draw_later;
UPDATE id_sequences SET name = 'later/*', source = 'table' WHERE name = 'late/*';
EXECUTE draw_later;
\echo :SQLSTATE

-- a function gets the name of the child
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS record LANGUAGE sql AS
	$$ SELECT length(name) * 100, length(name) * 100 + 1 $$;
SELECT idgen_create('function/*', source => 'function', source_name => 'allocate');
SELECT idgen_next('function/a'), idgen_next('function/abc'), idgen_next('function/a');
SELECT idgen_peek('function/b');
\echo :SQLSTATE

-- layouts and bases
SELECT idgen_create('composed/*', next_block_start => 7, layout => 'prefixed'), idgen_create('based/*', big_base => 1000000000000000000000);
SELECT idgen_next('composed/x');
\echo :SQLSTATE
SELECT idgen_next_big('based/x');

-- gapless
SELECT idgen_create('gapless/*', block_size => 1);
BEGIN;
SELECT idgen_next('gapless/x'), idgen_next('gapless/x'), idgen_next('gapless/x');
SAVEPOINT s;
SELECT idgen_next('gapless/x');
ROLLBACK TO s;
COMMIT;
SELECT idgen_next('gapless/x');
SELECT next_block_start FROM id_sequences WHERE name = 'gapless/x';

DROP EXTENSION idgen;
DROP SEQUENCE shared_seq, "own/x_seq", "late/x_seq", "later/x_seq";
DROP FUNCTION allocate(text, integer);
\set SHOW_CONTEXT errors

\c -
--
-- Templates: idgen_peek makes no row, and tells what the first draw would bring
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', next_block_start => 41, block_size => 3, big_base => 1000);
SELECT idgen_peek('t/x');
SELECT name FROM id_sequences;
SELECT idgen_next('t/x'), idgen_peek('t/x');
SELECT idgen_peek('t/y'), idgen_next('t/y'), idgen_peek('t/y'), idgen_next_big('t/y');
SELECT idgen_last('t/z');
\echo :SQLSTATE

-- it follows the template, and the row as soon as there is one
PREPARE look AS SELECT idgen_peek('t/z');
EXECUTE look;
UPDATE id_sequences SET next_block_start = 50 WHERE name = 't/*';
EXECUTE look;
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/z', 7);
EXECUTE look;
BEGIN;
DELETE FROM id_sequences WHERE name = 't/z';
EXECUTE look;
SELECT idgen_next('t/z');
EXECUTE look;
ROLLBACK;
EXECUTE look;
DELETE FROM id_sequences WHERE name = 't/z';
EXECUTE look;
DELETE FROM id_sequences WHERE name = 't/*';
EXECUTE look;
\echo :SQLSTATE

-- in a read-only transaction, too
SELECT idgen_create('r/*', max_value => 5);
BEGIN READ ONLY;
SELECT idgen_peek('r/x');
COMMIT;

-- errors are those of the draw
UPDATE id_sequences SET next_block_start = 6 WHERE name = 'r/*';
SELECT idgen_peek('r/x');
\echo :SQLSTATE
CREATE SEQUENCE shared_seq INCREMENT 10 START 5;
SELECT idgen_create('s/*', source => 'sequence', source_name => 'shared_seq'), idgen_create('o/*', source => 'sequence');
SELECT idgen_peek('s/x'), idgen_next('s/x'), idgen_peek('s/y'), idgen_peek('s/x');
SELECT idgen_peek('o/x');
\echo :SQLSTATE
SELECT name FROM id_sequences ORDER BY name;

-- nothing of it is cached
SELECT name FROM idgen_cache WHERE name IN ('r/x', 's/y', 'o/x');

DROP EXTENSION idgen;
DROP SEQUENCE shared_seq;

\c -
--
-- Rows that came with numbers of their own: the child that they belong to is
-- made behind them, before anybody has drawn from it
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE issue (repo_id bigint, index bigint, UNIQUE (repo_id, index));
SELECT idgen_create('issue/*', block_size => 1), idgen_create('bill', period => 'year');
INSERT INTO issue SELECT 424, i FROM generate_series(1, 33) i;
INSERT INTO issue VALUES (424, idgen_next('issue/424'));
\echo :SQLSTATE
SELECT idgen_restart('issue/424', 34);
INSERT INTO issue VALUES (424, idgen_next('issue/424')) RETURNING index;
SELECT idgen_restart('bill/2024', 100);
SELECT idgen_next('bill/2024');

-- all children of a table at once, by what it says
INSERT INTO issue SELECT 425 + i % 3, i FROM generate_series(1, 30) i;
SELECT count(idgen_restart('issue/' || repo_id, last + 1)) FROM (SELECT repo_id, max(index) AS last FROM issue GROUP BY repo_id) AS i;
SELECT name, next_block_start, block_size, template FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
UPDATE id_sequences SET block_size = 5 WHERE name = 'issue/*';
SELECT idgen_apply_template('issue/*');

-- a name that nothing would make
SELECT idgen_restart('nothing/1', 5);
\echo :SQLSTATE

-- it takes the right to change the row, and else leaves none
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_restart('issue/999', 5);
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM id_sequences WHERE name = 'issue/999';

DROP ROLE regress_idgen_user;
DROP TABLE issue;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- A changed template counts for later children; idgen_apply_template changes
-- those that there are
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', block_size => 1, max_value => 1000);
SELECT idgen_next('t/1'), idgen_next('t/2'), idgen_next('t/2'), idgen_next('t/own');
UPDATE id_sequences SET block_size = 7 WHERE name = 't/own';
UPDATE id_sequences SET next_block_start = 50, block_size = 10, max_value = 2000, source_name = NULL, refill = 'auto', pooling = 'pooled_lo',
	big_base = 9, exhausted = 1, max_children = 100, time_zone = 'UTC' WHERE name = 't/*';
SELECT idgen_next('t/3');
SELECT name, next_block_start, block_size, exhausted, max_value, refill, big_base, start_value, max_children, time_zone
	FROM id_sequences ORDER BY name;
SELECT idgen_apply_template('t/*');
SELECT name, next_block_start, block_size, exhausted, max_value, refill, big_base, start_value, max_children, time_zone
	FROM id_sequences ORDER BY name;
SELECT idgen_apply_template('t/*');

-- a max_value below what has been allocated leaves no id, as if set by hand
UPDATE id_sequences SET max_value = 2 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT idgen_next('t/2');
\echo :SQLSTATE
SELECT idgen_next('t/1');
UPDATE id_sequences SET max_value = 2000 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT idgen_next('t/2');
SELECT idgen_next('t/1');
\echo :SQLSTATE

-- a child that has children takes them along
INSERT INTO id_sequences (name, next_block_start, period, template) VALUES ('t/p', 1, 'year', 't/*');
INSERT INTO id_sequences (name, next_block_start, template) VALUES ('t/p/2018', 1, 't/p');
UPDATE id_sequences SET period = 'year', block_size = 3 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT name, block_size, period FROM id_sequences ORDER BY name;
UPDATE id_sequences SET block_size = 4 WHERE name = 't/p';
SELECT idgen_apply_template('t/p');

-- what is no template
SELECT idgen_apply_template('u/*');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('plain', 1), ('none/*', 1);
SELECT idgen_apply_template('plain');
\echo :SQLSTATE
SELECT idgen_apply_template(''), idgen_apply_template('none/*');
\echo :SQLSTATE
SELECT idgen_apply_template('none/*'), idgen_apply_template(NULL);
BEGIN READ ONLY;
SELECT idgen_apply_template('t/*');
\echo :SQLSTATE
ROLLBACK;

-- with the caller's own rights
CREATE ROLE regress_idgen_user;
SELECT idgen_next('none/1'), idgen_next('none/2'), idgen_next('none/3');
UPDATE id_sequences SET block_size = 30 WHERE name = 'none/*';
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
RESET ROLE;
UPDATE id_sequences SET block_size = 40 WHERE name = 'none/*';
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON id_sequences FOR SELECT USING (name <> 'none/1');
CREATE POLICY change ON id_sequences FOR UPDATE USING (name <> 'none/2');
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
RESET ROLE;
SELECT name, block_size FROM id_sequences WHERE template = 'none/*' ORDER BY name;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
--
-- Templates: max_children limits how many children there are
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', max_children => 3, block_size => 1);
SELECT idgen_next('t/' || i) FROM generate_series(1, 3) AS i;
SELECT idgen_next('t/4');
\echo :SQLSTATE
SELECT idgen_next('t/1'), idgen_peek('t/4');
SELECT name FROM id_sequences ORDER BY name;

-- children of others do not count, nor what is no child; any row with that
-- template does
SELECT idgen_create('t/other/*'), idgen_create('t/by hand', block_size => 1);
SELECT idgen_next('t/other/x'), idgen_next('t/by hand');
SELECT idgen_next('t/4');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 't/2';
INSERT INTO id_sequences (name, next_block_start, template) VALUES ('elsewhere', 1, 't/*');
SELECT idgen_next('t/4');
\echo :SQLSTATE

-- one that is deleted makes room, as does one that is not made after all
DELETE FROM id_sequences WHERE name = 'elsewhere';
BEGIN;
SELECT idgen_next('t/4');
SAVEPOINT s;
SELECT idgen_next('t/5');
\echo :SQLSTATE
ROLLBACK TO s;
ROLLBACK;
SELECT idgen_next('t/5');
BEGIN;
DELETE FROM id_sequences WHERE name = 't/5';
SELECT idgen_next('t/6');
COMMIT;
SELECT name FROM id_sequences WHERE template = 't/*' ORDER BY name;

-- another limit counts at once
UPDATE id_sequences SET max_children = 5 WHERE name = 't/*';
SELECT idgen_next('t/7'), idgen_next('t/8');
SELECT idgen_next('t/9');
\echo :SQLSTATE
UPDATE id_sequences SET max_children = 2 WHERE name = 't/*';
SELECT idgen_next('t/9');
\echo :SQLSTATE
UPDATE id_sequences SET max_children = NULL WHERE name = 't/*';
SELECT idgen_next('t/9');

-- without the index it takes longer
DROP INDEX id_sequences_template_idx;
UPDATE id_sequences SET max_children = 7 WHERE name = 't/*';
SELECT idgen_next('t/10');
SELECT idgen_next('t/11');
\echo :SQLSTATE

-- an index of some rows does not count for all
CREATE INDEX ON id_sequences (template) WHERE name = 't/1';
SELECT idgen_next('t/11');
\echo :SQLSTATE

-- a template that is deleted and made again begins anew; one that is renamed
-- keeps its children
DELETE FROM id_sequences;
SELECT idgen_create('t/*', max_children => 1), idgen_create('u/*', max_children => 2);
SELECT idgen_next('t/1'), idgen_next('u/1');
UPDATE id_sequences SET name = 'v/*' WHERE name = 'u/*';
SELECT idgen_next('v/1');
SELECT idgen_next('v/2');
\echo :SQLSTATE

DROP EXTENSION idgen;

\c -
--
-- Templates: who may draw may have a child made, and needs no more than that
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/*', 1);
SET ROLE regress_idgen_user;
SELECT idgen_next('t/x'), idgen_next('t/x'), idgen_peek('t/y');
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/y', 1);
\echo :SQLSTATE
SELECT idgen_apply_template('t/*');
RESET ROLE;

-- without SELECT nothing is made
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
SELECT idgen_next('t/y');
\echo :SQLSTATE
SELECT idgen_peek('t/y');
\echo :SQLSTATE
SELECT idgen_next('t/*');
\echo :SQLSTATE
SELECT idgen_apply_template('t/*');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security: the template must be visible, and the child
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/hidden/*', 1), ('mine/*', 1);
CREATE POLICY p ON id_sequences FOR SELECT USING (name IN ('t/*', 't/z', 'mine/*', 't/hidden/x') OR name LIKE 'mine/' || current_user || '%');
SET ROLE regress_idgen_user;
SELECT idgen_next('t/z'), idgen_next('mine/regress_idgen_user'), idgen_peek('mine/regress_idgen_user/2');
SELECT idgen_next('t/invisible');
\echo :SQLSTATE
SELECT idgen_peek('t/invisible');
\echo :SQLSTATE
SELECT idgen_next('mine/other');
\echo :SQLSTATE
-- ... also for a call that would do without a row
RESET ROLE;
CREATE SEQUENCE "mine/other_seq";
GRANT USAGE ON SEQUENCE "mine/other_seq" TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('mine/other', 'sequence');
\echo :SQLSTATE
RESET ROLE;
SELECT name FROM id_sequences WHERE name = 'mine/other';
DROP SEQUENCE "mine/other_seq";
SET ROLE regress_idgen_user;
-- a template that is hidden cannot be got around
SELECT idgen_next('t/hidden/x');
\echo :SQLSTATE
SELECT idgen_peek('t/hidden/x');
\echo :SQLSTATE
SELECT idgen_apply_template('t/hidden/*');
\echo :SQLSTATE
RESET ROLE;
SELECT name FROM id_sequences ORDER BY name;

-- a policy with a subquery: only what is there can be peeked at
ALTER POLICY p ON id_sequences USING (name IN (SELECT 't/*' UNION SELECT 't/sub'));
SET ROLE regress_idgen_user;
SELECT idgen_peek('t/sub');
\echo :SQLSTATE
SELECT idgen_next('t/sub'), idgen_peek('t/sub');
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DROP POLICY p ON id_sequences;

-- a function of the template's
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS record LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '% for %', current_user, name;
	first_id := 1; last_id := 2;
END $$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('f/*', 1, 'function', 'public.allocate');
SET ROLE regress_idgen_user;
SELECT idgen_next('f/x'), idgen_next('f/y');
RESET ROLE;

-- triggers run with the rights of the table's owner, and see the row
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	RAISE NOTICE '% % % by %', TG_WHEN, TG_OP, NEW.name, current_user;
	RETURN NEW;
END $$;
CREATE TRIGGER note_before BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note_after AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
SET ROLE regress_idgen_user;
SELECT idgen_next('t/noted');
RESET ROLE;

DROP EXTENSION idgen;
DROP FUNCTION allocate(text, integer), note();
DROP ROLE regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
--
-- Children that no block was allocated from since a time: refilled_at tells
-- which, and a DELETE drops them
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', block_size => 1), idgen_create('u/*', block_size => 1);
SELECT idgen_next('t/' || i) FROM generate_series(1, 6) AS i;
SELECT idgen_next('u/1');
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < now() - interval '1 hour' RETURNING name;

-- whatever allocates says that the child is in use: a refill, another program,
-- a restart
UPDATE id_sequences SET refilled_at = '2019-06-01' WHERE template IS NOT NULL;
SELECT idgen_next('t/1');
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 't/2';
SELECT idgen_restart('t/3', 10);
UPDATE id_sequences SET block_size = 5 WHERE name = 't/4';
SELECT name FROM id_sequences WHERE refilled_at < '2020-01-01' ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < '2020-01-01' RETURNING name;
SELECT name FROM id_sequences ORDER BY name;

-- rows that have no template are nobody's children; rows made by hand can be
INSERT INTO id_sequences (name, next_block_start, template, refilled_at) VALUES ('t/a', 1, NULL, NULL), ('t/b', 1, 't/*', NULL), ('t/c', 1, 't/*', '2018-01-01');
UPDATE id_sequences SET next_block_start = 2 WHERE name = 't/a';
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences WHERE name IN ('t/a', 't/b', 't/c') ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < '2020-01-01' RETURNING name;

-- what is dropped begins anew
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');

-- cached ids go with them when the transaction commits
UPDATE id_sequences SET block_size = 10 WHERE name = 'u/1';
SELECT idgen_next('u/1');
BEGIN;
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');
ROLLBACK;
SELECT idgen_next('u/1') > 2 AS goes_on;
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');

-- a child that has a period has children in turn, and only they are refilled
SELECT idgen_create('v/*', block_size => 1, period => 'year');
SELECT idgen_next_text('v/p', at => '2018-06-01'), idgen_next_text('v/p', at => '2019-06-01');
UPDATE id_sequences SET refilled_at = '2018-06-01' WHERE name LIKE 'v/p%';
SELECT idgen_next_text('v/p', at => '2019-06-02');
SELECT name, refilled_at > '2020-01-01' AS now FROM id_sequences WHERE name LIKE 'v/p%' ORDER BY name;
DELETE FROM id_sequences WHERE template IN (SELECT name FROM id_sequences WHERE template = 'v/*')
	AND refilled_at < '2020-01-01' RETURNING name;
SELECT idgen_next_text('v/p', at => '2018-06-01'), idgen_next_text('v/p', at => '2019-06-02');

DROP EXTENSION idgen;
