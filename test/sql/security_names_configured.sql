--
-- Security: names that others have put into the way
--
-- needs test/idgen.conf
--

--
-- Whatever names and settings are in the way, they are names, and no SQL
--
\set SHOW_CONTEXT never
CREATE SCHEMA "Id s; DROP TABLE victim; %s";
CREATE EXTENSION idgen SCHEMA "Id s; DROP TABLE victim; %s";
CREATE TABLE victim (id integer);
CREATE ROLE "regress_idgen_""u'ser";
GRANT USAGE ON SCHEMA "Id s; DROP TABLE victim; %s" TO "regress_idgen_""u'ser";
SET search_path = "Id s; DROP TABLE victim; %s", public;
\getenv inputdir PG_ABS_SRCDIR
\set nonstandard_strings :inputdir '/include/nonstandard_strings.sql'
\i :nonstandard_strings
SET backslash_quote = on;
SET quote_all_identifiers = on;
SET client_min_messages = warning;

-- a name that ends whatever it may be put into
CREATE FUNCTION bad_name() RETURNS text IMMUTABLE LANGUAGE sql
	RETURN E'\\''"; DROP TABLE victim; --%s%n$$ \\';
SELECT idgen_create(bad_name(), layout => 'plain');
SELECT idgen_next(bad_name()), idgen_next_big(bad_name()), idgen_peek(bad_name()), idgen_last(bad_name());
SELECT idgen_restart(bad_name(), 100);
SELECT * FROM idgen_next_range(bad_name(), 30);
SELECT name = bad_name() AS same, ids_issued FROM idgen_stats;
SELECT idgen_next(bad_name() || 'x');
SELECT idgen_next(bad_name(), bad_name());
SELECT idgen_create('a', source => bad_name());
SELECT idgen_create('a', refill => bad_name());
SELECT idgen_create('a', layout => bad_name());

-- with a policy that takes a query, and by the worker
CREATE TABLE public.allowed (name text);
INSERT INTO public.allowed VALUES (bad_name()), ('by worker' || bad_name());
SELECT idgen_create('by worker' || bad_name(), refill => 'worker');
GRANT SELECT ON public.allowed TO PUBLIC;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (name IN (SELECT a.name FROM public.allowed a));
SET ROLE "regress_idgen_""u'ser";
SELECT idgen_next(bad_name());
SELECT idgen_next('by worker' || bad_name());
SELECT idgen_next('other' || bad_name());
RESET ROLE;
SET idgen.auto_create = on;
SELECT idgen_next('made' || bad_name());
RESET idgen.auto_create;

-- sequences, functions and servers
CREATE SEQUENCE public."s""'; DROP TABLE victim; --\_seq" INCREMENT BY 10;
SELECT idgen_next(E'public."s""''; DROP TABLE victim; --\\"', 'sequence');
SELECT idgen_create('seq' || bad_name(), source => 'sequence', source_name => E'public."s""''; DROP TABLE victim; --\\_seq"');
SELECT idgen_next('seq' || bad_name());
SELECT idgen_create('seq2', source => 'sequence', source_name => bad_name());
CREATE FUNCTION public."f""'; DROP TABLE victim; --\"(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1::bigint, 5::bigint';
SELECT idgen_create('func' || bad_name(), source => 'function', source_name => E'public."f""''; DROP TABLE victim; --\\"');
SELECT idgen_next('func' || bad_name());
SELECT idgen_create('serv', source => 'server', source_name => bad_name());

-- moving columns there and back
CREATE SCHEMA "t""'; DROP TABLE victim; --\";
CREATE TABLE "t""'; DROP TABLE victim; --\"."t""'; DROP TABLE victim; --\" ("c""'; DROP TABLE victim; --\" serial);
SELECT idgen_adopt(E'"t""''; DROP TABLE victim; --\\"."t""''; DROP TABLE victim; --\\"', E'c"''; DROP TABLE victim; --\\', 'moved' || bad_name());
INSERT INTO "t""'; DROP TABLE victim; --\"."t""'; DROP TABLE victim; --\" DEFAULT VALUES RETURNING *;
SELECT idgen_release(E'"t""''; DROP TABLE victim; --\\"."t""''; DROP TABLE victim; --\\"', E'c"''; DROP TABLE victim; --\\');

SELECT count(*) FROM victim;
RESET ALL;
SET client_min_messages = warning;
DROP EXTENSION idgen;
DROP SCHEMA "Id s; DROP TABLE victim; %s", "t""'; DROP TABLE victim; --\" CASCADE;
DROP SEQUENCE "s""'; DROP TABLE victim; --\_seq";
DROP FUNCTION "f""'; DROP TABLE victim; --\";
DROP TABLE victim, allowed;
DROP ROLE "regress_idgen_""u'ser";
\set SHOW_CONTEXT errors

