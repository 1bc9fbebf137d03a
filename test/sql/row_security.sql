--
-- Row security on id_sequences
--

--
-- Row security on id_sequences decides who may draw from which id sequence
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('ann''s', 100, 1), ('bob''s', 200, 1), ('common', 300, 1);
CREATE ROLE regress_idgen_ann;
CREATE ROLE regress_idgen_bob;
CREATE ROLE regress_idgen_group;

-- enabled without a policy: nobody but the owner sees a row
SET ROLE regress_idgen_ann;
SELECT idgen_next('ann''s');
RESET ROLE;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_ann;
SELECT idgen_next('ann''s');
\echo :SQLSTATE
RESET ROLE;
SELECT idgen_next('ann''s');

-- a policy on the name: what is not visible does not exist
CREATE POLICY by_name ON id_sequences FOR SELECT TO regress_idgen_ann USING (name = 'ann''s');
SET ROLE regress_idgen_ann;
SELECT idgen_next('ann''s'), idgen_next_big('ann''s'), idgen_last('ann''s'), idgen_peek('ann''s');
SELECT idgen_next('bob''s');
\echo :SQLSTATE
SELECT idgen_next_big('bob''s');
\echo :SQLSTATE
SELECT idgen_peek('bob''s');
\echo :SQLSTATE
SELECT idgen_last('bob''s');
\echo :SQLSTATE
SET ROLE regress_idgen_bob;
SELECT idgen_next('ann''s');
\echo :SQLSTATE

-- refilling and drawing need no policy for UPDATE; restarting does
SET ROLE regress_idgen_ann;
SELECT idgen_next('ann''s') FROM generate_series(1, 2);
RESET ROLE;
GRANT UPDATE, INSERT ON id_sequences TO regress_idgen_ann;
SET ROLE regress_idgen_ann;
SELECT idgen_restart('ann''s', 1000);
\echo :SQLSTATE
SELECT idgen_create('more');
\echo :SQLSTATE
RESET ROLE;
CREATE POLICY update_by_name ON id_sequences FOR UPDATE TO regress_idgen_ann USING (name = 'ann''s');
SET ROLE regress_idgen_ann;
SELECT idgen_restart('ann''s', 1000);
SELECT idgen_restart('bob''s', 1000);
\echo :SQLSTATE
SELECT idgen_next('ann''s');
RESET ROLE;

-- the views show what may be drawn from
UPDATE id_sequences SET block_size = 4 WHERE name LIKE '%''s';
SELECT idgen_next('ann''s'), idgen_next('bob''s'), idgen_next('common');
SELECT name FROM idgen_stats ORDER BY name;
SELECT * FROM idgen_cache ORDER BY name;
SET ROLE regress_idgen_ann;
SELECT name FROM idgen_stats ORDER BY name;
SELECT * FROM idgen_cache ORDER BY name;
SET ROLE regress_idgen_bob;
SELECT name FROM idgen_stats ORDER BY name;
SELECT * FROM idgen_cache ORDER BY name;
RESET ROLE;
UPDATE id_sequences SET block_size = 1 WHERE name = 'bob''s';
SELECT idgen_restart('bob''s', 500);

-- policies are changed, added and dropped in the middle of a session
PREPARE draw AS SELECT idgen_next('common');
SET ROLE regress_idgen_bob;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
CREATE POLICY for_bob ON id_sequences FOR SELECT TO regress_idgen_bob USING (name = 'common');
SET ROLE regress_idgen_bob;
EXECUTE draw;
RESET ROLE;
ALTER POLICY for_bob ON id_sequences USING (name = 'bob''s');
SET ROLE regress_idgen_bob;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('bob''s');
RESET ROLE;
DROP POLICY for_bob ON id_sequences;
SET ROLE regress_idgen_bob;
SELECT idgen_next('bob''s');
\echo :SQLSTATE
RESET ROLE;

