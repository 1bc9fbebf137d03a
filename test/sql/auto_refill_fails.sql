--
-- refill = 'auto', and a trigger on id_sequences that fails in the worker: the
-- session refills itself, as with refill 'transaction'; that no id is left is
-- an error
--
-- needs test/idgen.conf
--
CREATE TABLE log (name text);
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 3, refill => 'auto'), idgen_create('short', block_size => 2, max_value => 4, refill => 'auto');
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF coalesce(current_setting('regress.is_session', true), '') = '' THEN
		RAISE 'not in a worker';
	END IF;
	INSERT INTO log VALUES (NEW.name);
	RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
SET regress.is_session = 'yes';
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT first_id, last_id FROM idgen_next_range('gen', 10);
SELECT count(*) > 0 AS logged FROM log;
SELECT max(idgen_next('short')) FROM generate_series(1, 4);
SELECT idgen_next('short');

-- for the session, too
RESET regress.is_session;
\set VERBOSITY terse
SELECT max(idgen_next('gen')) FROM generate_series(1, 20);
SET regress.is_session = 'yes';
SELECT max(idgen_next('gen')) FROM generate_series(1, 20);

DROP EXTENSION idgen;
DROP FUNCTION audit;
DROP TABLE log;
