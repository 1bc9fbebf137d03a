--
-- Triggers of others on id_sequences
--

--
-- Row triggers of others on id_sequences see every refill, as they see every
-- UPDATE.
--
CREATE EXTENSION idgen;

CREATE TABLE log (id serial, op text, name text, old_start bigint, new_start bigint, new_exhausted int);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (op, name, old_start, new_start, new_exhausted)
		VALUES (TG_WHEN || ' ' || TG_OP, NEW.name, OLD.next_block_start, NEW.next_block_start, NEW.exhausted);
	RETURN NEW;
END $$;
CREATE TRIGGER zz_audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();

INSERT INTO id_sequences (name, next_block_start, block_size, max_value)
	VALUES ('parts', 1, 5, 1000), ('short', 1, 5, 8), ('gapless', 1, 1, 1000);
SELECT count(idgen_next('parts')) FROM generate_series(1, 12);
SELECT count(idgen_next('short')) FROM generate_series(1, 8);
SELECT op, name, old_start, new_start, new_exhausted FROM log ORDER BY id;

-- of a gapless id sequence, the ids that go back at commit as well
TRUNCATE log;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 20);
SELECT name, min(old_start), max(new_start) FROM log GROUP BY name;
SELECT new_start, (SELECT next_block_start FROM id_sequences WHERE name = 'gapless')
	FROM log ORDER BY id DESC LIMIT 1;
-- each begins where the one before has ended
SELECT count(*) FROM (SELECT old_start, lag(new_start) OVER (ORDER BY id) AS before FROM log) AS l
	WHERE old_start <> before;

-- what a rollback undoes, triggers are undone with
TRUNCATE log;
BEGIN;
SELECT count(idgen_next('parts')) FROM generate_series(1, 12);
ROLLBACK;
SELECT count(*) FROM log;

-- the columns that an UPDATE would name, and conditions
TRUNCATE log;
CREATE TRIGGER of_start AFTER UPDATE OF next_block_start ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start > OLD.next_block_start) EXECUTE FUNCTION audit();
CREATE TRIGGER of_layout AFTER UPDATE OF layout ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
CREATE TRIGGER of_none AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start < OLD.next_block_start) EXECUTE FUNCTION audit();
DROP TRIGGER zz_audit ON id_sequences;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT op, name, old_start, new_start FROM log ORDER BY id;
DROP TRIGGER of_start ON id_sequences;
DROP TRIGGER of_layout ON id_sequences;
DROP TRIGGER of_none ON id_sequences;

-- a disabled trigger does not fire; one for replicas does in one
TRUNCATE log;
CREATE TRIGGER zz_audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
ALTER TABLE id_sequences DISABLE TRIGGER zz_audit;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(*) FROM log;
ALTER TABLE id_sequences ENABLE REPLICA TRIGGER zz_audit;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(*) FROM log;
SET session_replication_role = replica;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET session_replication_role;
SELECT count(*) FROM log;

-- rows that auto_create makes are seen, too
DROP TRIGGER zz_audit ON id_sequences;
TRUNCATE log;
CREATE FUNCTION audit_insert() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (op, name, new_start) VALUES (TG_WHEN || ' ' || TG_OP, NEW.name, NEW.next_block_start);
	RETURN NEW;
END $$;
CREATE TRIGGER before_insert BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit_insert();
CREATE TRIGGER after_insert AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit_insert();
SET idgen.auto_create = on;
SELECT idgen_next('made');
RESET idgen.auto_create;
SELECT op, name, new_start FROM log ORDER BY id;

DROP EXTENSION idgen;
DROP TABLE log;
DROP FUNCTION audit, audit_insert;

\c -
--
-- BEFORE triggers of others on id_sequences: a refill that they suppress or
-- turn into something else fails, and loses nothing.
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('parts', 1, 2), ('gapless', 1, 1);

-- suppressed
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION suppress();
\set VERBOSITY default
SELECT idgen_next('parts');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT idgen_next('gapless');
DROP TRIGGER suppress ON id_sequences;
SELECT idgen_next('parts'), idgen_next('gapless');

-- changed, each column
CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	CASE TG_ARGV[0]
		WHEN 'next_block_start' THEN NEW.next_block_start := NEW.next_block_start + 1;
		WHEN 'exhausted' THEN NEW.exhausted := 1;
		WHEN 'name' THEN NEW.name := 'other';
		WHEN 'block_size' THEN NEW.block_size := NEW.block_size + 1;
		WHEN 'max_value' THEN NEW.max_value := 100;
		WHEN 'source' THEN NEW.source := 'sequence';
		WHEN 'start_value' THEN NEW.start_value := NULL;
	END CASE;
	RETURN NEW;
END $$;
DO $$
DECLARE
	col text;
BEGIN
	FOREACH col IN ARRAY '{next_block_start,exhausted,name,block_size,max_value,source,start_value}'::text[] LOOP
		EXECUTE format('CREATE TRIGGER change BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION change(%L)', col);
		BEGIN
			PERFORM idgen_next('parts') FROM generate_series(1, 2);
			RAISE NOTICE '% not refused', col;
		EXCEPTION WHEN OTHERS THEN
			RAISE NOTICE '% %', SQLSTATE, SQLERRM;
		END;
		DROP TRIGGER change ON id_sequences;
	END LOOP;
