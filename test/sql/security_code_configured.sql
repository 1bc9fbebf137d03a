--
-- Security: code on tables runs with nobody else's rights
--
-- needs test/idgen.conf
--

--
-- What stands on id_sequences runs as its owner when somebody draws. So only
-- roles with the owner's rights put triggers there, and a function runs only if
-- it belongs to a role that could do all that anyway. The function of a trigger
-- may be SECURITY DEFINER, too. So a role with the privilege TRIGGER, or whose
-- function the owner has used, gets nobody's rights.
--
\set VERBOSITY terse
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_mallory;
CREATE ROLE regress_idgen_drawer;
GRANT TRIGGER, REFERENCES ON id_sequences TO regress_idgen_mallory;
CREATE TABLE seen (kind text, as_role name);
GRANT INSERT ON seen TO PUBLIC;
INSERT INTO id_sequences (name, next_block_start, block_size, refill)
	VALUES ('parts', 1, 2, 'transaction'), ('gapless', 1, 1, 'transaction'), ('ahead', 1, 2, 'worker'), ('t/*', 1, 20, 'transaction');
CREATE TABLE dropped (id bigint);
SELECT idgen_create('dropped', owned_by => 'dropped.id');
CREATE SCHEMA mallory AUTHORIZATION regress_idgen_mallory;
SET ROLE regress_idgen_mallory;
CREATE FUNCTION mallory.grab() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen VALUES (TG_WHEN || ' ' || TG_OP || ' ' || coalesce(NEW.name, OLD.name), current_user);
	RETURN coalesce(NEW, OLD);
