--
-- Policies are asked at every call: their answers may change from call to call
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('regress_idgen_ann', 100, 1), ('regress_idgen_bob', 200, 1), ('gapless', 1, 1);
CREATE ROLE regress_idgen_ann;
CREATE ROLE regress_idgen_bob;
GRANT regress_idgen_bob TO regress_idgen_ann;
GRANT UPDATE ON id_sequences TO regress_idgen_ann;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;

-- current_user
CREATE POLICY p ON id_sequences USING (name = current_user);
PREPARE draw AS SELECT idgen_next('regress_idgen_ann');
SET ROLE regress_idgen_ann;
EXECUTE draw;
EXECUTE draw;
SET ROLE regress_idgen_bob;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('regress_idgen_bob');
SET ROLE regress_idgen_ann;
EXECUTE draw;
SELECT idgen_next('regress_idgen_bob');
\echo :SQLSTATE
RESET ROLE;

-- session_user
ALTER POLICY p ON id_sequences USING (name = session_user);
SET SESSION AUTHORIZATION regress_idgen_ann;
EXECUTE draw;
SET ROLE regress_idgen_bob;
EXECUTE draw;
SELECT idgen_next('regress_idgen_bob');
\echo :SQLSTATE
RESET SESSION AUTHORIZATION;

-- a setting
ALTER POLICY p ON id_sequences USING (name = current_setting('regress.tenant', true));
SET ROLE regress_idgen_ann;
EXECUTE draw;
\echo :SQLSTATE
SET regress.tenant = 'regress_idgen_ann';
EXECUTE draw;
EXECUTE draw;
SET regress.tenant = 'regress_idgen_bob';
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('regress_idgen_bob');
SELECT idgen_peek('regress_idgen_bob'), idgen_last('regress_idgen_bob');

-- also within one statement and one transaction
BEGIN;
SET LOCAL regress.tenant = 'regress_idgen_ann';
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
\echo :SQLSTATE
SELECT i, idgen_next('regress_idgen_' || who) AS drawn
	FROM (VALUES (1, 'bob'), (2, 'ann')) AS v (i, who),
		set_config('regress.tenant', 'regress_idgen_' || who, false);
DO $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		PERFORM set_config('regress.tenant', CASE WHEN i = 2 THEN 'gapless' ELSE '' END, false);
		BEGIN
			RAISE NOTICE 'drawn %', idgen_next('gapless');
		EXCEPTION WHEN undefined_object THEN
			RAISE NOTICE '%', SQLERRM;
		END;
	END LOOP;
END $$;
RESET ROLE;
RESET regress.tenant;

-- another table, here and in a function
CREATE TABLE allowed (name text);
GRANT SELECT ON allowed TO PUBLIC;
ALTER POLICY p ON id_sequences USING (name IN (SELECT a.name FROM allowed a));
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;
INSERT INTO allowed VALUES ('gapless');
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
RESET ROLE;
DELETE FROM allowed;
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;
CREATE FUNCTION is_allowed(text) RETURNS boolean LANGUAGE sql STABLE
	AS 'SELECT EXISTS (SELECT FROM allowed a WHERE a.name = $1)';
ALTER POLICY p ON id_sequences USING (is_allowed(name));
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;
INSERT INTO allowed VALUES ('gapless');
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
RESET ROLE;
DELETE FROM allowed;
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

-- one that leaves parts out
ALTER POLICY p ON id_sequences USING (CASE WHEN name = 'gapless' THEN current_setting('regress.tenant', true) <> '' END);
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
SET regress.tenant = 'x';
SELECT idgen_next('gapless');
SELECT idgen_next('regress_idgen_ann');
\echo :SQLSTATE
RESET regress.tenant;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

-- a column that an administrator changes
ALTER POLICY p ON id_sequences USING (source_name = current_user);
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;
UPDATE id_sequences SET source_name = 'regress_idgen_ann' WHERE name = 'gapless';
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
RESET ROLE;
UPDATE id_sequences SET source_name = NULL WHERE name = 'gapless';
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

-- and one that every refill changes: up to five
ALTER POLICY p ON id_sequences USING (next_block_start <= 5);
SELECT idgen_restart('gapless', 4);
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
SELECT idgen_next('gapless');
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

-- a policy that fails, fails the draw
ALTER POLICY p ON id_sequences USING (1 / (length(name) - 7) > 0);
SET ROLE regress_idgen_ann;
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

DEALLOCATE draw;
DROP POLICY p ON id_sequences;
DROP FUNCTION is_allowed;
DROP TABLE allowed;
DROP OWNED BY regress_idgen_ann, regress_idgen_bob;
DROP ROLE regress_idgen_ann, regress_idgen_bob;
DROP EXTENSION idgen;
