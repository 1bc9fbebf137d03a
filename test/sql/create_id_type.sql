--
-- idgen_create sets max_value to the end of the type that ids shall fit
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create(type, id_type => type) FROM unnest(ARRAY['smallint', 'integer', 'bigint', 'javascript']) AS type;
SELECT idgen_create('none'), idgen_create('null', id_type => NULL, max_value => NULL), idgen_create('given', max_value => 7);
SELECT name, max_value FROM id_sequences ORDER BY max_value, name;

-- exact in a double, and so in JavaScript's numbers, up to the last one; what
-- comes behind is not
SELECT idgen_restart('javascript', 9007199254740990);
SELECT id, id::float8::bigint = id AS exact
	FROM (SELECT idgen_next('javascript') AS id FROM generate_series(1, 2) UNION ALL VALUES (9007199254740993)) AS s;
SELECT idgen_next('javascript');
\echo :SQLSTATE

-- with what max_value goes with
SELECT idgen_create('beyond', id_type => 'javascript', next_block_start => 9007199254740992);
\echo :SQLSTATE
SELECT idgen_create('small', id_type => 'smallint', next_block_start => 32768);
\echo :SQLSTATE
SELECT idgen_create('below', id_type => 'javascript', next_block_start => -9007199254740992);
\echo :SQLSTATE
SELECT idgen_create('least', id_type => 'javascript', next_block_start => -9007199254740991);
SELECT idgen_create('small', id_type => 'smallint', next_block_start => -32769);
SELECT idgen_create('small', id_type => 'smallint', next_block_start => -32768);
SELECT idgen_create('wide', id_type => 'bigint', layout => 'prefixed');
CREATE SEQUENCE native;
SELECT idgen_create('native', id_type => 'bigint', source => 'sequence', source_name => 'native');

-- 22023: both, an unknown type, and where max_value does not bound the ids
SELECT idgen_create('x', id_type => 'javascript', max_value => 9007199254740991);
\echo :SQLSTATE
SELECT idgen_create('x', id_type => 'JavaScript');
\echo :SQLSTATE
SELECT idgen_create('x', id_type => '');
\echo :SQLSTATE
SELECT idgen_create('x', id_type => 'javascript', layout => 'prefixed');
\echo :SQLSTATE
SELECT idgen_create('x', id_type => 'integer', layout => 'session_reversed');
\echo :SQLSTATE
SELECT idgen_create('x', id_type => 'javascript', source => 'sequence', source_name => 'native');
\echo :SQLSTATE
SELECT count(*) FROM id_sequences WHERE name = 'x';

-- a column that gets a wider type does not widen what was chosen for JavaScript
CREATE TABLE orders (id integer);
SELECT idgen_create('orders', id_type => 'integer', owned_by => 'orders.id');
SELECT idgen_create('orders_js', id_type => 'javascript', owned_by => 'orders.id');
ALTER TABLE orders ALTER id TYPE bigint;
SELECT name, max_value FROM id_sequences WHERE name LIKE 'orders%' ORDER BY name;

DROP TABLE orders;
DROP SEQUENCE native;
DROP EXTENSION idgen;
