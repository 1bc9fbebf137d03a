--
-- Security: functions that allocate run with nobody else's rights
--

--
-- A function runs with the rights of the role that draws only if its owner
-- could do all that this role can. This holds whatever way the row came
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_author;
CREATE ROLE regress_idgen_table_owner;
CREATE ROLE regress_idgen_deputy IN ROLE regress_idgen_table_owner;
CREATE ROLE regress_idgen_distant NOINHERIT IN ROLE regress_idgen_table_owner;
CREATE ROLE regress_idgen_team;
CREATE ROLE regress_idgen_member IN ROLE regress_idgen_team;
CREATE ROLE regress_idgen_super SUPERUSER;
CREATE SCHEMA regress_a;
GRANT ALL ON SCHEMA regress_a TO regress_idgen_author;
GRANT USAGE ON SCHEMA regress_a TO PUBLIC;
ALTER TABLE id_sequences OWNER TO regress_idgen_table_owner;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'runs as %, whose settings are %', current_user, current_setting('search_path');
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
SELECT idgen_create('gen', block_size => 1, source => 'function', source_name => 'regress_a.allocate');
SET search_path = regress_a, public;

-- draw: is the function called for this role?
CREATE FUNCTION public.draw(owner name, drawer name) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE format('ALTER FUNCTION regress_a.allocate OWNER TO %I', owner);
	EXECUTE format('SET LOCAL ROLE %I', drawer);
	PERFORM public.idgen_next('gen');
	RESET ROLE;
	RETURN format('%s for %s: called', owner, drawer);
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN format(E'%s for %s: %s %s\n%s\n%s', owner, drawer, SQLSTATE, SQLERRM, detail, hint);
END$$;
SELECT public.draw('regress_idgen_super', 'regress_idgen_member');
SELECT public.draw('regress_idgen_table_owner', 'regress_idgen_super');
SELECT public.draw('regress_idgen_deputy', 'regress_idgen_super');
SELECT public.draw('regress_idgen_author', 'regress_idgen_super');
SELECT public.draw('regress_idgen_author', 'regress_idgen_table_owner');
SELECT public.draw('regress_idgen_author', 'regress_idgen_author');

-- a role that could become the one that draws has not its rights yet
SELECT public.draw('regress_idgen_distant', 'regress_idgen_table_owner') ~ '42501';

-- the owner has all that the role that draws has; that the other way round is
-- no reason to trust
SELECT public.draw('regress_idgen_member', 'regress_idgen_team');
SELECT public.draw('regress_idgen_team', 'regress_idgen_member') ~ '42501';

-- what a role may do with the table does not count, be it all
GRANT ALL ON id_sequences TO regress_idgen_author;
SELECT public.draw('regress_idgen_author', 'regress_idgen_super') ~ '42501';
REVOKE ALL ON id_sequences FROM regress_idgen_author;

-- another function under the same name, of somebody who may create one in that
-- schema
SELECT public.draw('regress_idgen_super', 'regress_idgen_member');
DROP FUNCTION regress_a.allocate;
SET ROLE regress_idgen_author;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	ALTER ROLE regress_idgen_author SUPERUSER;
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
RESET ROLE;
\set VERBOSITY sqlstate
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 2);

-- rows that come past the triggers
SET session_replication_role = replica;
UPDATE id_sequences SET name = 'new' WHERE name = 'gen';
RESET session_replication_role;
SELECT idgen_next('new');
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET name = 'gen' WHERE name = 'new';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('gen');
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_idgen_author';
\set VERBOSITY default

-- SECURITY DEFINER lends nobody's rights; what it does to the session of
-- the role that draws is undone, or refused
CREATE OR REPLACE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	RAISE NOTICE 'runs as %, whose settings are %', current_user, current_setting('search_path');
	PERFORM set_config('search_path', 'regress_a', false);
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
SET ROLE regress_idgen_super;
SELECT idgen_next('gen'), current_user;
SHOW search_path;
RESET ROLE;
CREATE OR REPLACE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	CREATE TEMP TABLE id_sequences (name text);
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
GRANT TEMP ON DATABASE :DBNAME TO regress_idgen_author;
SET ROLE regress_idgen_super;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

-- to call it takes EXECUTE, of the role that draws
REVOKE EXECUTE ON FUNCTION regress_a.allocate FROM PUBLIC;
SET ROLE regress_idgen_member;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

-- if its owner has these rights, it is called as any function
ALTER FUNCTION regress_a.allocate OWNER TO regress_idgen_super;
SELECT idgen_next('gen');
SELECT relowner::regrole FROM pg_class WHERE oid = 'pg_temp.id_sequences'::regclass;

DROP TABLE pg_temp.id_sequences;
RESET search_path;
DROP FUNCTION draw;
DROP EXTENSION idgen;
DROP SCHEMA regress_a CASCADE;
REVOKE TEMP ON DATABASE :DBNAME FROM regress_idgen_author;
DROP ROLE regress_idgen_author, regress_idgen_table_owner, regress_idgen_deputy, regress_idgen_distant,
	regress_idgen_team, regress_idgen_member, regress_idgen_super;

