--
-- Triggers of others on id_sequences run with the rights of the role that
-- draws, as those of any table run with the rights of the role that writes:
-- never with those of the table's owner, whichever session refills.
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
CREATE ROLE regress_idgen_mallory;
CREATE ROLE regress_idgen_drawer;
GRANT TRIGGER ON id_sequences TO regress_idgen_mallory;
CREATE TABLE seen (id serial, kind text, as_role name);
GRANT INSERT ON seen TO PUBLIC;
GRANT USAGE ON SEQUENCE seen_id_seq TO PUBLIC;
INSERT INTO id_sequences (name, next_block_start, block_size, refill)
	VALUES ('parts', 1, 2, 'transaction'), ('gapless', 1, 1, 'transaction'), ('ahead', 1, 2, 'worker');

SET idgen.auto_create = on;
CREATE SCHEMA mallory AUTHORIZATION regress_idgen_mallory;
SET ROLE regress_idgen_mallory;
CREATE FUNCTION mallory.grab() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen (kind, as_role) VALUES (TG_NAME || ' ' || NEW.name, current_user);
	IF has_table_privilege('pg_catalog.pg_authid', 'UPDATE') AND current_user <> 'regress_idgen_mallory' THEN
		RAISE EXCEPTION '% runs with the rights of %', TG_NAME, current_user;
	END IF;
	RETURN NEW;
END $$;
CREATE FUNCTION mallory.condition(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen (kind, as_role) VALUES ('condition ' || $1, current_user);
	RETURN true;
END $$;
CREATE TRIGGER before_insert BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();
CREATE TRIGGER after_insert AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();
CREATE TRIGGER before_update BEFORE UPDATE ON id_sequences FOR EACH ROW
	WHEN (mallory.condition(NEW.name)) EXECUTE FUNCTION mallory.grab();
CREATE CONSTRAINT TRIGGER deferred AFTER UPDATE ON id_sequences DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION mallory.grab();

-- by that role, and by another one; a row is made, blocks are taken and given
-- back
SELECT idgen_next('made'), idgen_next('parts');
SELECT count(idgen_next('gapless')) FROM generate_series(1, 10);
SELECT idgen_next('ahead');
RESET ROLE;
SET ROLE regress_idgen_drawer;
SELECT idgen_next('made too'), count(idgen_next('parts')) FROM generate_series(1, 2);
SELECT count(idgen_next('gapless')) FROM generate_series(1, 10);
SELECT count(idgen_next('ahead')) FROM generate_series(1, 10);
RESET ROLE;
RESET idgen.auto_create;
SELECT DISTINCT kind COLLATE "C", as_role COLLATE "C" FROM seen ORDER BY 1, 2;

-- gapless ids go back in the name of the role that drew them, not of the one
-- that has looked at what comes next
CREATE FUNCTION look() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT idgen_peek(''gapless'')';
DELETE FROM seen;
SET ROLE regress_idgen_drawer;
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 100);
SELECT look() > 0 AS looked;
COMMIT;
RESET ROLE;
SELECT DISTINCT as_role COLLATE "C" FROM seen ORDER BY 1;

-- the owner's code still runs as the owner
CREATE FUNCTION owners(bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF current_user = 'regress_idgen_drawer' THEN
		RAISE EXCEPTION 'a constraint runs as %', current_user;
	END IF;
	RETURN true;
END $$;
DROP TRIGGER deferred ON id_sequences;
DROP TRIGGER before_update ON id_sequences;
ALTER TABLE id_sequences ADD CHECK (public.owners(next_block_start));
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(idgen_next('ahead')) FROM generate_series(1, 200);
RESET ROLE;

DROP EXTENSION idgen;
DROP TABLE seen;
DROP SCHEMA mallory CASCADE;
DROP FUNCTION owners, look;
DROP ROLE regress_idgen_mallory, regress_idgen_drawer;
