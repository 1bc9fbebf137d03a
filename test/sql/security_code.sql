--
-- Security: code on tables runs with nobody else's rights
--

--
-- A CHECK constraint on id_sequences, or a default, is code of the table's
-- owner: a refill, or a draw that makes a row, runs it as the owner, not as the
-- role that draws
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_drawer;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner;
CREATE FUNCTION runs_as() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF current_user = 'regress_idgen_drawer' THEN
		RAISE EXCEPTION 'it runs as %', current_user;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION silent() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NEW; END';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('parts', 1, 2);
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;

ALTER TABLE id_sequences ADD CONSTRAINT by_function CHECK (next_block_start > 0 AND runs_as());
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET ROLE;
CREATE TRIGGER silent BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION silent();
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET ROLE;
DROP TRIGGER silent ON id_sequences;

-- a row that is made
ALTER TABLE id_sequences ALTER max_value SET DEFAULT CASE WHEN runs_as() THEN 4 END;
SELECT idgen_create('child/*', block_size => 2, max_value => 4);
SET idgen.auto_create = on;
SET ROLE regress_idgen_drawer;
SELECT idgen_next('child/1');
SELECT idgen_next('made');
RESET ROLE;
RESET idgen.auto_create;
SELECT name, max_value FROM id_sequences WHERE name IN ('made', 'child/1') ORDER BY name;

DROP EXTENSION idgen;
DROP FUNCTION silent, runs_as;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_drawer;
\set VERBOSITY default

\c -
--
-- Anybody can make a default that draws, of whatever constant. Those who drop
-- or move another table read it: that does no harm
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by FROM id_sequences ORDER BY name;
CREATE TYPE regress_idgen_color AS ENUM ('red');
CREATE FUNCTION regress_idgen_text(regress_idgen_color) RETURNS text LANGUAGE sql AS $$SELECT 'o'$$;
CREATE CAST (regress_idgen_color AS text) WITH FUNCTION regress_idgen_text(regress_idgen_color);
CREATE TABLE odd (
	boolean bigint DEFAULT idgen_next(true::text),
	source bigint DEFAULT idgen_next('q', true::text),
	char bigint DEFAULT idgen_next('o'::"char"::text),
	enum bigint DEFAULT idgen_next('red'::regress_idgen_color::text),
	null_name bigint DEFAULT idgen_next(NULL),
	computed bigint DEFAULT idgen_next('o' || 'p'));

-- names that are found, in whatever type
CREATE TABLE named (id bigint);
CREATE TABLE padded (id bigint);
CREATE TABLE varying (id bigint);
CREATE TABLE orders (id bigserial);
SELECT idgen_adopt('orders', 'id', 'o') IS NOT NULL;
ALTER TABLE named ALTER id SET DEFAULT idgen_next('o'::name);
DROP TABLE orders;
TABLE owned;
ALTER TABLE padded ALTER id SET DEFAULT idgen_next('o'::char(5));
DROP TABLE named;
TABLE owned;
ALTER TABLE varying ALTER id SET DEFAULT idgen_next('o'::varchar);
DROP TABLE padded;
TABLE owned;
SELECT idgen_sync('varying', 'id');
SELECT idgen_release('varying', 'id');
SELECT * FROM idgen_sync();
DROP TABLE varying;

DROP TABLE odd;
DROP CAST (regress_idgen_color AS text);
DROP FUNCTION regress_idgen_text;
DROP TYPE regress_idgen_color;
DROP VIEW owned;
DROP EXTENSION idgen;

\c -
--
-- The expressions of indexes that the owner of id_sequences has put on it run
-- as the owner when somebody draws, even a superuser, and with no way out:
-- drawing calls for SELECT only, so it is not the caller's business what is
-- written
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
CREATE TABLE run_by (who text, what text);
CREATE TABLE deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED);
GRANT ALL ON run_by, deferred TO regress_idgen_owner;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_owner;
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;

SET ROLE regress_idgen_owner;
CREATE FUNCTION regress_idgen_schema.act() RETURNS void LANGUAGE plpgsql AS
	'BEGIN INSERT INTO public.run_by VALUES (current_user, current_setting(''search_path'')); END';
CREATE FUNCTION regress_idgen_schema.note(value bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM regress_idgen_schema.act();
	RETURN value;
END $$;
CREATE INDEX ON id_sequences (regress_idgen_schema.note(next_block_start));
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 2), ('gapless', 1, 1);
RESET ROLE;

