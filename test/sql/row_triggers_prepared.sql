--
-- What a trigger does to other rows when gapless ids go back before PREPARE
-- TRANSACTION is known to all when that transaction commits.
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE SEQUENCE x_seq INCREMENT BY 10;
CREATE SEQUENCE other INCREMENT BY 10 START 5001;
CREATE FUNCTION add_row() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('x', 1, 'sequence', 'public.other');
	RETURN NULL;
END $$;
CREATE TRIGGER add_row AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start < OLD.next_block_start) EXECUTE FUNCTION add_row();

SELECT idgen_next('x', 'sequence');
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 17);
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('x', 'sequence');
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('x', 'sequence');

DROP EXTENSION idgen;
DROP SEQUENCE x_seq, other;
DROP FUNCTION add_row;
