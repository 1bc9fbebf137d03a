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
