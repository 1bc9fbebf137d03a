--
-- a session that draws from native sequences looks again when what it draws
-- from changes, and not when other relations do
--
CREATE EXTENSION idgen;
CREATE SCHEMA early;
CREATE SCHEMA late;
SET search_path = early, late, public;
CREATE SEQUENCE late.x_seq INCREMENT BY 10;
CREATE SEQUENCE late.other_seq INCREMENT BY 10;
CREATE TABLE other (a int);

-- Does a draw read anything? From the cache, it does not.
CREATE FUNCTION looks_again(name text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT idgen_next(%L, ''sequence'')', name) INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint > 0;
END $$;

SELECT idgen_next('x', 'sequence');
SELECT looks_again('x');

-- other relations
TRUNCATE other;
SELECT looks_again('x');
ALTER TABLE other ADD b int;
SELECT looks_again('x');
DROP TABLE other;
CREATE TABLE early.x (a int);
SELECT looks_again('x');
ALTER SEQUENCE other_seq RESTART 1001;
SELECT looks_again('x');
ALTER SEQUENCE other_seq INCREMENT BY 20;
SELECT looks_again('x');
CREATE SEQUENCE unrelated_seq;
SELECT looks_again('x');

-- its own sequence
ALTER SEQUENCE x_seq INCREMENT BY 5;
SELECT looks_again('x'), looks_again('x');
ALTER SEQUENCE x_seq RESTART 1001;
SELECT looks_again('x'), looks_again('x');
ALTER SEQUENCE x_seq OWNER TO CURRENT_USER;
GRANT USAGE ON SEQUENCE x_seq TO pg_monitor;
SELECT looks_again('x'), looks_again('x');

-- others of that name, which are searched earlier: not before it looks again
CREATE TEMPORARY TABLE has_made_the_schema (a int);
SELECT idgen_next('x', 'sequence') < 1100 AS late;
CREATE SEQUENCE early.x_seq START 5000;
CREATE TEMPORARY SEQUENCE x_seq START 7000;
SELECT idgen_next('x', 'sequence') < 1100 AS late;
GRANT USAGE ON SEQUENCE late.x_seq TO pg_read_all_data;
SELECT idgen_next('x', 'sequence');
DROP SEQUENCE pg_temp.x_seq;
SELECT idgen_next('x', 'sequence');
ALTER SEQUENCE early.x_seq RENAME TO z_seq;
SELECT idgen_next('x', 'sequence') < 1100 AS late;

-- with its schema, which search_path does not matter for
CREATE SEQUENCE late.y_seq START 300 INCREMENT BY 10;
SELECT idgen_next('late.y', 'sequence');
CREATE SEQUENCE early.y_seq START 9000;
SELECT looks_again('late.y');
ALTER SEQUENCE late.y_seq RESTART;
SELECT idgen_next('late.y', 'sequence');

-- many
SET client_min_messages = warning;
DO $$
BEGIN
	FOR i IN 1..1500 LOOP
		EXECUTE format('CREATE SEQUENCE late.many%s_seq INCREMENT BY 10', i);
		EXECUTE format('SELECT idgen_next(''many%s'', ''sequence'')', i);
	END LOOP;
END $$;
SELECT count(idgen_next('many' || i, 'sequence')) FROM generate_series(1, 1500) AS i;
ALTER SEQUENCE late.many1_seq RESTART 51;
ALTER SEQUENCE late.many1500_seq RESTART 61;
SELECT idgen_next('many1', 'sequence'), idgen_next('many2', 'sequence'), idgen_next('many1500', 'sequence');
DROP SCHEMA late, early CASCADE;
DROP EXTENSION idgen;
