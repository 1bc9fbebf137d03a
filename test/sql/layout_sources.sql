--
-- Layouts with ids from native sequences and functions
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
CREATE FUNCTION value(id numeric, layout text) RETURNS numeric LANGUAGE sql AS $$
	SELECT sequence_value FROM idgen_parts(id, layout) WHERE node = 2 AND length(id::text) = 38
$$;
CREATE FUNCTION value(id bigint, layout text) RETURNS bigint LANGUAGE sql AS $$
	SELECT sequence_value FROM idgen_parts(id, layout) WHERE node = 2 AND length(id::text) = 19
$$;

-- a native sequence: its values as nextval() gives them are sequence values
CREATE SEQUENCE native_seq INCREMENT BY 20;
SELECT idgen_create('native', source => 'sequence', layout => 'prefixed_reversed');
SELECT value(idgen_next('native'), 'prefixed_reversed'), value(idgen_next('native', 'sequence'), 'prefixed_reversed'),
	value(idgen_next_big('native'), 'prefixed_reversed'), value(idgen_last('native'), 'prefixed_reversed'),
	value(idgen_peek('native'), 'prefixed_reversed'), nextval('native_seq');
-- without a row there is no layout
CREATE SEQUENCE rowless_seq;
SELECT idgen_next('rowless', 'sequence'), idgen_next_big('rowless', 'sequence');

-- temporary, and made in the transaction
CREATE TEMPORARY SEQUENCE own_seq;
SELECT idgen_create('own', source => 'sequence', layout => 'session');
SELECT value(idgen_next('own'), 'session'), value(idgen_next('own'), 'session');
BEGIN;
CREATE SEQUENCE new_seq INCREMENT BY 5;
SELECT idgen_create('new', source => 'sequence', layout => 'session_reversed');
SELECT value(idgen_next('new'), 'session_reversed'), value(idgen_next('new'), 'session_reversed');
COMMIT;
SELECT value(idgen_next('new'), 'session_reversed');

-- at the end of the field: what the sequence has given is not lost
CREATE SEQUENCE wide_seq INCREMENT BY 20 START 99999999999999;
SELECT idgen_create('wide', source => 'sequence', layout => 'prefixed');
SELECT value(idgen_next('wide'), 'prefixed');
SELECT idgen_next('wide');
\echo :SQLSTATE
SELECT idgen_next('wide');
\echo :SQLSTATE
SELECT first_id, last_id FROM idgen_cache WHERE name = 'wide';
SELECT value(idgen_next_big('wide'), 'prefixed');
SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'wide';
CREATE SEQUENCE wider_seq INCREMENT BY 20 START 100000000000000;
SELECT idgen_create('wider', source => 'sequence', layout => 'prefixed');
SELECT idgen_next('wider');
\echo :SQLSTATE
SELECT idgen_next('wider');
\echo :SQLSTATE
SELECT value(idgen_next_big('wider'), 'prefixed');
SELECT ids_issued, ids_cached, ids_lost, refills FROM idgen_stats WHERE name = 'wider';
CREATE SEQUENCE below_seq INCREMENT BY -1 MAXVALUE 1 START 1;
SELECT idgen_create('below', source => 'sequence', layout => 'session', block_size => 10);
SELECT value(idgen_next('below'), 'session'), value(idgen_next('below'), 'session');
SELECT idgen_next('below');
\echo :SQLSTATE
SELECT idgen_next_big('below');
\echo :SQLSTATE
SELECT first_id, last_id FROM idgen_cache WHERE name = 'below';
SELECT last_value FROM below_seq;

-- a function
CREATE SEQUENCE allocated INCREMENT BY 10 START 500;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql
	AS $$ SELECT v, v + 9 FROM nextval('public.allocated') AS v $$;
SELECT idgen_create('function', source => 'function', source_name => 'public.allocate', layout => 'session_reversed');
SELECT count(DISTINCT id), min(value(id, 'session_reversed')), max(value(id, 'session_reversed'))
	FROM (SELECT idgen_next('function') AS id FROM generate_series(1, 25) OFFSET 0) AS s;
BEGIN;
SELECT value(idgen_next('function'), 'session_reversed'), value(idgen_next_big('function'), 'session_reversed');
SELECT value(idgen_last('function'), 'session_reversed'), value(idgen_peek('function'), 'session_reversed');
ROLLBACK;
SELECT value(idgen_next('function'), 'session_reversed');
ALTER SEQUENCE allocated RESTART 999999999999999;
SELECT count(idgen_next('function')) FROM generate_series(1, 2);
SELECT value(idgen_next('function'), 'session_reversed');
SELECT idgen_next('function');
\echo :SQLSTATE
SELECT value(idgen_next_big('function'), 'session_reversed');

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP SEQUENCE native_seq, rowless_seq, own_seq, new_seq, wide_seq, wider_seq, below_seq, allocated;
DROP FUNCTION value(numeric, text), value(bigint, text), allocate;
DROP EXTENSION idgen;
