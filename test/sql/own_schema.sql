--
-- The extension in a schema of its own, which is not in the search_path: all
-- works, and what messages say to call can be called as they say it
--
CREATE SCHEMA idgen;
CREATE EXTENSION idgen SCHEMA idgen;

-- Run a statement. Returns the hint of its error; and the same for the call
-- that the hint says, up to "depth" times.
CREATE FUNCTION public.follow(statement text, depth integer DEFAULT 0) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
	call text;
BEGIN
	BEGIN
		EXECUTE statement;
		RETURN NEXT 'works: ' || statement;
		RETURN;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		RETURN NEXT sqlstate || ' ' || hint;
	END;
	call = substring(hint FROM 'SELECT (.*?\))[,.]');
	IF call IS NOT NULL AND depth > 0 THEN
		RETURN QUERY SELECT * FROM public.follow('SELECT ' || call, depth - 1);
	END IF;
END
$$;

-- quick start, with qualified names
SELECT idgen.idgen_create('orders', block_size => 10);
CREATE TABLE public.orders (id bigint PRIMARY KEY DEFAULT idgen.idgen_next('orders'), item text);
INSERT INTO public.orders (item) VALUES ('a'), ('b') RETURNING id;
CREATE TABLE public.customers (id serial PRIMARY KEY, name text);
INSERT INTO public.customers (name) VALUES ('c');
CREATE TABLE public.invoices (id integer PRIMARY KEY, day date);

-- each of these with nothing of the extension in the search_path, nor of the
-- user
SET search_path = pg_catalog;
SELECT first_id, last_id FROM idgen.idgen_cache WHERE name = 'orders';
SELECT idgen.idgen_adopt('public.customers', 'id', refill => 'transaction');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.customers'::regclass;
INSERT INTO public.customers (name) VALUES ('d') RETURNING id;
COPY public.customers (name) FROM stdin;
e
f
\.
SELECT * FROM public.customers ORDER BY id;
INSERT INTO public.customers VALUES (100, 'imported');
SELECT idgen.idgen_sync('public.customers');
SELECT problem FROM idgen.idgen_health WHERE name = 'orders';
INSERT INTO public.orders VALUES (30, 'imported');
SELECT problem FROM idgen.idgen_health WHERE name = 'orders';
SELECT idgen.idgen_sync('public.orders', 'id');
SELECT column_name, kind, draws_from FROM idgen.idgen_columns WHERE relation = 'public.customers'::regclass;
SELECT name, ids_issued FROM idgen.idgen_stats ORDER BY name;
SELECT seq_name FROM idgen.id_sequences_by_last_id ORDER BY seq_name;
SELECT idgen.idgen_release('public.customers', 'id', 'serial');
INSERT INTO public.customers (name) VALUES ('g') RETURNING id;
SELECT idgen.idgen_adopt('public.invoices', 'id', refill => 'transaction');
INSERT INTO public.invoices VALUES (DEFAULT, '2026-01-01') RETURNING id;
DROP TABLE public.invoices;
SELECT name FROM idgen.id_sequences ORDER BY name;