\c -
--
-- A function that somebody puts beside one of ours, in the same schema, is not
-- called in its place, though it may match as well but for a cast
--
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_mallory;
GRANT CREATE ON SCHEMA public TO regress_idgen_mallory;
CREATE TABLE run (function text, role name);
GRANT INSERT ON run TO PUBLIC;
CREATE FUNCTION neighbour(type regtype, with_type integer) RETURNS text LANGUAGE sql
	RETURN CASE type WHEN 'text'::regtype THEN (ARRAY['varchar', 'name', 'anyelement', 'bpchar'])[with_type]
		WHEN 'oid'::regtype THEN (ARRAY['regclass', 'integer', 'anyelement', 'bigint'])[with_type]
		WHEN 'smallint'::regtype THEN (ARRAY['integer', 'bigint', 'anyelement', 'numeric'])[with_type]
		WHEN 'integer'::regtype THEN (ARRAY['smallint', 'bigint', 'anyelement', 'numeric'])[with_type]
		WHEN 'bigint'::regtype THEN (ARRAY['integer', 'numeric', 'anyelement', 'smallint'])[with_type]
		WHEN 'numeric'::regtype THEN (ARRAY['integer', 'bigint', 'anyelement', 'double precision'])[with_type]
		ELSE type::text END;
CREATE TABLE ours AS
	SELECT p.oid::regproc::text AS name, p.proargtypes::regtype[] AS types
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'idgen'
	WHERE p.pronargs > 0 AND p.prorettype <> ALL ('{trigger, event_trigger, internal, cstring}'::regtype[])
		AND 'internal'::regtype <> ALL (p.proargtypes::regtype[]) AND p.proname !~ '^idgen_column_(in|out|recv|send|eq|ne|lt|le|gt|ge|cmp)$';
GRANT SELECT ON ours TO PUBLIC;

-- each of our functions gets neighbours, in which one argument is of another
-- type, or all are
SET ROLE regress_idgen_mallory;
DO $$
DECLARE
	f record;
	made integer := 0;
BEGIN
	FOR f IN SELECT DISTINCT o.name, string_agg(CASE WHEN k = place OR k = 0 THEN neighbour(t, n) ELSE t::text END, ', ' ORDER BY place) AS arguments
		FROM ours AS o CROSS JOIN generate_series(1, 4) AS n CROSS JOIN generate_series(0, 17) AS k
			CROSS JOIN unnest(o.types[0:]) WITH ORDINALITY AS a (t, place)
		WHERE k <= cardinality(o.types)
		GROUP BY o.ctid, o.name, n, k
	LOOP
		BEGIN
			EXECUTE format('CREATE FUNCTION public.%s(%s) RETURNS text LANGUAGE plpgsql AS $x$
				BEGIN INSERT INTO public.run VALUES (%1$L, current_user); RETURN NULL; END $x$', f.name, f.arguments);
			made := made + 1;
		EXCEPTION WHEN duplicate_function OR invalid_function_definition OR undefined_object OR wrong_object_type OR insufficient_privilege OR feature_not_supported THEN
			NULL;
		END;
	END LOOP;
	RAISE NOTICE 'many: %', made > 200;
END $$;
RESET ROLE;

-- everything that is written in SQL or PL/pgSQL
CREATE TABLE adopted (id serial PRIMARY KEY);
CREATE TABLE missing (id bigint DEFAULT idgen_next('missing'::text), t text DEFAULT idgen_next_text('texts'::text),
	big numeric DEFAULT idgen_next_big('missing'::text));
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('public.adopted.id', 1, 'adopted.id'), ('texts', 1, NULL);
ALTER TABLE adopted ALTER id SET DEFAULT idgen_next('public.adopted.id'::text);
INSERT INTO adopted VALUES (1000);
INSERT INTO missing VALUES (50, '70', 80);
CREATE TABLE lost (id bigint DEFAULT idgen_next('lost'::text));
INSERT INTO lost VALUES (90);
SELECT count(*) FROM idgen_columns;
SELECT name, problem_kind FROM idgen_health WHERE name IS NOT NULL;
SELECT idgen_sync('adopted'::regclass, 'id'::name, 'auto'::text);
SELECT idgen_sync(NULL::regclass, NULL::name, 'auto'::text);
SELECT count(*) FROM idgen_stats;
SELECT count(*) FROM idgen_cache;
CREATE TABLE moved (id serial, other integer NOT NULL);
SELECT idgen_adopt(relation => 'moved'::regclass, column_name => 'id'::name);
SELECT idgen_adopt(relation => 'moved'::regclass, column_name => 'other'::name);
SELECT idgen_release(relation => 'moved'::regclass, column_name => 'id'::name);
SELECT idgen_release(relation => 'moved'::regclass, column_name => 'other'::name, kind => 'serial'::text);
SELECT idgen_create(name => 'made/*'::text, period => 'year'::text, format => '{YYYY}-{id}'::text);
SELECT idgen_create(name => 'made'::text, owned_by => 'moved.id'::text, id_type => 'integer'::text);
INSERT INTO id_sequences (name, next_block_start, template, period) VALUES ('made/x', 1, 'made/*', 'year');
SELECT idgen_apply_template(template => 'made/*'::text);
INSERT INTO id_sequences_by_last_id VALUES ('by last', 7);
UPDATE id_sequences_by_last_id SET seq_count = 9 WHERE seq_name = 'by last';
SELECT idgen_reserve_node(number => 5, reserved_for => 'a test'::text);
TABLE run;

DROP TABLE adopted, missing, lost, moved;
DROP OWNED BY regress_idgen_mallory;
DROP EXTENSION idgen;
DROP TABLE run, ours;
DROP FUNCTION neighbour;
DROP ROLE regress_idgen_mallory;
