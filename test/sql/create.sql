--
-- idgen_create, and rows that are made without it
--

--
-- idgen_create: a row for each call, with defaults for all but the name
--
CREATE EXTENSION idgen;
\x on

SELECT idgen_create('orders');
SELECT * FROM id_sequences WHERE name = 'orders';

-- every column by name, in any order
SELECT idgen_create(big_base => 100000000000000000000,
					layout => 'plain',
					refill => 'transaction',
					source_name => 'kept as it is',
					source => 'table',
					max_value => 1000,
					exhausted => 0,
					block_size => 5,
					next_block_start => 100,
					name => 'invoices');
SELECT * FROM id_sequences WHERE name = 'invoices';

-- and by position
SELECT idgen_create('positions', 7, 3, 1, 70, 'table', NULL, 'transaction', 'plain', 0);
SELECT * FROM id_sequences WHERE name = 'positions';

\x off

-- block_size comes from a setting, also when it is given as null
SET idgen.default_block_size = 50;
SELECT idgen_create('fifty');
SELECT idgen_create('fifty too', block_size => NULL);
SELECT idgen_create('two', block_size => 2);
RESET idgen.default_block_size;
SELECT idgen_create('twenty');
SELECT name, block_size FROM id_sequences
	WHERE name IN ('fifty', 'fifty too', 'two', 'twenty') ORDER BY name;

-- what it makes can be drawn from at once
SELECT idgen_next('orders'), idgen_next('invoices'), idgen_next_big('invoices');
SELECT idgen_next('positions');
\echo :SQLSTATE

-- it is part of the transaction
BEGIN;
SELECT idgen_create('undone');
SELECT idgen_next('undone');
ROLLBACK;
SELECT idgen_next('undone');
\echo :SQLSTATE
SELECT idgen_create('undone', 30);
SELECT idgen_next('undone');

DROP EXTENSION idgen;

\c -
--
-- idgen_create refuses arguments that make no id sequence
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- 22004: these may not be null
SELECT idgen_create(NULL);
\echo :SQLSTATE
SELECT idgen_create('x', next_block_start => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', source => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', layout => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', big_base => NULL);
\echo :SQLSTATE

-- 22023: values that make no sense
SELECT idgen_create('');
\echo :SQLSTATE
SELECT idgen_create('x', block_size => 0);
\echo :SQLSTATE
SELECT idgen_create('x', block_size => -20);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => 2);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => -1);
\echo :SQLSTATE
SELECT idgen_create('x', 11, max_value => 10);
\echo :SQLSTATE
SELECT idgen_create('x', source => 'tables');
\echo :SQLSTATE
SELECT idgen_create('x', source => '');
\echo :SQLSTATE
SELECT idgen_create('x', refill => 'Transaction');
\echo :SQLSTATE
SELECT idgen_create('x', layout => 'plane');
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 'NaN');
\echo :SQLSTATE

-- 42704: there is no server yet
SELECT idgen_create('x', source => 'server');
\echo :SQLSTATE

-- 0A000: what does not go together
SELECT idgen_create('x', refill => 'worker', source => 'function', source_name => 'public.f');
\echo :SQLSTATE

-- 22001, 22003: values that do not fit their column
SELECT idgen_create(repeat('x', 256));
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 1e38);
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 'Infinity');
\echo :SQLSTATE

-- 42710: it is there already, committed or made by this transaction
SELECT idgen_create('x');
SELECT idgen_create('x');
\echo :SQLSTATE
BEGIN;
SELECT idgen_create('y');
SELECT idgen_create('y');
\echo :SQLSTATE
ROLLBACK;

-- 42501: it takes the privilege to insert
CREATE ROLE regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT idgen_create('z');
\echo :SQLSTATE
RESET ROLE;
GRANT INSERT ON id_sequences TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT idgen_create('z');
RESET ROLE;

-- nothing else has been left behind
SELECT name, next_block_start, block_size FROM id_sequences ORDER BY name;

REVOKE INSERT ON id_sequences FROM regress_idgen_reader;
DROP ROLE regress_idgen_reader;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
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
\set SHOW_CONTEXT errors

\c -
--
-- What is said of a name that has no row, but that a draw would make one for
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('t/*'), idgen_create('s/*', layout => 'scrambled'), idgen_create('p', period => 'year'), idgen_create('b/*', period => 'month');

SELECT idgen_last('t/x');
\echo :SQLSTATE
SELECT idgen_unscramble('s/x', 5);
\echo :SQLSTATE
SELECT idgen_last('b/x/2001-02');
SELECT idgen_last('b/x/2001');

