--
-- A refill from another server commits synchronously there, and not less
-- strictly than that server does by itself
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
SELECT idgen_create('gen', source => 'server', source_name => 'central');
INSERT INTO centre.id_sequences VALUES ('gen', 1, 1);

-- Of the session there, and as the row is written
CREATE TABLE centre.seen (n serial, at_first text, at_update text);
CREATE FUNCTION centre.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'STATEMENT' THEN
		UPDATE centre.seen SET at_first = reset_val FROM pg_settings WHERE name = 'synchronous_commit' AND at_first IS NULL;
		RETURN NULL;
	END IF;
	INSERT INTO centre.seen (at_update) VALUES (current_setting('synchronous_commit'));
	RETURN NEW;
END$$;
CREATE TRIGGER look_row BEFORE UPDATE ON centre.id_sequences FOR EACH ROW EXECUTE FUNCTION centre.look();
CREATE TRIGGER look_statement AFTER UPDATE ON centre.id_sequences FOR EACH STATEMENT EXECUTE FUNCTION centre.look();

ALTER SERVER central OPTIONS (ADD options '-csynchronous_commit=off');
SELECT idgen_next('gen');
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (SET options '-csynchronous_commit=local');
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (SET options '-csynchronous_commit=remote_write');
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (SET options '-csynchronous_commit=on');
SELECT idgen_next('gen');
ALTER SERVER central OPTIONS (SET options '-csynchronous_commit=remote_apply');
SELECT idgen_next('gen');
SELECT at_first AS "session", at_update AS refill FROM centre.seen ORDER BY n;

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences, centre.seen;
DROP FUNCTION centre.look;
DROP SCHEMA centre;
