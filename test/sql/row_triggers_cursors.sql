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
