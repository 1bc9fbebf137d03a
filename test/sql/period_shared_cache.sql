--
-- Periods in the cache of the server: views, and refills by the worker
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- what the views say
SELECT idgen_create('log', period => 'month', block_size => 5);
SELECT idgen_next('log/2001-01'), idgen_next('log') > 0;
SELECT regexp_replace(name, '[^/]\d[^0]\d-\d\d$', 'now') AS name, ids_issued, ids_cached FROM idgen_stats WHERE name LIKE 'log%' AND ids_issued > 0 ORDER BY 1;

-- the worker makes the children, so no number is issued twice
SELECT idgen_create('work', period => 'year', refill => 'worker', block_size => 10), idgen_create('work/*', period => 'year', refill => 'worker');
SELECT idgen_next('work'), idgen_next('work'), idgen_next('work/2001'), idgen_next('work/a'), idgen_next('work/b/2001');
BEGIN;
SELECT idgen_next('work/2002'), idgen_next('work/c');
ROLLBACK;
SELECT idgen_next('work/2002'), idgen_next('work/c');
SELECT regexp_replace(name, '/20[^0]\d$', '/now') AS name, template, period FROM id_sequences WHERE name LIKE 'work%' ORDER BY id_sequences.name;

-- nor does it make a row with periods for a role that may not see that
CREATE ROLE regress_idgen_clerk;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY ends ON id_sequences USING (name IN ('work/*', 'work/hidden/2001', 'work/shown', 'work/shown/2001'));
SET ROLE regress_idgen_clerk;
SELECT idgen_next('work/hidden/2001');
\echo :SQLSTATE
SELECT idgen_next('work/shown/2001');
RESET ROLE;
SELECT name FROM id_sequences WHERE name ~ 'hidden|shown' ORDER BY name;

-- nor can it make what a trigger suppresses: the call does not wait for long
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE INSERT ON id_sequences FOR EACH ROW WHEN (NEW.name ~ 'suppressed$') EXECUTE FUNCTION suppress();
SELECT idgen_next('work/suppressed/2001');
\echo :SQLSTATE
SELECT idgen_next_text('work/suppressed', '2001-02-03');
\echo :SQLSTATE
SELECT name FROM id_sequences WHERE name ~ 'suppressed';

DROP FUNCTION suppress CASCADE;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_clerk;
