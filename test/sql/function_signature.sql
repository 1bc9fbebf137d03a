--
-- Functions that are no allocators are refused
--
CREATE EXTENSION idgen;
CREATE FUNCTION no_argument(OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION one_argument(text, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION other_arguments(varchar, bigint, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION wrong_order(integer, text, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION variadic_arguments(text, VARIADIC integer[], OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION any_element(text, anyelement, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION one_bigint(text, integer) RETURNS bigint LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION one_column(text, integer) RETURNS TABLE (first_id bigint) LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION three_columns(text, integer, OUT bigint, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1, 1$$;
CREATE FUNCTION integers(text, integer, OUT integer, OUT integer) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION second_is_numeric(text, integer, OUT bigint, OUT numeric) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION record(text, integer) RETURNS record LANGUAGE sql AS $$SELECT 1::bigint, 1::bigint$$;
CREATE FUNCTION nothing(text, integer) RETURNS void LANGUAGE sql AS $$SELECT 1$$;
CREATE FUNCTION array_of_two(text, integer) RETURNS bigint[] LANGUAGE sql AS $$SELECT ARRAY[1, 1]$$;
CREATE PROCEDURE procedure(text, integer, OUT bigint, OUT bigint) LANGUAGE sql AS $$SELECT 1, 1$$;
CREATE FUNCTION step(bigint, text, integer) RETURNS bigint LANGUAGE sql AS $$SELECT $1$$;
CREATE AGGREGATE aggregate(text, integer) (SFUNC = step, STYPE = bigint);
CREATE FUNCTION window_function(text, integer, OUT bigint, OUT bigint) LANGUAGE internal WINDOW AS 'window_row_number';

-- by idgen_create, which stores nothing then
CREATE FUNCTION try_create(function text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_create('gen', source => 'function', source_name => function);
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END$$;
CREATE VIEW functions AS
	SELECT proname FROM pg_proc
	WHERE pronamespace = 'public'::regnamespace AND proname NOT IN ('try_create', 'try_draw', 'step') AND
		NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e');
SELECT proname, try_create(proname) FROM functions ORDER BY proname;
SELECT count(*) FROM id_sequences;

-- by a refill
CREATE FUNCTION try_draw(function text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET source_name = 'public.' || function;
	RETURN idgen_next('gen');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.no_such');
SELECT proname, try_draw(proname) FROM functions ORDER BY proname;
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'public.one_bigint';
SELECT idgen_next('gen');
\echo :SQLSTATE

-- one that is right, at last
CREATE FUNCTION no_such(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS
	$$SELECT 1, 2$$;
UPDATE id_sequences SET source_name = 'public.no_such';
SELECT idgen_next('gen'), idgen_next('gen');

-- changed for the worse while it is in use
DROP FUNCTION no_such;
CREATE FUNCTION no_such(name text, blocks integer) RETURNS bigint LANGUAGE sql AS $$SELECT 1$$;
SELECT idgen_next('gen');
\echo :SQLSTATE
DROP FUNCTION no_such;
CREATE TYPE id_range AS (first_id bigint, last_id bigint);
CREATE FUNCTION no_such(text, integer) RETURNS id_range LANGUAGE sql AS $$SELECT (5, 5)::id_range$$;
SELECT idgen_next('gen');
ALTER TYPE id_range ADD ATTRIBUTE note text;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TYPE id_range DROP ATTRIBUTE note;
SELECT idgen_next('gen');

DROP VIEW functions;
DROP FUNCTION try_create, try_draw, no_argument, one_argument, other_arguments, wrong_order, variadic_arguments,
	any_element, one_bigint, one_column, three_columns, integers, second_is_numeric, record, nothing, array_of_two,
	no_such, window_function;
DROP PROCEDURE procedure;
DROP AGGREGATE aggregate(text, integer);
DROP FUNCTION step;
DROP TYPE id_range;
DROP EXTENSION idgen;