-- what hints say
SELECT public.follow($$SELECT idgen.idgen_next('unknown')$$, 1);
SELECT public.follow($$SELECT idgen.idgen_next('unknown')$$);
SELECT public.follow($$SELECT idgen.idgen_next('unknown native', 'server')$$);
SELECT public.follow($$SELECT idgen.idgen_last('unknown2')$$);
SELECT idgen.idgen_create('tenant/*', max_children => 1), idgen.idgen_create('bills', period => 'year', refill => 'transaction');
SELECT public.follow($$SELECT idgen.idgen_peek('tenant/a'), idgen.idgen_last('tenant/a')$$);
SELECT idgen.idgen_next('tenant/a');
SELECT public.follow($$SELECT idgen.idgen_next('tenant/b')$$);
SELECT regexp_replace(public.follow($$SELECT idgen.idgen_restart('bills', 5)$$), '/\d{4}', '/9999');
SELECT regexp_replace(public.follow($$SELECT idgen.idgen_unscramble('bills', 5)$$), '/\d{4}', '/9999');
SELECT public.follow($$SELECT idgen.idgen_last('orders2') FROM idgen.idgen_create('orders2')$$);
SELECT idgen.idgen_create('end', 9223372036854775807);
SELECT idgen.idgen_next('end');
SELECT public.follow($$SELECT idgen.idgen_next('end')$$);
SELECT public.follow($$UPDATE idgen.id_sequences SET exhausted = 0 WHERE name = 'end'$$);
CREATE SEQUENCE public.end_seq START 9223372036854775807;
SELECT idgen.idgen_create('native end', source => 'sequence', source_name => 'public.end_seq');
SELECT idgen.idgen_next('native end');
SELECT public.follow($$SELECT idgen.idgen_next('native end')$$);
SELECT idgen.idgen_create('composed', 100000000000000, layout => 'prefixed');
SELECT public.follow($$SELECT idgen.idgen_parts(1::bigint, 'scrambled')$$);
CREATE TABLE public.computed (id bigint DEFAULT 1000 + idgen.idgen_next('orders'));
CREATE TABLE public.composed (id bigint DEFAULT idgen.idgen_next('composed'));
SELECT public.follow($$SELECT idgen.idgen_sync('public.computed', 'id')$$);
SELECT public.follow($$SELECT idgen.idgen_sync('public.composed', 'id')$$);
CREATE SEQUENCE public.labels_id_seq;
CREATE TABLE public.labels (id bigint DEFAULT nextval('public.labels_id_seq'));
SELECT idgen.idgen_adopt('public.labels', 'id', refill => 'transaction');
CREATE SEQUENCE public.pooled_seq INCREMENT BY 10;
SELECT idgen.idgen_create('pooled', source => 'sequence', source_name => 'public.pooled_seq');
UPDATE idgen.id_sequences SET pooling = 'pooled' WHERE name = 'pooled';

-- the same, where the search_path leads to it: there may be other functions of
-- that name before it
SET search_path = public, idgen;
SELECT follow($$SELECT idgen_next('unknown3')$$, 1);
SELECT follow($$SELECT idgen_next('end')$$);
INSERT INTO orders VALUES (60, 'imported');
SELECT problem FROM idgen_health WHERE name = 'orders';
RESET search_path;

-- a role that may not use the schema drops and alters its tables all the same
CREATE ROLE regress_idgen_owner;
CREATE SCHEMA regress_idgen_own AUTHORIZATION regress_idgen_owner;
CREATE TABLE regress_idgen_own.t (id serial, no serial);
SELECT idgen.idgen_adopt('regress_idgen_own.t', 'id'), idgen.idgen_adopt('regress_idgen_own.t', 'no');
CREATE TABLE regress_idgen_own.copy (LIKE regress_idgen_own.t INCLUDING ALL);
ALTER TABLE regress_idgen_own.t OWNER TO regress_idgen_owner;
ALTER TABLE regress_idgen_own.copy OWNER TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
ALTER TABLE regress_idgen_own.t ALTER no TYPE bigint;
ALTER TABLE regress_idgen_own.t DROP no;
DROP TABLE regress_idgen_own.t;
RESET ROLE;
SELECT name, owned_by FROM idgen.id_sequences WHERE name ~ '^regress_idgen_own' ORDER BY name;
DROP SCHEMA regress_idgen_own CASCADE;
SELECT name, owned_by FROM idgen.id_sequences WHERE name ~ '^regress_idgen_own' ORDER BY name;
DROP ROLE regress_idgen_owner;

DROP FUNCTION follow(text, integer);
DROP TABLE orders, customers, computed, composed, labels;
DROP SEQUENCE end_seq, pooled_seq, labels_id_seq;
DROP EXTENSION idgen;
DROP SCHEMA idgen;

-- whatever it is called
CREATE SCHEMA "50% of It";
CREATE EXTENSION idgen SCHEMA "50% of It";
SET search_path = pg_catalog;
SELECT "50% of It".idgen_create('ahead');
CREATE TABLE public.ahead (id bigint PRIMARY KEY DEFAULT "50% of It".idgen_next('ahead'));
INSERT INTO public.ahead VALUES (50);
SELECT problem FROM "50% of It".idgen_health WHERE name = 'ahead';
SELECT "50% of It".idgen_sync();
RESET search_path;
DROP TABLE ahead;
DROP EXTENSION idgen;
DROP SCHEMA "50% of It";
