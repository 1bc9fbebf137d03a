--
-- Temporary sequences are cached in the session: until they are restarted or
-- dropped, and not longer
--
CREATE EXTENSION idgen;
BEGIN;
CREATE TEMPORARY SEQUENCE gen_seq INCREMENT 20;
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen', 'sequence');
GRANT USAGE ON SEQUENCE gen_seq TO PUBLIC;
SELECT idgen_next('gen', 'sequence');
SELECT ids_issued, ids_cached, ids_lost, refills FROM idgen_stats;
ALTER SEQUENCE gen_seq RESTART 501;
SELECT idgen_next('gen', 'sequence');
BEGIN;
ALTER SEQUENCE gen_seq RESTART 1001;
ROLLBACK;
SELECT idgen_next('gen', 'sequence');
DROP SEQUENCE gen_seq;

-- one after the other takes no more memory than one
CREATE PROCEDURE come_and_go(n integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		CREATE TEMPORARY SEQUENCE gen_seq INCREMENT 5;
		PERFORM idgen_next('gen', 'sequence');
		DROP SEQUENCE gen_seq;
		COMMIT;
	END LOOP;
END $$;
CREATE FUNCTION memory() RETURNS numeric LANGUAGE sql AS
	$$SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name ~ '^idgen' OR name = 'TopMemoryContext'$$;
CALL come_and_go(100);
SELECT memory() AS before \gset
CALL come_and_go(400);
SELECT memory() - :before < 50000 AS flat;
SELECT count(*) FROM idgen_stats;

DROP EXTENSION idgen;
DROP PROCEDURE come_and_go;
DROP FUNCTION memory;
