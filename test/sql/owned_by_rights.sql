--
-- Who may have an id sequence belong to what, and with whose rights it goes
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_inserter;
CREATE ROLE regress_idgen_updater;
CREATE ROLE regress_idgen_other;
GRANT INSERT ON id_sequences TO regress_idgen_inserter;
GRANT UPDATE ON id_sequences TO regress_idgen_updater;
GRANT CREATE ON SCHEMA public TO regress_idgen_inserter, regress_idgen_updater, regress_idgen_other;
CREATE TABLE mine (id bigint);
INSERT INTO id_sequences (name, next_block_start) VALUES ('precious', 1);

-- the table must be one's own
SET ROLE regress_idgen_inserter;
SELECT idgen_create('a', owned_by => 'mine.id');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('a', 1, 'mine.id') RETURNING owned_by;
CREATE TABLE theirs (id bigserial);
SELECT idgen_adopt('theirs', 'id') IS NOT NULL;
SELECT idgen_create('b', owned_by => 'theirs.id');
UPDATE id_sequences SET owned_by = 'theirs.id' WHERE name = 'precious';
\echo :SQLSTATE

-- and the row one that one may delete
INSERT INTO id_sequences (name, next_block_start) VALUES ('precious', 1)
	ON CONFLICT (name) DO UPDATE SET owned_by = 'theirs.id';
\echo :SQLSTATE
SET ROLE regress_idgen_updater;
CREATE TABLE updaters (id bigint);
UPDATE id_sequences SET owned_by = 'updaters.id' WHERE name = 'precious';
\echo :SQLSTATE
UPDATE id_sequences SET owned_by = NULL WHERE name = 'b';
RESET ROLE;
GRANT DELETE ON id_sequences TO regress_idgen_updater;
SET ROLE regress_idgen_updater;
UPDATE id_sequences SET owned_by = 'mine.id' WHERE name = 'precious';
\echo :SQLSTATE
UPDATE id_sequences SET owned_by = 'updaters.id' WHERE name = 'precious';
RESET ROLE;
UPDATE id_sequences SET owned_by = 'mine.id' WHERE name = 'precious';

-- nor may row security keep them from deleting it
GRANT DELETE ON id_sequences TO regress_idgen_updater;
INSERT INTO id_sequences (name, next_block_start) VALUES ('kept', 1);
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON id_sequences FOR SELECT USING (true);
CREATE POLICY writes ON id_sequences FOR UPDATE USING (true);
SET ROLE regress_idgen_updater;
DELETE FROM id_sequences WHERE name = 'kept' RETURNING name;
UPDATE id_sequences SET owned_by = 'updaters.id' WHERE name = 'kept';
\echo :SQLSTATE
RESET ROLE;
DROP POLICY reads ON id_sequences;
DROP POLICY writes ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DELETE FROM id_sequences WHERE name = 'kept';

-- who drops the column needs no right to delete; row security and rules do not
-- count
ALTER TABLE theirs OWNER TO regress_idgen_other;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE RULE keep AS ON DELETE TO id_sequences DO INSTEAD NOTHING;
SET ROLE regress_idgen_other;
DELETE FROM id_sequences;
\echo :SQLSTATE
DROP TABLE theirs;
RESET ROLE;
DROP RULE keep ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
SELECT name, owned_by FROM id_sequences ORDER BY name;

-- a table of others that draws does not get the row: they could delete it
CREATE TABLE drawn (id serial);
SELECT idgen_adopt('drawn', 'id') IS NOT NULL;
SET ROLE regress_idgen_other;
CREATE TABLE draws (id bigint DEFAULT idgen_next('public.drawn.id'));
RESET ROLE;
DROP TABLE drawn;
SELECT name, owned_by FROM id_sequences WHERE name = 'public.drawn.id';
SET ROLE regress_idgen_other;
ALTER TABLE draws ALTER id TYPE smallint;
DROP TABLE draws;
RESET ROLE;
SELECT name, max_value FROM id_sequences WHERE name = 'public.drawn.id';
DELETE FROM id_sequences WHERE name = 'public.drawn.id';

