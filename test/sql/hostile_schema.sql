--
-- Nothing that somebody has put into the extension's schema before is used by
-- it
--
CREATE SCHEMA regress_idgen_schema;
SET search_path = regress_idgen_schema, public;
CREATE FUNCTION trap(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR <> (FUNCTION = trap, LEFTARG = varchar, RIGHTARG = varchar);
CREATE FUNCTION trap(numeric, bigint) RETURNS numeric LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR - (FUNCTION = trap, LEFTARG = numeric, RIGHTARG = bigint);
CREATE FUNCTION trap(integer, numeric) RETURNS numeric LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR * (FUNCTION = trap, LEFTARG = integer, RIGHTARG = numeric);
CREATE FUNCTION trap(numeric, integer) RETURNS numeric LANGUAGE plpgsql AS
	$$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR + (FUNCTION = trap, LEFTARG = numeric, RIGHTARG = integer);

CREATE EXTENSION idgen SCHEMA regress_idgen_schema;
SELECT idgen_create('gen');
SELECT idgen_next('gen'::text);
SELECT name, percent_left FROM idgen_stats;
SELECT name, state FROM idgen_cache;

-- the traps do work, though
SELECT name <> ''::varchar FROM id_sequences;

RESET search_path;
SET client_min_messages = warning;
DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_schema CASCADE;
