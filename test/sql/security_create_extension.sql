--
-- Who may create objects in the schema into which the extension goes gets
-- nothing of theirs run by that, with the rights of the superuser who creates
-- it
--
CREATE ROLE regress_idgen_trap;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_trap;
SET ROLE regress_idgen_trap;
SET search_path = regress_idgen_schema;

-- all operators that the script has, for all the types in it
DO $$
DECLARE
	types text[] := '{int2, int4, int8, numeric, text, varchar, name, oid, regclass, float8}';
	l text;
	r text;
	op text;
BEGIN
	FOR l, r IN SELECT a, b FROM unnest(types) a, unnest(types) b LOOP
		EXECUTE format('CREATE FUNCTION trap(%s, %s) RETURNS boolean LANGUAGE plpgsql AS '
			'''BEGIN RAISE EXCEPTION ''''trapped''''; END''', l, r);
		FOREACH op IN ARRAY '{=, <>, <, >, +, -, *, /}'::text[] LOOP
			EXECUTE format('CREATE OPERATOR %s (FUNCTION = trap, LEFTARG = %s, RIGHTARG = %s)', op, l, r);
		END LOOP;
	END LOOP;
END $$;

-- functions of the server
CREATE FUNCTION trap() RETURNS integer LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION pg_extension_config_dump(regclass, text) RETURNS void LANGUAGE sql AS 'SELECT trap()';
CREATE FUNCTION pg_extension_config_dump(text, text) RETURNS void LANGUAGE sql AS 'SELECT trap()';
CREATE FUNCTION pg_extension_config_dump(VARIADIC text[]) RETURNS void LANGUAGE sql AS 'SELECT trap()';
CREATE FUNCTION round(numeric, integer) RETURNS numeric LANGUAGE sql AS 'SELECT trap()::numeric';
CREATE FUNCTION round(double precision, integer) RETURNS numeric LANGUAGE sql AS 'SELECT trap()::numeric';
RESET search_path;
RESET ROLE;

CREATE EXTENSION idgen SCHEMA regress_idgen_schema;
SELECT count(*) FROM pg_depend
	WHERE refclassid IN ('pg_operator'::regclass, 'pg_proc'::regclass) AND
		refobjid IN (SELECT oid FROM pg_operator WHERE oprowner = 'regress_idgen_trap'::regrole
			UNION ALL SELECT oid FROM pg_proc WHERE proowner = 'regress_idgen_trap'::regrole) AND
		objid NOT IN (SELECT oid FROM pg_operator WHERE oprowner = 'regress_idgen_trap'::regrole);
SELECT extname FROM pg_extension WHERE 'regress_idgen_schema.id_sequences'::regclass = ANY (extconfig);
DROP EXTENSION idgen;

-- what could be taken for one of the extension's own functions is not called:
-- at most it keeps the extension from being created
CREATE SCHEMA regress_idgen_other;
CREATE EXTENSION idgen SCHEMA regress_idgen_other;
CREATE TEMPORARY TABLE twin AS
	SELECT format('CREATE FUNCTION regress_idgen_schema.%I(%s) RETURNS integer LANGUAGE sql AS ''SELECT regress_idgen_schema.trap()''',
			proname, array_to_string(ARRAY(SELECT a::regtype::text FROM unnest(proargtypes) AS a) || 'integer DEFAULT 1'::text, ', ')) AS made
		FROM pg_proc WHERE pronamespace = 'regress_idgen_other'::regnamespace AND NOT EXISTS (
			SELECT FROM pg_type WHERE oid = ANY (proargtypes) AND (typtype = 'p' OR typnamespace <> 'pg_catalog'::regnamespace));
GRANT SELECT ON twin TO regress_idgen_trap;
DROP EXTENSION idgen;
SET ROLE regress_idgen_trap;
DO $$
DECLARE
	function text;
BEGIN
	FOR function IN SELECT made FROM twin LOOP
		EXECUTE function;
	END LOOP;
END $$;
RESET ROLE;
SELECT count(*) > 20 AS many FROM pg_proc WHERE pronamespace = 'regress_idgen_schema'::regnamespace AND proname LIKE 'idgen%';
DO $$
BEGIN
	CREATE EXTENSION idgen SCHEMA regress_idgen_schema;
EXCEPTION WHEN ambiguous_function THEN
END $$;
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS idgen;
SET ROLE regress_idgen_trap;
CREATE FUNCTION regress_idgen_schema.idgen_next(text) RETURNS bigint LANGUAGE sql
	AS 'SELECT regress_idgen_schema.trap()::bigint';
RESET ROLE;
\set VERBOSITY sqlstate
CREATE EXTENSION idgen SCHEMA regress_idgen_schema;
\set VERBOSITY default

DROP TABLE twin;
DROP SCHEMA regress_idgen_schema, regress_idgen_other CASCADE;
DROP ROLE regress_idgen_trap;