\c -
--
-- A role that may write rows may name any function there. But nobody else runs
-- one whose owner may not have others run code, whichever way it has come there
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_program;
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_a AUTHORIZATION regress_idgen_program;
GRANT USAGE ON SCHEMA regress_a TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON id_sequences TO regress_idgen_program;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1001::bigint, 1020::bigint';
SELECT idgen_create('orders'), idgen_create('gen'), idgen_create('func', source => 'function', source_name => 'allocate');

SET ROLE regress_idgen_program;
CREATE FUNCTION regress_a.trap(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'for %, as a superuser: %', name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
	RETURN QUERY SELECT 1::bigint, 20::bigint;
END$$;
UPDATE id_sequences SET source = 'function', source_name = 'regress_a.trap' WHERE name = 'gen';
UPDATE id_sequences SET source_name = 'regress_a.trap' WHERE name = 'func';
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('inserted', 1, 'function', 'regress_a.trap');
MERGE INTO id_sequences s USING (VALUES ('merged')) AS v (name) ON s.name = v.name
	WHEN NOT MATCHED THEN INSERT (name, next_block_start, source, source_name) VALUES ('merged', 1, 'function', 'regress_a.trap');
COPY id_sequences (name, next_block_start, source, source_name) FROM stdin;
copied	1	function	regress_a.trap
\.
SELECT idgen_create('created', source => 'function', source_name => 'regress_a.trap'),
	idgen_create('own', source => 'function', source_name => 'regress_a.trap'),
	idgen_create('child/*', source => 'function', source_name => 'regress_a.trap');
UPDATE id_sequences SET name = 'orders before' WHERE name = 'orders';
UPDATE id_sequences SET name = 'orders' WHERE name = 'own';
INSERT INTO id_sequences (name, next_block_start, source_name) VALUES ('two steps', 1, 'regress_a.trap');
UPDATE id_sequences SET source = 'function' WHERE name = 'two steps';

-- the role may run its own
SELECT idgen_next('gen');
RESET ROLE;

-- what becomes of a draw by a superuser, and by a role with no more rights than
-- the first one has
CREATE FUNCTION outcome(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN idgen_next(outcome.name);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_create('gen', source => 'function', source_name => 'regress_a.trap');
SELECT name, outcome(name) FROM unnest('{gen,func,inserted,merged,copied,created,orders,child/1,two steps}'::text[]) AS name;
SET ROLE regress_idgen_other;
SELECT name, outcome(name) FROM unnest('{gen,orders,child/1}'::text[]) AS name;
RESET ROLE;

-- those of owners with the rights of whoever draws can be chosen
SET ROLE regress_idgen_program;
UPDATE id_sequences SET source_name = 'public.allocate' WHERE name = 'gen';
RESET ROLE;
SELECT outcome('gen');
GRANT ALL ON id_sequences TO regress_idgen_program;
SELECT outcome('orders');

DROP EXTENSION idgen;
DROP FUNCTION allocate, outcome;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_program, regress_idgen_other;
\set SHOW_CONTEXT errors

\c -
--
-- An allocator finds the tables of its own schema, not those that the role that
-- draws has in front: what it brings is for everybody
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_mallory;
GRANT TEMPORARY ON DATABASE :DBNAME TO regress_idgen_mallory;
CREATE SCHEMA "Own schema";
CREATE TABLE "Own schema".counters (next bigint);
INSERT INTO "Own schema".counters VALUES (1);
CREATE FUNCTION "Own schema".allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY UPDATE counters SET next = next + 5 * blocks RETURNING next - 5 * blocks, next - 1;
END $$;
SELECT idgen_create('fun', source => 'function', source_name => '"Own schema".allocate', block_size => 5);
GRANT USAGE ON SCHEMA "Own schema" TO PUBLIC;
GRANT SELECT, UPDATE ON "Own schema".counters TO PUBLIC;
SELECT idgen_next('fun') FROM generate_series(1, 5);

SET ROLE regress_idgen_mallory;
CREATE TEMPORARY TABLE counters (next bigint);
INSERT INTO counters VALUES (1);
SET search_path = pg_temp, pg_catalog, public;
SELECT public.idgen_next('fun');
SHOW search_path;
RESET ROLE;
RESET search_path;
TABLE counters;
SELECT idgen_next('fun');

-- one that sets its own keeps it
ALTER FUNCTION "Own schema".allocate SET search_path = pg_temp;
SELECT idgen_next('fun') FROM generate_series(1, 3);
SELECT idgen_next('fun');
\echo :SQLSTATE

DROP TABLE pg_temp.counters;
DROP EXTENSION idgen;
DROP SCHEMA "Own schema" CASCADE;
REVOKE TEMPORARY ON DATABASE :DBNAME FROM regress_idgen_mallory;
DROP ROLE regress_idgen_mallory;
