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
