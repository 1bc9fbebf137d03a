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