END $$;
CREATE FUNCTION mallory.condition(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen VALUES ('condition', current_user);
	RETURN true;
END $$;
CREATE FUNCTION mallory.same(bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
CREATE TRIGGER grab BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();
\echo :SQLSTATE
CREATE OR REPLACE TRIGGER idgen_row_changed AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();
RESET ROLE;
CREATE TRIGGER grab BEFORE INSERT OR UPDATE OR DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();
CREATE TRIGGER grab_after AFTER INSERT OR UPDATE OR DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.grab();

-- whoever draws, whichever session refills
SELECT idgen_next('parts');
\echo :SQLSTATE
SET ROLE regress_idgen_drawer;
SELECT idgen_next('gapless');
SELECT idgen_next('t/1');
RESET ROLE;
SELECT idgen_next('parts');
SELECT idgen_next('ahead');
\echo :SQLSTATE
SELECT problem FROM idgen_health WHERE problem_kind = 'code_refused';
BEGIN;
DROP TABLE dropped;
SELECT name FROM id_sequences WHERE name = 'dropped';
ROLLBACK;
TABLE seen;

-- as its own owner it may do what it likes
ALTER FUNCTION mallory.grab() SECURITY DEFINER;
SELECT problem FROM idgen_health WHERE problem_kind = 'code_refused';
SET ROLE regress_idgen_drawer;
SELECT idgen_next('parts'), idgen_next('t/1'), idgen_next('ahead');
SELECT count(idgen_next('gapless')) FROM generate_series(1, 10);
RESET ROLE;
DROP TABLE dropped;
SELECT DISTINCT kind COLLATE "C", as_role FROM seen ORDER BY 1;
DELETE FROM seen;

-- that holds even if its owner takes it back in the middle of a refill
SET ROLE regress_idgen_mallory;
CREATE FUNCTION mallory.take_back() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$
BEGIN
	ALTER FUNCTION mallory.grab() SECURITY INVOKER;
	RETURN NEW;
END $$;
RESET ROLE;
CREATE TRIGGER a_take_back BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION mallory.take_back();
SELECT count(idgen_next('gapless'));
SELECT DISTINCT as_role FROM seen;
SELECT idgen_next('gapless');
DROP TRIGGER a_take_back ON id_sequences;
DELETE FROM seen;

-- so it may if the table's owner could do it; and no longer
ALTER FUNCTION mallory.grab() SECURITY INVOKER;
ALTER FUNCTION mallory.grab() OWNER TO CURRENT_USER;
SELECT idgen_next('parts') FROM generate_series(1, 3);
SELECT DISTINCT as_role FROM seen;
ALTER FUNCTION mallory.grab() OWNER TO regress_idgen_mallory;
SELECT idgen_next('parts') FROM generate_series(1, 3);
DROP TRIGGER grab ON id_sequences;
DROP TRIGGER grab_after ON id_sequences;
DELETE FROM seen;

-- a condition of a trigger, a constraint, a default, an index
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER on_condition AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (mallory.condition(NEW.name)) EXECUTE FUNCTION nothing();
SELECT idgen_next('parts') FROM generate_series(1, 3);
DROP TRIGGER on_condition ON id_sequences;
ALTER TABLE id_sequences ADD CONSTRAINT c CHECK (mallory.condition(next_block_start)) NOT VALID;
SELECT idgen_next('parts') FROM generate_series(1, 3);
ALTER TABLE id_sequences DROP CONSTRAINT c;
CREATE TRIGGER on_condition AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (mallory.condition(NEW.name)) EXECUTE FUNCTION idgen_row_changed();
SELECT idgen_next('parts') FROM generate_series(1, 3);
DROP TRIGGER on_condition ON id_sequences;
ALTER FUNCTION mallory.condition(anyelement) SECURITY DEFINER; -- what it is called with would be computed before
ALTER TABLE id_sequences ADD CONSTRAINT c CHECK (mallory.condition(next_block_start)) NOT VALID;
SELECT idgen_next('parts') FROM generate_series(1, 3);
ALTER TABLE id_sequences DROP CONSTRAINT c;
CREATE DOMAIN positive AS bigint CHECK (mallory.condition(VALUE));
ALTER TABLE id_sequences ADD CONSTRAINT c CHECK (next_block_start::public.positive > 0) NOT VALID;
SELECT idgen_next('parts') FROM generate_series(1, 3);
ALTER TABLE id_sequences DROP CONSTRAINT c;
ALTER TABLE id_sequences ADD CONSTRAINT c CHECK (('{' || next_block_start || '}')::public.positive[] IS NOT NULL) NOT VALID;
SELECT idgen_next('parts') FROM generate_series(1, 3);
ALTER TABLE id_sequences DROP CONSTRAINT c;
DROP DOMAIN positive;
DELETE FROM seen;
ALTER TABLE id_sequences ALTER time_zone SET DEFAULT mallory.condition('x'::text)::text;
SET idgen.auto_create = on;
SELECT idgen_next('made');
RESET idgen.auto_create;
ALTER TABLE id_sequences ALTER time_zone DROP DEFAULT;
CREATE INDEX i ON id_sequences (mallory.same(next_block_start));
SELECT problem FROM idgen_health WHERE problem_kind = 'code_refused';
SELECT idgen_next('parts') FROM generate_series(1, 3);
TABLE seen;
DROP INDEX i;

-- a foreign key, which would fire triggers of its own table
SET ROLE regress_idgen_mallory;
CREATE TABLE mallory.refers (name varchar(255) COLLATE "C" REFERENCES public.id_sequences ON UPDATE CASCADE ON DELETE CASCADE);
CREATE FUNCTION mallory.cascaded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen VALUES ('cascade', current_user);
	RETURN NULL;
END $$;
CREATE TRIGGER cascaded AFTER DELETE ON mallory.refers FOR EACH ROW EXECUTE FUNCTION mallory.cascaded();
RESET ROLE;
CREATE TABLE dropped (id bigint);
SELECT idgen_create('dropped', owned_by => 'dropped.id');
INSERT INTO mallory.refers VALUES ('dropped'), ('gapless');
ALTER TABLE dropped OWNER TO regress_idgen_drawer;
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('gapless')); -- leaves the name as it is
DROP TABLE dropped;
RESET ROLE;
SELECT name FROM id_sequences WHERE name = 'dropped';
TABLE seen;
DROP TABLE mallory.refers;

-- A refill is no statement, so it fires no trigger with transition tables: what
-- that looks for by their names would be somebody's temporary table.
CREATE FUNCTION in_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.seen SELECT 'transition ' || note, current_user FROM after_it;
	RETURN NULL;
END $$;
CREATE TRIGGER in_transition AFTER UPDATE ON id_sequences REFERENCING NEW TABLE AS after_it
	FOR EACH ROW EXECUTE FUNCTION in_transition();
SET ROLE regress_idgen_drawer;
CREATE TEMPORARY TABLE after_it (note text);
INSERT INTO after_it VALUES ('of the drawer');
SELECT count(idgen_next('gapless'));
DROP TABLE after_it;
RESET ROLE;
TABLE seen;
DROP TRIGGER in_transition ON id_sequences;

-- what is the owner's runs as the owner
CREATE FUNCTION owners(bigint) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF current_user = 'regress_idgen_drawer' THEN
		RAISE EXCEPTION 'a constraint runs as %', current_user;
	END IF;
	RETURN true;
END $$;
ALTER TABLE id_sequences ADD CHECK (public.owners(next_block_start));
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(idgen_next('ahead')) FROM generate_series(1, 200);
RESET ROLE;

DROP EXTENSION idgen;
DROP TABLE seen;
DROP SCHEMA mallory CASCADE;
DROP FUNCTION owners, nothing, in_transition;
DROP ROLE regress_idgen_mallory, regress_idgen_drawer;
\set VERBOSITY default

\c -
--
-- Anybody can make a table whose default draws from the id sequence of somebody
-- else: it moves, exhausts, alarms and blocks nothing
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_app;
CREATE ROLE regress_idgen_migrator;
CREATE ROLE regress_idgen_stranger;
CREATE SCHEMA app AUTHORIZATION regress_idgen_app;
CREATE SCHEMA stranger AUTHORIZATION regress_idgen_stranger;
GRANT USAGE ON SCHEMA stranger TO PUBLIC;
SET ROLE regress_idgen_app;
CREATE TABLE app.orders (id serial PRIMARY KEY);
CREATE TABLE app.copies (id bigint PRIMARY KEY);
INSERT INTO app.orders SELECT FROM generate_series(1, 3);
RESET ROLE;
SELECT idgen_adopt('app.orders', 'id', 'orders');
GRANT UPDATE ON id_sequences TO regress_idgen_app;
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.small (id smallint PRIMARY KEY DEFAULT idgen_next('orders'));
CREATE TABLE stranger.huge (id bigint PRIMARY KEY DEFAULT idgen_next('orders'));
CREATE DOMAIN stranger.domain AS bigint DEFAULT idgen_next('orders');
INSERT INTO stranger.huge VALUES (9223372036854775800);
INSERT INTO stranger.small VALUES (32767);
RESET ROLE;

-- health names them, and does not mind them
SELECT columns, limit_value, problem_kind FROM idgen_health WHERE name = 'orders';

-- neither does anybody's idgen_sync
SELECT idgen_sync('app.orders', 'id');
SELECT idgen_sync('app.orders');
SELECT idgen_sync();
SET ROLE regress_idgen_app;
SELECT idgen_sync('app.orders', 'id');
RESET ROLE;
SELECT next_block_start < 1000 AS stayed FROM id_sequences WHERE name = 'orders';

-- other tables of the owner count, and those of roles that act for it
SET ROLE regress_idgen_app;
ALTER TABLE app.copies ALTER id SET DEFAULT idgen_next('orders');
INSERT INTO app.copies VALUES (5000);
RESET ROLE;
SELECT idgen_sync('app.orders', 'id');
GRANT regress_idgen_app TO regress_idgen_migrator;
ALTER TABLE app.copies OWNER TO regress_idgen_migrator;
INSERT INTO app.copies VALUES (6000);
SELECT columns, problem_kind FROM idgen_health WHERE name = 'orders';
SELECT idgen_sync('app.orders', 'id');
SELECT columns, problem_kind FROM idgen_health WHERE name = 'orders';

-- so does a role that may delete the row; and who names a table answers for it
REVOKE regress_idgen_app FROM regress_idgen_migrator;
INSERT INTO app.copies VALUES (7000);
SELECT idgen_sync('app.orders', 'id');
GRANT DELETE ON id_sequences TO regress_idgen_migrator;
SELECT idgen_sync('app.orders', 'id');
BEGIN;
SELECT idgen_sync('stranger.small', 'id');
ROLLBACK;
DROP TABLE app.copies;

-- a native sequence: the columns of roles that may set it
SET ROLE regress_idgen_app;
CREATE SEQUENCE app.numbers_seq INCREMENT BY 10;
GRANT USAGE ON SCHEMA app TO regress_idgen_stranger;
GRANT USAGE ON SEQUENCE app.numbers_seq TO regress_idgen_stranger;
CREATE TABLE app.numbers (id bigint PRIMARY KEY DEFAULT idgen_next('app.numbers', 'sequence'));
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.numbers (id bigint PRIMARY KEY DEFAULT idgen_next('app.numbers', 'sequence'));
INSERT INTO stranger.numbers VALUES (9223372036854775800);
RESET ROLE;
INSERT INTO app.numbers VALUES (70);
SELECT idgen_sync('app.numbers', 'id');
SELECT idgen_sync();
DROP TABLE app.numbers;

-- it keeps no column from being moved back
SELECT idgen_release('app.orders', 'id');

-- a row that is missing
SET ROLE regress_idgen_app;
ALTER TABLE app.orders ALTER id DROP IDENTITY, ALTER id SET DEFAULT idgen_next('orders');
CREATE TABLE app.adopted (id bigint DEFAULT idgen_next('app.adopted.id'));
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.adopted (id bigint DEFAULT idgen_next('app.adopted.id'));
INSERT INTO stranger.adopted VALUES (9223372036854775800);
RESET ROLE;
SELECT idgen_sync();
SELECT idgen_sync('app.orders');
SELECT name, next_block_start, max_value, owned_by FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP SCHEMA app, stranger CASCADE;
DROP ROLE regress_idgen_app, regress_idgen_migrator, regress_idgen_stranger;
