--
-- What a refill checks and computes because of a column's type or definition
-- runs as the owner of id_sequences, not as the role that draws
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
CREATE FUNCTION silent() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('parts', 1, 2);
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;

-- generated columns, where there are triggers that would like to know which
-- columns these are
CREATE FUNCTION generated(immutable_one boolean) RETURNS boolean IMMUTABLE LANGUAGE plpgsql
	AS 'BEGIN RETURN runs_as(); END';
ALTER TABLE id_sequences ADD COLUMN by_function boolean GENERATED ALWAYS AS (generated(true)) STORED;
CREATE TRIGGER silent BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION silent();
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET ROLE;
DROP TRIGGER silent ON id_sequences;
ALTER TABLE id_sequences DROP COLUMN by_function;

-- domains
CREATE DOMAIN number AS bigint;
ALTER EXTENSION idgen DROP VIEW id_sequences_by_last_id;
DROP VIEW id_sequences_by_last_id;
ALTER TABLE id_sequences ALTER COLUMN next_block_start TYPE number;
ALTER DOMAIN number ADD CHECK (runs_as());
ALTER DOMAIN number ADD CHECK (VALUE > 0 AND runs_as());
SET ROLE regress_idgen_drawer;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET ROLE;

DROP EXTENSION idgen;
DROP DOMAIN number;
DROP FUNCTION generated, silent, runs_as;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_drawer;
