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