END $$;
SELECT idgen_next('parts'), idgen_next('gapless');

-- a trigger that updates the row itself
CREATE FUNCTION update_it() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE id_sequences SET start_value = 100 WHERE name = NEW.name;
	RETURN NEW;
END $$;
CREATE TRIGGER update_it BEFORE UPDATE ON id_sequences FOR EACH ROW
	WHEN (pg_trigger_depth() = 0 AND NEW.start_value IS DISTINCT FROM 100) EXECUTE FUNCTION update_it();
SELECT idgen_next('gapless');
\echo :SQLSTATE
DROP TRIGGER update_it ON id_sequences;
CREATE TRIGGER update_it AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.start_value IS DISTINCT FROM 100) EXECUTE FUNCTION update_it();
SELECT idgen_next('gapless') FROM generate_series(1, 12);
SELECT name, next_block_start, start_value FROM id_sequences ORDER BY name;
DROP TRIGGER update_it ON id_sequences;

-- a row that auto_create would make, and a trigger does not let it
CREATE TRIGGER suppress BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION suppress();
SET idgen.auto_create = on;
SELECT idgen_next('made');
\echo :SQLSTATE
RESET idgen.auto_create;

DROP EXTENSION idgen;
DROP FUNCTION suppress, change, update_it;
\set VERBOSITY default

\c -
--
-- A trigger that comes after a refill may update the row, but not what the
-- refill has set: its ids would be issued twice
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
INSERT INTO id_sequences (name, next_block_start, block_size)
	VALUES ('back', 1, 20), ('on', 1, 20), ('larger', 1, 20), ('revived', 1, 20), ('removed', 1, 20), ('renamed', 1, 20), ('gapless', 1, 1);
UPDATE id_sequences SET max_value = 20 WHERE name = 'revived';
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	CASE NEW.name
		WHEN 'back', 'gapless' THEN UPDATE id_sequences SET next_block_start = 1 WHERE name = NEW.name;
		WHEN 'on' THEN UPDATE id_sequences SET next_block_start = next_block_start + 100 WHERE name = NEW.name;
		WHEN 'larger' THEN UPDATE id_sequences SET block_size = 2 * block_size WHERE name = NEW.name;
		WHEN 'revived' THEN UPDATE id_sequences SET exhausted = 0 WHERE name = NEW.name;
		WHEN 'removed', 'child/1' THEN DELETE FROM id_sequences WHERE name = NEW.name;
		WHEN 'renamed' THEN UPDATE id_sequences SET name = 'else' WHERE name = NEW.name;
	END CASE;
	RETURN NULL;
END $$;
CREATE TRIGGER meddle AFTER UPDATE ON id_sequences FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION meddle();
SELECT idgen_next('back');
\echo :SQLSTATE
SELECT idgen_next('on');
SELECT idgen_next('revived');
SELECT idgen_next('removed');
SELECT idgen_next('renamed');
SELECT idgen_next('gapless');
-- a template would make the row anew
SELECT idgen_create('child/*');
SELECT idgen_next('child/1');
\echo :SQLSTATE
SELECT count(DISTINCT id) FROM (SELECT idgen_next('larger') AS id FROM generate_series(1, 100)) AS ids;
SELECT name, next_block_start, block_size, exhausted FROM id_sequences ORDER BY name;

-- nothing of it has been kept
ALTER TABLE id_sequences DISABLE TRIGGER meddle;
SELECT idgen_next(name) FROM id_sequences WHERE name NOT IN ('larger', 'child/*') ORDER BY name;

DROP TRIGGER meddle ON id_sequences;
DROP FUNCTION meddle;
DROP EXTENSION idgen;
\set VERBOSITY default

\c -
--
-- A trigger on id_sequences that draws: from others it may; not from the id
-- sequence that is being refilled.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size)
	VALUES ('parts', 1, 2), ('gapless', 1, 1), ('log', 1, 3), ('log gapless', 1, 1);
CREATE TABLE log (id bigint PRIMARY KEY DEFAULT idgen_next('log'), number bigint DEFAULT idgen_next('log gapless'), name text);
CREATE TABLE checked (name text PRIMARY KEY);
INSERT INTO checked VALUES ('parts'), ('gapless');
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (name) VALUES (NEW.name);
	RETURN NULL;
END $$;

CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
SELECT idgen_next('parts');
\echo :SQLSTATE
DROP TRIGGER audit ON id_sequences;

CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.name NOT LIKE 'log%') EXECUTE FUNCTION audit();
SELECT idgen_next('parts') FROM generate_series(1, 4);
SELECT count(idgen_next('gapless')) FROM generate_series(1, 10);
SELECT name, count(*), min(id), max(id), min(number), max(number) FROM log GROUP BY name ORDER BY min(id);
SELECT name, next_block_start FROM id_sequences WHERE name LIKE '%gapless' ORDER BY name;

