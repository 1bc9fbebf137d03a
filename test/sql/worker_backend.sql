--
-- One worker for a database, which is seen in pg_stat_activity and shows no
-- transaction when it has nothing to do
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE VIEW workers AS SELECT pid, datname, state, xact_start, backend_xid FROM pg_stat_activity WHERE backend_type = 'idgen worker';

-- its pid, having made sure that it is the only one, and idle
CREATE FUNCTION worker_pid() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	found workers[];
BEGIN
	FOR i IN 1 .. 6000 LOOP
		PERFORM idgen_next('gen');
		PERFORM pg_stat_clear_snapshot();
		found := ARRAY(SELECT w FROM workers w WHERE datname = current_database());
		IF cardinality(found) = 1 AND found[1].state = 'idle' AND found[1].xact_start IS NULL AND found[1].backend_xid IS NULL THEN
			RETURN found[1].pid;
		END IF;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RAISE EXCEPTION 'not within a minute: %', found;
END $$;
INSERT INTO id_sequences (name, next_block_start, block_size, refill)
	SELECT 'gen' || n, 1, 1, 'worker' FROM generate_series(1, 300) AS n;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 1, 'worker');
SELECT worker_pid() > 0 AS there;

-- Does it survive that? It goes when it has nothing to do for a while, so try
-- it more than once.
CREATE FUNCTION is_the_same_after(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	pid integer;
BEGIN
	FOR i IN 1 .. 5 LOOP
		pid := worker_pid();
		EXECUTE query USING pid;
		IF worker_pid() = pid THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT is_the_same_after('SELECT count(idgen_next(name)) FROM id_sequences') AS one_for_all;
SELECT is_the_same_after('SELECT count(idgen_next(name)) FROM pg_cancel_backend($1), id_sequences, generate_series(1, 5)') AS survives_cancel;
SELECT is_the_same_after('SELECT pg_terminate_backend($1, 60000)') AS survives_terminate;
SELECT count(DISTINCT id), max(id) - min(id) AS range FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 1000)) AS s;

DROP FUNCTION is_the_same_after, worker_pid;
DROP VIEW workers;
DROP EXTENSION idgen;
