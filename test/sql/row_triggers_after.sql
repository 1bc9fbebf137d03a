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
