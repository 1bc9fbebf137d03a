--
-- idgen.warn_remaining: the server log gets one line for each percent step
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('thousand', 1, 5, 1000), ('coarse', 1, 50, 100), ('off', 1, 5, 100), ('early', 1, 10, 100),
	('small', 1, 1, 20);
-- what is written to the log is sent to us as well
SET client_min_messages = log;

-- nothing down to 10 percent, then a line when the percentage changes
SELECT count(idgen_next('thousand')) FROM generate_series(1, 900);
DO $$
BEGIN
	FOR i IN 901 .. 1000 LOOP
		IF idgen_next('thousand') <> i THEN
			RAISE 'unexpected id';
		END IF;
	END LOOP;
END $$;
SELECT idgen_next('thousand');

-- with separate transactions as well
SELECT idgen_restart('thousand', 1);
SELECT count(idgen_next('thousand')) FROM generate_series(1, 895);
CREATE PROCEDURE draw_and_commit(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM idgen_next('thousand');
		COMMIT;
	END LOOP;
END $$;
CALL draw_and_commit(30);

-- few steps
SELECT idgen_next('coarse');
SELECT count(idgen_next('coarse')) FROM generate_series(1, 50);

-- again after the range was extended
UPDATE id_sequences SET max_value = 1000, exhausted = 0 WHERE name = 'coarse';
SELECT count(idgen_next('coarse')) FROM generate_series(1, 900);

-- even by so little that it begins below
SELECT count(idgen_next('small')) FROM generate_series(1, 20);
UPDATE id_sequences SET max_value = 22, exhausted = 0 WHERE name = 'small';
SELECT idgen_next('small');
SELECT idgen_next('small');

-- 0 is off, and one may want to know earlier
SET idgen.warn_remaining = 0;
SELECT count(idgen_next('off')) FROM generate_series(1, 100);
SET idgen.warn_remaining = 50;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		PERFORM idgen_next('early');
	END LOOP;
END $$;
RESET idgen.warn_remaining;

RESET client_min_messages;
DROP PROCEDURE draw_and_commit;
DROP EXTENSION idgen;
