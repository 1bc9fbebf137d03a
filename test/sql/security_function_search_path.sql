--
-- An allocator finds the tables of its own schema, not those that the role that
-- draws has in front: what it brings is for everybody
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_mallory;
GRANT TEMPORARY ON DATABASE :DBNAME TO regress_idgen_mallory;
CREATE SCHEMA "Own schema";
CREATE TABLE "Own schema".counters (next bigint);
INSERT INTO "Own schema".counters VALUES (1);
CREATE FUNCTION "Own schema".allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY UPDATE counters SET next = next + 5 * blocks RETURNING next - 5 * blocks, next - 1;
END $$;
SELECT idgen_create('fun', source => 'function', source_name => '"Own schema".allocate', block_size => 5);
GRANT USAGE ON SCHEMA "Own schema" TO PUBLIC;
GRANT SELECT, UPDATE ON "Own schema".counters TO PUBLIC;
SELECT idgen_next('fun') FROM generate_series(1, 5);

SET ROLE regress_idgen_mallory;
CREATE TEMPORARY TABLE counters (next bigint);
INSERT INTO counters VALUES (1);
SET search_path = pg_temp, pg_catalog, public;
SELECT public.idgen_next('fun');
SHOW search_path;
RESET ROLE;
RESET search_path;
TABLE counters;
SELECT idgen_next('fun');

-- one that sets its own keeps it
ALTER FUNCTION "Own schema".allocate SET search_path = pg_temp;
SELECT idgen_next('fun') FROM generate_series(1, 3);
SELECT idgen_next('fun');
\echo :SQLSTATE

DROP TABLE pg_temp.counters;
DROP EXTENSION idgen;
DROP SCHEMA "Own schema" CASCADE;
REVOKE TEMPORARY ON DATABASE :DBNAME FROM regress_idgen_mallory;
DROP ROLE regress_idgen_mallory;