-- it cannot leave anything to be checked at the end: that would have the rights
-- of whoever commits
ALTER TABLE log ADD FOREIGN KEY (name) REFERENCES checked DEFERRABLE INITIALLY DEFERRED;
SELECT idgen_next('gapless');
\echo :SQLSTATE
ALTER TABLE log ALTER CONSTRAINT log_name_fkey NOT DEFERRABLE;
SELECT idgen_next('gapless');

DROP TABLE log, checked;
DROP EXTENSION idgen;
DROP FUNCTION audit;

\c -
--
-- A trigger on id_sequences that leaves a cursor open: when gapless ids go back
-- at commit, too, the cursor goes with the transaction.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE things AS SELECT n FROM generate_series(1, 1000) AS n;
CREATE FUNCTION leave_open() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
	things refcursor := 'things';
	thing record;
BEGIN
	IF NEW.next_block_start < OLD.next_block_start THEN
		OPEN things FOR SELECT * FROM things;
		FETCH things INTO thing;
	END IF;
	RETURN NULL;
END $$;

CREATE TRIGGER leave_open AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION leave_open();
SELECT count(idgen_next('gapless')) FROM generate_series(1, 17);
SELECT name FROM pg_cursors;
SELECT next_block_start FROM id_sequences;

DROP EXTENSION idgen;
DROP TABLE things;
DROP FUNCTION leave_open;

\c -
--
-- A trigger on id_sequences that raises an error: the refill that fires it
-- fails with that error, and nothing is lost or issued twice
--
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 2), idgen_create('gapless', block_size => 1), idgen_create('other', block_size => 2);
CREATE TABLE fault (at text);
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF EXISTS (SELECT FROM fault WHERE at = TG_WHEN) THEN
		RAISE EXCEPTION USING ERRCODE = 'XY123', MESSAGE = format('broken %s', TG_WHEN);
	END IF;
	RETURN NEW;
END $$;
CREATE FUNCTION passes(text) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF EXISTS (SELECT FROM fault WHERE at = $1) THEN
		RAISE EXCEPTION USING ERRCODE = 'XY124', MESSAGE = format('broken at %s', $1);
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER before_row BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION fail();
CREATE TRIGGER after_row AFTER UPDATE ON id_sequences FOR EACH ROW WHEN (NEW.name <> 'other') EXECUTE FUNCTION fail();
CREATE TRIGGER condition AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (passes('condition')) EXECUTE FUNCTION nothing();

-- what users see
SELECT idgen_next('gen');
SELECT idgen_next('gen');
INSERT INTO fault VALUES ('AFTER');
SELECT idgen_next('gen');
\echo :SQLSTATE
-- an id sequence that the trigger does not concern goes on
SELECT idgen_next('other');

-- each kind, in a savepoint; what was drawn before stays drawn, and what the
-- savepoint drew of that is a gap
\set VERBOSITY terse
BEGIN;
DELETE FROM fault;
SELECT idgen_next('gen') FROM generate_series(1, 3);
DO $$
DECLARE
	kind text;
BEGIN
	FOREACH kind IN ARRAY '{BEFORE,AFTER,condition}'::text[] LOOP
		INSERT INTO fault VALUES (kind);
		BEGIN
			PERFORM idgen_next('gen') FROM generate_series(1, 100);
			RAISE NOTICE '% not fired', kind;
		EXCEPTION WHEN SQLSTATE 'XY123' OR SQLSTATE 'XY124' THEN
			RAISE NOTICE '%: %', kind, SQLERRM;
		END;
		DELETE FROM fault;
	END LOOP;
END $$;
SELECT idgen_next('gen') FROM generate_series(1, 3);
COMMIT;
SELECT idgen_next('gen');

-- gapless ids: when they are drawn, and when they go back at the end
SELECT idgen_next('gapless');
INSERT INTO fault VALUES ('BEFORE');
SELECT idgen_next('gapless');
DELETE FROM fault;
SELECT idgen_next('gapless');
BEGIN;
SELECT max(idgen_next('gapless')) FROM generate_series(1, 17);
INSERT INTO fault VALUES ('AFTER');
COMMIT;
\echo :SQLSTATE
SELECT count(*) FROM fault;
SELECT idgen_next('gapless');

-- cached ids need no refill, so they are there
SELECT count(idgen_next('other')) FROM generate_series(1, 2);
INSERT INTO fault VALUES ('BEFORE');
SELECT idgen_next('other');
SELECT idgen_next('other');
DELETE FROM fault;
SELECT idgen_next('other');
SELECT name, next_block_start FROM id_sequences ORDER BY name;

-- an error in a row that is to be made
SELECT idgen_create('child/*', block_size => 2);
CREATE TRIGGER after_insert AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION fail();
INSERT INTO fault VALUES ('AFTER');
SELECT idgen_next('child/1');
\echo :SQLSTATE
DELETE FROM fault;
SELECT idgen_next('child/1');

DROP EXTENSION idgen;
DROP TABLE fault;
DROP FUNCTION fail, passes, nothing;