-- for a group, as long as one belongs to it
CREATE POLICY for_group ON id_sequences FOR SELECT TO regress_idgen_group USING (name = 'common');
GRANT regress_idgen_group TO regress_idgen_bob;
SET ROLE regress_idgen_bob;
EXECUTE draw;
RESET ROLE;
REVOKE regress_idgen_group FROM regress_idgen_bob;
SET ROLE regress_idgen_bob;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

-- a restrictive policy
CREATE POLICY all_rows ON id_sequences FOR SELECT USING (true);
CREATE POLICY not_bobs ON id_sequences AS RESTRICTIVE FOR SELECT USING (name <> 'bob''s');
SET ROLE regress_idgen_bob;
EXECUTE draw;
SELECT idgen_next('bob''s');
\echo :SQLSTATE
RESET ROLE;
DROP POLICY not_bobs ON id_sequences;
DROP POLICY all_rows ON id_sequences;

-- BYPASSRLS, FORCE, and switching it off altogether
ALTER ROLE regress_idgen_bob BYPASSRLS;
SET ROLE regress_idgen_bob;
EXECUTE draw;
RESET ROLE;
ALTER ROLE regress_idgen_bob NOBYPASSRLS;
SET ROLE regress_idgen_bob;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences OWNER TO regress_idgen_bob;
SET ROLE regress_idgen_bob;
EXECUTE draw;
ALTER TABLE id_sequences FORCE ROW LEVEL SECURITY;
EXECUTE draw;
\echo :SQLSTATE
ALTER TABLE id_sequences NO FORCE ROW LEVEL SECURITY;
EXECUTE draw;
RESET ROLE;
ALTER TABLE id_sequences OWNER TO CURRENT_USER;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_bob;
SELECT idgen_next('bob''s');
RESET ROLE;

-- row_security = off means an error instead of a silent answer
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_bob;
SET row_security = off;
SELECT idgen_next('bob''s');
\echo :SQLSTATE
RESET row_security;
RESET ROLE;

DEALLOCATE draw;
DROP OWNED BY regress_idgen_ann, regress_idgen_bob, regress_idgen_group;
DROP ROLE regress_idgen_ann, regress_idgen_bob, regress_idgen_group;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
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

\c -
--
-- A policy whose subquery draws from an id sequence itself, and changes roles
-- while it is at it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('outer', 1), ('inner', 1);
CREATE ROLE regress_idgen_user;
CREATE FUNCTION may_see(name text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF name = 'outer' THEN
		EXECUTE 'ALTER ROLE regress_idgen_user VALID UNTIL ''' || clock_timestamp() + interval '1 day' || '''';
		PERFORM idgen_next('inner');
	END IF;
	RETURN true;
END $$;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY nested ON id_sequences USING ((SELECT may_see(name)));
SET ROLE regress_idgen_user;
SELECT idgen_next('outer') FROM generate_series(1, 3);
RESET ROLE;
SELECT idgen_next('inner') > 3 AS drawn;

DROP EXTENSION idgen;
DROP FUNCTION may_see;
DROP ROLE regress_idgen_user;

\c -
--
-- A policy that depends on what a refill writes, or on the default of an
-- argument, holds for the next draw already
--
CREATE EXTENSION idgen;
SELECT idgen_create('written', block_size => 1);
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (name = 'written' AND next_block_start <= 3);

SET ROLE regress_idgen_user;
PREPARE draw AS SELECT idgen_next('written');
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
SELECT idgen_create('tenant');
CREATE FUNCTION allowed(name text, tenant text DEFAULT current_setting('regress.tenant', true)) RETURNS boolean
	LANGUAGE sql STABLE AS 'SELECT name = tenant';
CREATE POLICY p ON id_sequences USING (allowed(name));
SET ROLE regress_idgen_user;
SET regress.tenant = 'tenant';
SELECT idgen_next('tenant');
SET regress.tenant = 'another';
SELECT idgen_next('tenant');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
DROP EXTENSION idgen;
DROP FUNCTION allowed;
DROP ROLE regress_idgen_user;
