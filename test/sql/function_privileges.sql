--
-- An allocator runs with the rights of the role that draws
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
ALTER TABLE counter OWNER TO regress_idgen_owner;
CREATE FUNCTION allocate(text, integer, OUT bigint, OUT bigint) LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'called by %', current_user;
	UPDATE public.counter SET next_id = next_id + 2 RETURNING next_id - 2, next_id - 1 INTO $3, $4;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
PREPARE draw AS SELECT idgen_next('gen');

-- what the function does takes the caller's privileges
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
SET ROLE regress_idgen_owner;
EXECUTE draw;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, UPDATE ON counter TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
REVOKE UPDATE ON counter FROM regress_idgen_user;

-- EXECUTE on the function is needed for a refill only
REVOKE EXECUTE ON FUNCTION allocate FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

-- SECURITY DEFINER: those of its owner
GRANT EXECUTE ON FUNCTION allocate TO PUBLIC;
ALTER FUNCTION allocate OWNER TO regress_idgen_owner;
ALTER FUNCTION allocate SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
SET ROLE regress_idgen_user;
EXECUTE draw;
EXECUTE draw;
SELECT current_user;
RESET ROLE;

-- in a schema without USAGE
CREATE SCHEMA regress_a;
ALTER FUNCTION allocate SET SCHEMA regress_a;
UPDATE id_sequences SET source_name = 'regress_a.allocate';
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON SCHEMA regress_a TO regress_idgen_user;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;

-- SELECT on id_sequences, as for any source
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

DEALLOCATE draw;
DROP FUNCTION regress_a.allocate;
DROP SCHEMA regress_a;
DROP TABLE counter;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user, regress_idgen_owner;
