--
-- Where transactions at the central server get in each other's way, a refill
-- tries again: nobody sees a serialization error or a deadlock
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 1), ('worker', 1, 1);
SELECT idgen_create('gen', source => 'server', source_name => 'central'),
	idgen_create('worker', source => 'server', source_name => 'central', refill => 'worker');

-- two attempts of three fail
CREATE SEQUENCE centre.attempts;
CREATE TABLE centre.failure AS SELECT '40001' AS code;
CREATE FUNCTION centre.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF nextval('centre.attempts') % 3 <> 0 THEN
		RAISE EXCEPTION USING ERRCODE = (SELECT code FROM centre.failure), MESSAGE = 'try again';
	END IF;
	RETURN NEW;
END$$;
CREATE TRIGGER fail BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.fail();
SELECT array_agg(idgen_next('gen')), array_agg(idgen_next('worker')) FROM generate_series(1, 5);
UPDATE centre.failure SET code = '40P01';
SELECT array_agg(idgen_next('gen')), array_agg(idgen_next('worker')) FROM generate_series(6, 10);
DROP TRIGGER fail ON centre.id_sequences;

-- the same when the transaction commits
CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON centre.id_sequences DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION centre.fail();
SELECT array_agg(idgen_next('gen')), array_agg(idgen_next('worker')) FROM generate_series(11, 15);

-- but not for ever
DROP TRIGGER fail ON centre.id_sequences;
CREATE FUNCTION centre.always() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM nextval('centre.attempts');
	RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'try again', DETAIL = 'It will not work.';
END$$;
CREATE TRIGGER always BEFORE UPDATE ON centre.id_sequences FOR EACH ROW WHEN (NEW.name = 'gen')
	EXECUTE FUNCTION centre.always();
ALTER SEQUENCE centre.attempts RESTART;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT last_value BETWEEN 2 AND 10 AS tried_again FROM centre.attempts;
DROP TRIGGER always ON centre.id_sequences;
SELECT idgen_next('gen');

-- what is locked there is tried again; other errors are told at once, though
-- another attempt would succeed
CREATE TRIGGER fail BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.fail();
UPDATE centre.failure SET code = '55P03';
SELECT array_agg(idgen_next('gen')), array_agg(idgen_next('worker')) FROM generate_series(16, 20);
DROP TRIGGER fail ON centre.id_sequences;
UPDATE centre.failure SET code = '55006';
ALTER SEQUENCE centre.attempts RESTART;
CREATE TRIGGER fail BEFORE UPDATE ON centre.id_sequences FOR EACH ROW WHEN (NEW.name = 'gen')
	EXECUTE FUNCTION centre.fail();
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT last_value FROM centre.attempts;
DROP TRIGGER fail ON centre.id_sequences;
SELECT idgen_next('gen');

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP FUNCTION centre.fail, centre.always;
DROP TABLE centre.failure, centre.id_sequences;
DROP SEQUENCE centre.attempts;
DROP SCHEMA centre;
