--
-- A trigger on id_sequences that draws from an id sequence of the worker's: the
-- worker, which fires it, does not wait for itself
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 3, refill => 'auto'), idgen_create('strict', block_size => 3, refill => 'worker');
SELECT idgen_create('log', block_size => 2, refill => 'auto'), idgen_create('strict log', block_size => 2, refill => 'worker');
CREATE TABLE log (id bigint PRIMARY KEY DEFAULT idgen_next('log'), name text);
CREATE TABLE strict_log (id bigint PRIMARY KEY DEFAULT idgen_next('strict log'), name text);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	EXECUTE format('INSERT INTO public.%I (name) VALUES ($1)', TG_ARGV[0]) USING NEW.name;
	RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.name = 'gen') EXECUTE FUNCTION audit('log');
CREATE TRIGGER strict_audit AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.name = 'strict') EXECUTE FUNCTION audit('strict_log');

-- refill "auto": it refills the other one in the same transaction; a rollback
-- leaves a gap, so it is the worker that has refilled
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
SELECT max(idgen_next('gen')) FROM generate_series(1, 100);
SELECT count(*) > 0 AS logged, count(*) = count(DISTINCT id) AS all_differ FROM log;

-- refill "worker": it refills the other one first, then tries again
SELECT idgen_next('strict');
SELECT max(idgen_next('strict')) FROM generate_series(1, 100);
SELECT count(*) > 0 AS logged, count(*) = count(DISTINCT id) AS all_differ FROM strict_log;

-- nobody has waited for what the trigger draws
SELECT name, waits FROM idgen_stats WHERE name IN ('log', 'strict log') ORDER BY name;

-- from the id sequence that is being refilled: an error at once
SELECT idgen_create('own', block_size => 3, refill => 'auto'), idgen_create('strict own', block_size => 3, refill => 'worker');
CREATE FUNCTION draw() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM public.idgen_next(NEW.name::text);
	RETURN NULL;
END $$;
CREATE TRIGGER own AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.name LIKE '%own') EXECUTE FUNCTION draw();
\set VERBOSITY terse
SELECT idgen_next('own');
\echo :SQLSTATE
SELECT idgen_next('strict own');
\echo :SQLSTATE
DROP TRIGGER own ON id_sequences;
SELECT idgen_next('own'), idgen_next('strict own');

DROP TABLE log, strict_log;
DROP EXTENSION idgen;
DROP FUNCTION audit, draw;