-- a superuser, and a role without any right of the owner's
TRUNCATE run_by;
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT * FROM run_by;
TRUNCATE run_by;
SET ROLE regress_idgen_user;
SELECT max(idgen_next('gen')) FROM generate_series(1, 3);
SELECT current_user, current_setting('search_path');
RESET ROLE;
SELECT * FROM run_by;

-- when a transaction puts gapless ids back before its commit, too
BEGIN;
SELECT max(idgen_next('gapless')) FROM generate_series(1, 17);
TRUNCATE run_by;
COMMIT;
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE who <> 'regress_idgen_owner') AS others FROM run_by;

-- in there, nobody becomes somebody else, by whatever way
PREPARE draw AS SELECT idgen_next('gen') FROM generate_series(1, 3);
CREATE FUNCTION try(body text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION regress_idgen_schema.act() RETURNS void LANGUAGE plpgsql AS %L', body);
END $$;
\set SHOW_CONTEXT never
SELECT try('BEGIN PERFORM pg_read_file(''PG_VERSION''); END');
EXECUTE draw;
SELECT try('BEGIN RESET ROLE; END');
EXECUTE draw;
SELECT try('BEGIN SET SESSION AUTHORIZATION DEFAULT; END');
EXECUTE draw;
SELECT try('BEGIN CREATE TEMPORARY TABLE t (); END');
EXECUTE draw;
SELECT try('BEGIN LISTEN x; END');
EXECUTE draw;
SELECT try('BEGIN INSERT INTO public.deferred VALUES (1), (1); END');
EXECUTE draw;

-- settings do not stay, and the next draw works
SELECT try('BEGIN PERFORM set_config(''regress_idgen.seen'', ''yes'', false); END');
EXECUTE draw;
SELECT coalesce(nullif(current_setting('regress_idgen.seen', true), ''), 'nothing') AS seen;

-- a refill within a refill takes other ids, and does no harm
SELECT try('BEGIN IF current_setting(''regress_idgen.depth'', true) IS DISTINCT FROM ''1'' THEN
	PERFORM set_config(''regress_idgen.depth'', ''1'', true);
	INSERT INTO public.run_by VALUES (public.idgen_next(''gen''), ''drawn inside'');
	END IF; END');
TRUNCATE run_by;
CREATE TABLE drawn (id bigint UNIQUE);
INSERT INTO drawn SELECT idgen_next('gen') FROM generate_series(1, 20);
INSERT INTO drawn SELECT who::bigint FROM run_by;
SELECT count(*) AS drawn FROM drawn;

DEALLOCATE draw;
DROP FUNCTION try;
DROP TABLE drawn, run_by, deferred;
DROP EXTENSION idgen;
SET client_min_messages = warning;
DROP SCHEMA regress_idgen_schema CASCADE;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
--
-- To find how far the ids in a column have gone runs no code of anybody's, and
-- tells nothing of tables that the caller may not read
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_app;
CREATE SCHEMA app AUTHORIZATION regress_idgen_app;
SET ROLE regress_idgen_app;
CREATE FUNCTION app.f(bigint DEFAULT 1) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_idgen_app' THEN
		RAISE 'code of regress_idgen_app runs as somebody else';
	END IF;
	RETURN true;
END $$;
CREATE TABLE app.t (id bigint PRIMARY KEY, tenant boolean);
INSERT INTO app.t VALUES (1000, true);
RESET ROLE;
SELECT idgen_create('gen'), idgen_create('of view'), idgen_create('partitioned');
GRANT SELECT, INSERT, UPDATE ON id_sequences TO regress_idgen_app;

-- a view of the caller's, over a table of somebody else, is not read
GRANT DELETE ON id_sequences TO regress_idgen_app;
CREATE VIEW v AS SELECT id FROM app.t WHERE tenant = app.f();
ALTER VIEW v ALTER id SET DEFAULT idgen_next('of view');
CREATE VIEW missing AS SELECT id FROM app.t WHERE tenant = app.f();
ALTER VIEW missing ALTER id SET DEFAULT idgen_next('missing');
SELECT idgen_sync('v', 'id');
\echo :SQLSTATE
SELECT idgen_sync();
SELECT idgen_sync();

-- neither is one of somebody else, over a table that the caller may not read
CREATE TABLE secret (id bigint PRIMARY KEY);
INSERT INTO secret VALUES (123456);
CREATE VIEW app.few AS SELECT id FROM secret WHERE id < 10;
ALTER VIEW app.few ALTER id SET DEFAULT idgen_next('of view');
GRANT SELECT, INSERT ON app.few TO regress_idgen_app;
SET ROLE regress_idgen_app;
SELECT idgen_sync('app.few', 'id');
RESET ROLE;
DROP VIEW v, missing, app.few;
DROP TABLE secret;

-- a partition of somebody else
CREATE TABLE parent (id bigint DEFAULT idgen_next('partitioned')) PARTITION BY RANGE (id);
CREATE TABLE app.part PARTITION OF parent FOR VALUES FROM (1) TO (1000000);
ALTER TABLE app.part OWNER TO regress_idgen_app;
INSERT INTO parent VALUES (500);
SET ROLE regress_idgen_app;
CREATE INDEX ON app.part (id) WHERE app.f(1);
ALTER TABLE app.part ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.part FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON app.part USING (app.f(id) AND id < 10);
RESET ROLE;
SELECT idgen_sync('parent', 'id');
DELETE FROM id_sequences WHERE name = 'partitioned';
SELECT idgen_sync('parent');
DROP TABLE parent;

-- whoever moves columns of others over, and back
SET ROLE regress_idgen_app;
CREATE TABLE app.moved (id serial, other integer);
INSERT INTO app.moved VALUES (77);
CREATE INDEX ON app.moved (id) WHERE app.f(1);
ALTER TABLE app.moved ALTER id DROP NOT NULL, ADD CHECK (app.f(1) OR id > 0);
RESET ROLE;
SELECT idgen_adopt('app.moved', 'id');
SELECT idgen_release('app.moved', 'id');
SELECT idgen_adopt('app.moved', 'id');
ALTER TABLE app.moved ALTER id DROP NOT NULL;
SELECT idgen_release('app.moved', 'id', 'serial');
DROP TABLE app.moved;

-- where owners differ, nobody's CHECK is run with the rights of another
CREATE TABLE parent (id bigint) PARTITION BY RANGE (id);
CREATE TABLE app.part PARTITION OF parent FOR VALUES FROM (1) TO (1000000);
SELECT idgen_adopt('parent', 'id', 'of owners');
ALTER TABLE app.part OWNER TO regress_idgen_app;
SET ROLE regress_idgen_app;
ALTER TABLE app.part ADD CHECK (app.f(1) OR id > 0);
RESET ROLE;
SELECT substring(idgen_release('parent', 'id') FROM '^[^;]*; [^;]*');
\echo :SQLSTATE
SET ROLE regress_idgen_app;
ALTER TABLE app.part ALTER id SET NOT NULL;
RESET ROLE;
ALTER TABLE parent ALTER id SET NOT NULL;
SELECT substring(idgen_release('parent', 'id') FROM '^[^;]*; [^;]*');

DROP TABLE parent;
DROP EXTENSION idgen;
DROP SCHEMA app CASCADE;
DROP ROLE regress_idgen_app;
\set SHOW_CONTEXT errors

\c -
--
-- A function whose owner has the privileges of the role that draws, but not
-- those of the role that has become this one, does not get at the latter
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
CREATE ROLE regress_idgen_app;
CREATE ROLE regress_idgen_member IN ROLE regress_idgen_app;
CREATE SCHEMA regress_a;
GRANT USAGE ON SCHEMA regress_a TO PUBLIC;
CREATE FUNCTION regress_a.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'runs as %', current_user;
	BEGIN
		PERFORM set_config('role', 'none', false);
		RAISE NOTICE 'has become the session''s user';
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE NOTICE '%', SQLERRM;
	END;
	BEGIN
		PERFORM set_config('session_authorization', session_user, false);
		RAISE NOTICE 'may change the session''s user';
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE NOTICE '%', SQLERRM;
	END;
	RETURN QUERY SELECT 1::bigint, 1::bigint;
END$$;
SELECT idgen_create('gen', block_size => 1, source => 'function', source_name => 'regress_a.allocate');
ALTER FUNCTION regress_a.allocate OWNER TO regress_idgen_member;

-- for a session that has become the role, or the session's user
SET ROLE regress_idgen_app;
SELECT idgen_next('gen'), current_user;
RESET ROLE;
SET SESSION AUTHORIZATION regress_idgen_app;
SELECT idgen_next('gen'), current_user;
RESET SESSION AUTHORIZATION;

-- an owner with the rights of the session's user, too, is not restricted
ALTER FUNCTION regress_a.allocate OWNER TO CURRENT_USER;
SET ROLE regress_idgen_app;
SELECT idgen_next('gen');
RESET ROLE;

DROP EXTENSION idgen;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_app, regress_idgen_member;
