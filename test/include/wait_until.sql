-- Waits until a condition is true, at most a minute.
CREATE PROCEDURE wait_until(condition text) LANGUAGE plpgsql AS $$
DECLARE
	met boolean;
BEGIN
	FOR i IN 1 .. 6000 LOOP
		EXECUTE 'SELECT ' || condition INTO met;
		IF met THEN RETURN; END IF;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RAISE EXCEPTION 'not within a minute: %', condition;
END $$;
