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
