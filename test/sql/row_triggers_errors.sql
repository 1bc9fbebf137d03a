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
