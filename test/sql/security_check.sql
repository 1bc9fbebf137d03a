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
