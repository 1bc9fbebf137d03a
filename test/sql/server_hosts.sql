--
-- A server may list 16 hosts. A refill goes through all that are closed.
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

CREATE SERVER many FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/a,/b,/c,/d,/e,/f,/g,/h,/i,/j,/k,/l,/m,/n,/o,/p,/q');
CREATE SERVER many FOREIGN DATA WRAPPER idgen_fdw OPTIONS (hostaddr '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17');
CREATE SERVER many FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/a,/b,/c,/d,/e,/f,/g,/h,/i,/j,/k,/l,/m,/n,/o,/p', connect_timeout '3600');
ALTER SERVER many OPTIONS (SET host '/a,/b,/c,/d,/e,/f,/g,/h,/i,/j,/k,/l,/m,/n,/o,/p,/q');
ALTER SERVER many OPTIONS (ADD hostaddr '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17');

-- the hosts that a refill has tried, by its error
CREATE USER MAPPING FOR CURRENT_USER SERVER many;
SELECT idgen_create('session', source => 'server', source_name => 'many');
SELECT idgen_create('worker', source => 'server', source_name => 'many', refill => 'worker');
CREATE FUNCTION tried(name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN idgen_next(name);
EXCEPTION WHEN sqlclient_unable_to_establish_sqlconnection THEN
	GET STACKED DIAGNOSTICS detail = pg_exception_detail;
	RETURN (SELECT count(DISTINCT r) FROM regexp_matches(detail, 'socket "/[a-p]/', 'g') r);
END $$;
SET idgen.server_timeout = '1s';
SELECT tried('session');
RESET idgen.server_timeout;

-- The owner of the wrapper can have it do without the check. Then a refill
-- makes it.
ALTER FOREIGN DATA WRAPPER idgen_fdw NO VALIDATOR;
ALTER SERVER many OPTIONS (SET host '/a,/b,/c,/d,/e,/f,/g,/h,/i,/j,/k,/l,/m,/n,/o,/p,/q');
SELECT idgen_next('session');
SELECT idgen_next('worker');

DROP USER MAPPING FOR CURRENT_USER SERVER many;
DROP EXTENSION idgen CASCADE;
