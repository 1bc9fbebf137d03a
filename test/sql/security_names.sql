--
-- Whatever names and settings are in the way, they are names, and no SQL
--
-- needs test/idgen.conf
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
