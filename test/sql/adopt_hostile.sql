--
-- Nothing that stands in the way of the search_path, or looks like a part of
-- the extension, is used in moving a column
--
CREATE SCHEMA regress_idgen_trap;
CREATE SCHEMA regress_idgen_schema;
CREATE FUNCTION regress_idgen_trap.trap() RETURNS integer LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION regress_idgen_trap.trap(integer) RETURNS integer LANGUAGE sql AS 'SELECT regress_idgen_trap.trap()';
CREATE FUNCTION regress_idgen_trap.trap_text(text, text) RETURNS boolean LANGUAGE sql
	AS 'SELECT regress_idgen_trap.trap() > 0';
CREATE FUNCTION regress_idgen_trap.trap_varchar(varchar, text) RETURNS boolean LANGUAGE sql
	AS 'SELECT regress_idgen_trap.trap() > 0';
CREATE AGGREGATE regress_idgen_trap.max(integer) (SFUNC = int4pl, STYPE = integer, FINALFUNC = regress_idgen_trap.trap);
CREATE OPERATOR regress_idgen_trap.= (FUNCTION = regress_idgen_trap.trap_text, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR regress_idgen_trap.= (FUNCTION = regress_idgen_trap.trap_varchar, LEFTARG = varchar, RIGHTARG = text);
CREATE DOMAIN regress_idgen_trap.int8 AS text;
CREATE DOMAIN regress_idgen_trap.text AS integer;
CREATE TABLE regress_idgen_trap.id_sequences (name varchar(255) PRIMARY KEY, next_block_start integer,
	block_size integer, max_value bigint, layout pg_catalog.text);
CREATE FUNCTION regress_idgen_trap.idgen_next(pg_catalog.text) RETURNS bigint LANGUAGE sql
	AS 'SELECT regress_idgen_trap.trap()';

-- in the extension's own schema
CREATE FUNCTION regress_idgen_schema.idgen_create(name pg_catalog.text, next_block_start bigint, max_value bigint)
	RETURNS void LANGUAGE sql AS 'SELECT regress_idgen_trap.trap()';
CREATE FUNCTION regress_idgen_schema.idgen_next(name varchar) RETURNS bigint LANGUAGE sql
	AS 'SELECT regress_idgen_trap.trap()';
CREATE FUNCTION regress_idgen_schema.idgen_next(name name) RETURNS bigint LANGUAGE sql
	AS 'SELECT regress_idgen_trap.trap()';
CREATE EXTENSION idgen SCHEMA regress_idgen_schema;

CREATE TABLE public.orders (id serial, item varchar);
INSERT INTO public.orders (item) VALUES ('a'), ('b');
CREATE TABLE regress_idgen_trap.orders (id integer);
CREATE SEQUENCE regress_idgen_trap.orders_id_seq;
SET search_path = regress_idgen_trap, pg_catalog, regress_idgen_schema;

-- the traps do work
\set SHOW_CONTEXT never
SELECT max(id) FROM public.orders;
SELECT 'a'::pg_catalog.text = 'a'::pg_catalog.text;
SELECT 'no number'::int8;

SELECT regress_idgen_schema.idgen_adopt('public.orders', 'id');
INSERT INTO public.orders (item) VALUES ('c') RETURNING id;
SELECT name, next_block_start FROM regress_idgen_schema.id_sequences;
SELECT count(*) FROM regress_idgen_trap.id_sequences;
SELECT relname FROM pg_class WHERE relname = 'orders_id_seq';
SELECT regress_idgen_schema.idgen_release('public.orders', 'id');
INSERT INTO public.orders (item) VALUES ('d') RETURNING id;

-- what looks like idgen_next() is none
CREATE TABLE public.like_moved (id bigint DEFAULT regress_idgen_trap.idgen_next('a'::pg_catalog.text),
	id2 bigint DEFAULT regress_idgen_schema.idgen_next('a'::varchar));
SELECT regress_idgen_schema.idgen_release('public.like_moved', 'id');
SELECT regress_idgen_schema.idgen_release('public.like_moved', 'id2');
SELECT regress_idgen_schema.idgen_adopt('public.like_moved', 'id');
SELECT regress_idgen_schema.idgen_adopt('public.like_moved', 'id2');

RESET search_path;
SET client_min_messages = warning;
DROP TABLE orders, like_moved;
DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_trap, regress_idgen_schema CASCADE;
