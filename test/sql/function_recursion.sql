--
-- Allocators that draw ids themselves, and that change id_sequences
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 10;
CREATE FUNCTION allocate_x(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := 100 * idgen_next('y');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
CREATE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('t') + idgen_next('gen', 'sequence');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES
	('x', 1, 'function', 'public.allocate_x'), ('y', 1, 'function', 'public.allocate_y'), ('t', 1, 'table', NULL);

-- from others
SELECT idgen_next('x') FROM generate_series(1, 6);
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;
BEGIN;
SELECT idgen_next('x') FROM generate_series(1, 3);
ROLLBACK;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;

-- from its own: refused
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('y') + 1;
	last_id := first_id;
	RETURN NEXT;
END$$;
SELECT count(idgen_next('y')) FROM generate_series(1, 3);
\echo :SQLSTATE
SELECT count(idgen_next('y')) FROM generate_series(1, 3);
\echo :SQLSTATE

-- by way of another one, too
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_next('x');
	last_id := first_id;
	RETURN NEXT;
END$$;
SELECT count(idgen_next('y')) FROM generate_series(1, 5);
\echo :SQLSTATE
SELECT count(idgen_next('x')) FROM generate_series(1, 5);
\echo :SQLSTATE

-- caught by the allocator, that is nothing worse than a failed draw
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		first_id := idgen_next('y');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		RAISE NOTICE '%', SQLERRM;
		first_id := 50000;
	END;
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
DELETE FROM id_sequences WHERE name = 'y';
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('y', 1, 'function', 'public.allocate_y');
SELECT idgen_next('y'), idgen_next('y');
SELECT idgen_last('y');

-- looking at itself
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := idgen_last('y') + 1;
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
SELECT idgen_next('y') FROM generate_series(1, 4);

-- a range that cannot be had, from an allocator that draws single ids: each
-- call counts its own refills, so the outer one ends
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		PERFORM idgen_next('y');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		NULL;
	END;
	first_id := nextval('gen_seq');
	last_id := first_id + 1;
	RETURN NEXT;
END$$;
SET statement_timeout = '20s';
SELECT idgen_next_range('y', 5);
\echo :SQLSTATE
RESET statement_timeout;

-- an allocator that drops its own row: what it returns is void
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM id_sequences s WHERE s.name = 'y';
	RETURN QUERY SELECT 1::bigint, 5::bigint;
END$$;
SELECT idgen_next('y');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences WHERE name = 'y';
SELECT count(*) FROM idgen_cache WHERE name = 'y';

-- works again after all this
CREATE OR REPLACE FUNCTION allocate_y(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 70000, 70009$$;
SELECT idgen_next('y');
SELECT idgen_next('x') > 0 AS drawn;

DROP FUNCTION allocate_x, allocate_y;
DROP SEQUENCE gen_seq;
DROP EXTENSION idgen;
