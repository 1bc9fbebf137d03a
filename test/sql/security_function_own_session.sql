--
-- A function of the role that has logged in runs as any code of that role does.
-- If another role has become its owner by SET ROLE, the function runs
-- restricted: what it leaves behind in the session would outlive the SET ROLE
--
-- needs roles that can connect
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_author LOGIN PASSWORD 'secret';
CREATE SCHEMA regress_a AUTHORIZATION regress_idgen_author;
SELECT current_user AS superuser \gset
SET ROLE regress_idgen_author;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMPORARY TABLE left_behind ON COMMIT DROP AS SELECT 1;
	RETURN QUERY SELECT 1::bigint, 10::bigint;
END$$;
RESET ROLE;
SELECT idgen_create('gen', source => 'function', source_name => 'regress_a.allocate');

SET ROLE regress_idgen_author;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

\connect -reuse-previous=on "user=regress_idgen_author password=secret"
SELECT idgen_next('gen');
SELECT idgen_next('gen');

\connect - :superuser
DROP EXTENSION idgen CASCADE;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_author;
