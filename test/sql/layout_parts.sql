--
-- idgen_parts: a composed id taken apart; it does not look at any id sequence
--
CREATE EXTENSION idgen;

-- the same id in each layout
SELECT layout, (idgen_parts(2023400000989780816, layout)).* FROM unnest(ARRAY['plain', 'prefixed', 'session']) AS layout;
SELECT layout, (idgen_parts(2023461808798900000, layout)).* FROM unnest(ARRAY['prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, (idgen_parts(20234000000000000000000000000989780816, layout)).* FROM unnest(ARRAY['plain', 'prefixed', 'session']) AS layout;
SELECT layout, (idgen_parts(20234618087989000000000000000000000000, layout)).* FROM unnest(ARRAY['prefixed_reversed', 'session_reversed']) AS layout;
SELECT * FROM idgen_parts(2234000000989780816, 'session');
SELECT * FROM idgen_parts(22340000000000000000000000000989780816, 'session');
SELECT * FROM idgen_parts(2234618087989000000, 'session_reversed');
SELECT * FROM idgen_parts(22346180879890000000000000000000000000, 'session_reversed');

-- all digits
SELECT layout, (idgen_parts(8912345678901234567, layout)).*
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, (idgen_parts(89123456789012345678901234567890123456, layout)).*
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;

-- least and greatest
SELECT layout, (idgen_parts(1000000000000000000, layout)).*, (idgen_parts(8999999999999999999, layout)).*
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, (idgen_parts(1e37, layout)).*
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, (idgen_parts(9e37 - 1, layout)).*
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;

-- zeros behind the point do not matter
SELECT * FROM idgen_parts(10000000000000000000000000000000000000.00, 'session');

-- plain: the value itself, whatever it is
SELECT sequence_value, pg_typeof(sequence_value) FROM idgen_parts((-5)::bigint, 'plain');
SELECT sequence_value, pg_typeof(sequence_value) FROM idgen_parts(9223372036854775807, 'plain');
SELECT sequence_value, pg_typeof(sequence_value) FROM idgen_parts(-1e38, 'plain');

-- named arguments, and null for null
SELECT * FROM idgen_parts(layout => 'session', id => 2234000000989780816);
SELECT idgen_parts(NULL::bigint, 'plain'), idgen_parts(1::bigint, NULL), idgen_parts(NULL::numeric, 'session');

-- an expression index on the sequence value
CREATE TABLE orders (id bigint PRIMARY KEY);
INSERT INTO orders VALUES (2023461808798900000), (2023500000000000000);
CREATE INDEX ON orders (((idgen_parts(id, 'prefixed_reversed')).sequence_value));
SELECT id FROM orders ORDER BY (idgen_parts(id, 'prefixed_reversed')).sequence_value;

-- not of that layout
SELECT idgen_parts(989780816::bigint, 'prefixed');
\echo :SQLSTATE
SELECT idgen_parts(999999999999999999, 'session');
\echo :SQLSTATE
SELECT idgen_parts(9000000000000000000, 'session_reversed');
\echo :SQLSTATE
SELECT idgen_parts(9223372036854775807, 'prefixed_reversed');
\echo :SQLSTATE
SELECT idgen_parts(-2023400000989780816, 'prefixed');
\echo :SQLSTATE
SELECT idgen_parts((-9223372036854775808)::bigint, 'session');
\echo :SQLSTATE
SELECT idgen_parts(0::bigint, 'session');
\echo :SQLSTATE
SELECT idgen_parts(2023400000989780816::numeric, 'prefixed');
\echo :SQLSTATE
SELECT idgen_parts(1e37 - 1, 'prefixed');
\echo :SQLSTATE
SELECT idgen_parts(9e37, 'prefixed_reversed');
\echo :SQLSTATE
SELECT idgen_parts(1e38, 'session');
\echo :SQLSTATE
SELECT idgen_parts(-2e37, 'session');
\echo :SQLSTATE
SELECT idgen_parts(20234000000000000000000000000989780816.5, 'prefixed');
\echo :SQLSTATE
SELECT idgen_parts('NaN'::numeric, 'session');
\echo :SQLSTATE
SELECT idgen_parts('Infinity'::numeric, 'session');
\echo :SQLSTATE

-- no such layout
SELECT idgen_parts(2023400000989780816, 'reversed');
\echo :SQLSTATE
SELECT idgen_parts(1e37, '');
\echo :SQLSTATE
SELECT idgen_parts(1::bigint, 'Plain');
\echo :SQLSTATE

DROP TABLE orders;
DROP EXTENSION idgen;