-- but one of a role that whoever drops the column is a member of, or that may
-- delete the row
CREATE TABLE drawn (id serial);
SELECT idgen_adopt('drawn', 'id') IS NOT NULL;
CREATE TABLE draws (LIKE drawn INCLUDING ALL);
ALTER TABLE drawn OWNER TO regress_idgen_other;
ALTER TABLE draws OWNER TO regress_idgen_inserter;
GRANT regress_idgen_inserter TO regress_idgen_other;
SET ROLE regress_idgen_other;
DROP TABLE drawn;
RESET ROLE;
SELECT name, owned_by FROM id_sequences WHERE name = 'public.drawn.id';
CREATE TABLE draws_too (LIKE draws INCLUDING ALL);
ALTER TABLE draws_too OWNER TO regress_idgen_updater;
DROP TABLE draws;
SELECT name, owned_by FROM id_sequences WHERE name = 'public.drawn.id';
DROP TABLE draws_too;
SELECT name, owned_by FROM id_sequences WHERE name = 'public.drawn.id';

-- triggers on id_sequences run with the rights of its owner
CREATE TABLE log (what text, who name DEFAULT current_user);
GRANT INSERT ON log TO PUBLIC;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO public.log VALUES (TG_WHEN || ' ' || TG_OP || ' ' || TG_LEVEL || ' ' || coalesce(OLD.name, ''));
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END$$;
CREATE TRIGGER n1 BEFORE DELETE OR UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER n2 AFTER DELETE OR UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER n3 BEFORE DELETE OR UPDATE ON id_sequences EXECUTE FUNCTION note();
CREATE TRIGGER n4 AFTER DELETE OR UPDATE ON id_sequences EXECUTE FUNCTION note();
CREATE TRIGGER n5 AFTER UPDATE OF max_value ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TABLE again (id serial, other bigint);
SELECT idgen_adopt('again', 'id') IS NOT NULL;
ALTER TABLE again OWNER TO regress_idgen_other;
SET ROLE regress_idgen_other;
ALTER TABLE again ALTER id TYPE bigint;
ALTER TABLE again ALTER other SET DEFAULT idgen_next('public.again.id');
ALTER TABLE again DROP COLUMN id;
DROP TABLE again;
RESET ROLE;
SELECT * FROM log;

-- they can keep the row, or the column
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER n0 BEFORE DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION keep();
CREATE TABLE kept (id serial);
SELECT idgen_adopt('kept', 'id') IS NOT NULL;
DROP TABLE kept;
SELECT name, owned_by FROM id_sequences WHERE name = 'public.kept.id';
DROP TRIGGER n0 ON id_sequences;
DELETE FROM id_sequences WHERE name = 'public.kept.id';
CREATE TABLE noted (name varchar(255) COLLATE "C" REFERENCES id_sequences);
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id') IS NOT NULL;
INSERT INTO noted VALUES ('public.orders.id');
DROP TABLE orders;
\echo :SQLSTATE
DROP TABLE noted;

-- nor may a stranger's default be in the way that nobody has the stack to read
SET ROLE regress_idgen_other;
DO $$
BEGIN
	FOR depth IN REVERSE 20000 .. 1000 BY 500 LOOP
		BEGIN
			EXECUTE format('CREATE TABLE deep (id bigint DEFAULT idgen_next(''public.shallow.id'') %s)', repeat('+ 1', depth));
			EXIT;
		EXCEPTION WHEN statement_too_complex THEN
			NULL;
		END;
	END LOOP;
END$$;
RESET ROLE;
CREATE TABLE shallow (id serial);
SELECT idgen_adopt('shallow', 'id') IS NOT NULL;
SELECT column_name FROM idgen_columns WHERE relation IN ('shallow'::regclass, 'deep'::regclass);
SELECT columns, problem FROM idgen_health WHERE name = 'public.shallow.id';
DROP TABLE shallow;
DROP TABLE deep;

-- what lies in front of search_path is not used
CREATE SCHEMA regress_idgen_trap;
CREATE FUNCTION regress_idgen_trap.pg_event_trigger_dropped_objects() RETURNS SETOF record LANGUAGE plpgsql
	AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE FUNCTION regress_idgen_trap.is_equal(oid, oid) RETURNS boolean LANGUAGE plpgsql
	AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE OPERATOR regress_idgen_trap.= (FUNCTION = regress_idgen_trap.is_equal, LEFTARG = oid, RIGHTARG = oid);
CREATE TABLE regress_idgen_trap.id_sequences (name text, owned_by text);
SET search_path = regress_idgen_trap, pg_catalog, public;
DROP TABLE public.orders;
RESET search_path;
SELECT name FROM id_sequences ORDER BY name;

SET client_min_messages = warning;
DROP EXTENSION idgen CASCADE;
DROP SCHEMA regress_idgen_trap CASCADE;
DROP FUNCTION note, keep;
DROP TABLE mine, log;
DROP OWNED BY regress_idgen_inserter, regress_idgen_updater, regress_idgen_other;
DROP ROLE regress_idgen_inserter, regress_idgen_updater, regress_idgen_other;
