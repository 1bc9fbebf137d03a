--
-- A function whose owner has the privileges of the role that draws, but not
-- those of the role that has become this one, does not get at the latter
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
CREATE ROLE regress_idgen_app;
CREATE ROLE regress_idgen_member IN ROLE regress_idgen_app;
CREATE SCHEMA regress_a;
GRANT USAGE ON SCHEMA regress_a TO PUBLIC;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'runs as %', current_user;
	BEGIN
		PERFORM set_config('role', 'none', false);
		RAISE NOTICE 'has become the session''s user';
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE NOTICE '%', SQLERRM;
	END;
	BEGIN
		PERFORM set_config('session_authorization', session_user, false);
		RAISE NOTICE 'may change the session''s user';
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE NOTICE '%', SQLERRM;
	END;
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
SELECT idgen_create('gen', block_size => 1, source => 'function', source_name => 'regress_a.allocate');
ALTER FUNCTION regress_a.allocate OWNER TO regress_idgen_member;

-- for a session that has become the role, or the session's user
SET ROLE regress_idgen_app;
SELECT idgen_next('gen'), current_user;
RESET ROLE;
SET SESSION AUTHORIZATION regress_idgen_app;
SELECT idgen_next('gen'), current_user;
RESET SESSION AUTHORIZATION;

-- an owner with the rights of the session's user, too, is not restricted
ALTER FUNCTION regress_a.allocate OWNER TO CURRENT_USER;
SET ROLE regress_idgen_app;
SELECT idgen_next('gen');
RESET ROLE;

DROP EXTENSION idgen;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_app, regress_idgen_member;