-- of names that no draw makes: how to create them
SELECT idgen_last('x');
SELECT idgen_last('p/2001-02');
SELECT idgen_restart('b/', 5);
SELECT idgen_last('t/' || repeat('x', 254));

-- nor of what row security hides: the template, the row with periods, the child
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON id_sequences USING (name IN ('t/*', 't/x', 's/x', 'b/*', 'b/x/2001-02'));
SET ROLE regress_idgen_user;
SELECT idgen_last('t/x');
SELECT idgen_last('s/x');
SELECT idgen_last('b/x');
SELECT idgen_last('b/x/2001-02');
SELECT idgen_last('t/y');
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- none of them has made a row
SELECT count(*) FROM id_sequences WHERE template IS NOT NULL;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
\set SHOW_CONTEXT errors

\c -
--
-- A name is matched exactly, byte by byte, whatever is in it
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- null gives null, as with nextval
SELECT idgen_next(NULL) IS NULL AS next, idgen_next_big(NULL) IS NULL AS next_big,
	idgen_last(NULL) IS NULL AS last, idgen_peek(NULL) IS NULL AS peek,
	idgen_restart(NULL, 1) IS NULL AS restart;

-- an empty one is just unknown
SELECT idgen_next('');
\echo :SQLSTATE
SELECT idgen_peek('');
\echo :SQLSTATE
SELECT idgen_restart('', 1);
\echo :SQLSTATE

-- 255 characters are as many as there can be
SELECT idgen_create(repeat('x', 255), 1000);
SELECT idgen_next(repeat('x', 255)), idgen_next_big(repeat('x', 255)),
	idgen_last(repeat('x', 255)), idgen_peek(repeat('x', 255));

-- those around it do not exist, nor do much longer ones
\set VERBOSITY sqlstate
SELECT idgen_next(repeat('x', 254));
SELECT idgen_next(repeat('x', 256));
SELECT idgen_next_big(repeat('x', 256));
SELECT idgen_last(repeat('x', 256));
SELECT idgen_peek(repeat('x', 256));
SELECT idgen_restart(repeat('x', 256), 1);
SELECT idgen_next(repeat('x', 1023));
SELECT idgen_next(repeat('x', 1024));
SELECT idgen_peek(repeat('x', 1024));
SELECT idgen_last(repeat('x', 1024));
SELECT idgen_next(repeat('x', 100000));
SELECT idgen_restart(repeat('x', 100000), 1);
\set VERBOSITY default

-- case, blanks and special characters all count
INSERT INTO id_sequences (name, next_block_start) VALUES
	('gen', 100), ('Gen', 200), ('GEN', 300), ('gen ', 400), (' gen', 500), ('gen  ', 600),
	(' ', 700), ('O''Reilly', 800), ('"gen"', 900), ('a.b', 1000), (E'back\\slash', 1100),
	(E'two\nlines', 1200), ('%s%n', 1300), ('gen_', 1400), ('gen%', 1500), ('; DROP TABLE x', 1600);
SELECT idgen_next('gen'), idgen_next('Gen'), idgen_next('GEN');
SELECT idgen_next('gen '), idgen_next(' gen'), idgen_next('gen  '), idgen_next(' ');
SELECT idgen_next('O''Reilly'), idgen_next('"gen"'), idgen_next('a.b');
SELECT idgen_next(E'back\\slash'), idgen_next(E'two\nlines'), idgen_next('%s%n');
SELECT idgen_next('gen_'), idgen_next('gen%'), idgen_next('; DROP TABLE x');
SELECT bool_and(idgen_next(name) = next_block_start - 19) AS second_id,
	bool_and(idgen_peek(name) = next_block_start - 18) AS third_id
	FROM id_sequences WHERE name NOT LIKE 'xx%';

-- char(n) pads with blanks, but they are lost again in the conversion to text
SELECT idgen_peek('gen'::char(10)) = idgen_peek('gen') AS same;

-- the statement that the hint recommends is right
SELECT idgen_next('d''Artagnan "x" %s');
SELECT idgen_next(E'c:\\new');
SELECT idgen_create('d''Artagnan "x" %s', 7);
SELECT idgen_next('d''Artagnan "x" %s');

-- names of trailing blanks are cut to 255 characters by the server
SELECT idgen_create(repeat('y', 255) || '  ', 5);
SELECT idgen_next(repeat('y', 255));

DROP EXTENSION idgen;
