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
