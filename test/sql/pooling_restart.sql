--
-- Restarting with each pooling: the next id is what was asked for, for other
-- programs, too
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

-- pooled: the next value has all its ids at the start, or behind it
CREATE SEQUENCE hi_seq INCREMENT BY 5;
SELECT idgen_create('hi', source => 'sequence', pooling => 'pooled');
SELECT idgen_restart('hi', 1000);
SELECT idgen_peek('hi');
SELECT nextval('hi_seq') AS "1000 to 1004";
SELECT draw('hi', 6);
SELECT idgen_restart('hi', 1);
SELECT idgen_peek('hi'), draw('hi', 7);

-- RESTART WITH says the first value, of which nobody knows what is before it
ALTER SEQUENCE hi_seq RESTART WITH 500;
SELECT idgen_peek('hi'), draw('hi', 7);
ALTER SEQUENCE hi_seq RESTART;
SELECT idgen_peek('hi'), draw('hi', 7);

-- close to the end, there may be no value behind the start
ALTER SEQUENCE hi_seq MAXVALUE 1000;
SELECT idgen_restart('hi', 996);
SELECT draw('hi', 5);
SELECT idgen_next('hi');
SELECT idgen_restart('hi', 998);
SELECT draw('hi', 1);
SELECT idgen_next('hi');
\set SHOW_CONTEXT never
SELECT idgen_restart('hi', 1001);
\echo :SQLSTATE
SELECT idgen_restart('hi', 0);
\set SHOW_CONTEXT errors
\echo :SQLSTATE

-- hilo: at the start if a block begins there, else where the next one does
CREATE SEQUENCE number_seq;
SELECT idgen_create('number', source => 'sequence', pooling => 'hilo', block_size => 5);
SELECT idgen_restart('number', 101);
SELECT draw('number', 2);
SELECT last_value FROM number_seq;
SELECT idgen_restart('number', 102);
SELECT draw('number', 2);
SELECT idgen_restart('number', 105);
SELECT draw('number', 2);
SELECT idgen_restart('number', 1);
SELECT draw('number', 2);
\set SHOW_CONTEXT never
SELECT idgen_restart('number', -7);
\set SHOW_CONTEXT errors

-- it is for other transactions when it commits
BEGIN;
SELECT idgen_restart('hi', 300);
SELECT draw('hi', 2);
ROLLBACK;
SELECT idgen_restart('hi', 400);
SELECT draw('hi', 2);

DROP EXTENSION idgen;
DROP SEQUENCE hi_seq, number_seq;
DROP FUNCTION draw(text, integer);
