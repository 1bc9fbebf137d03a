--
-- idgen_next: ids one after the other, taken from the row a block at a time
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- a row is all it takes
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('later', 10001, 4);
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- it goes on where another program has put next_block_start
SELECT idgen_next('later');

-- each name has ids of its own
SELECT idgen_next('gen') AS gen, idgen_next('later') AS later;

-- several calls in one query are several draws
SELECT idgen_next('gen') AS a, idgen_next('gen') AS b, idgen_next('gen') AS c;

-- as many ids as calls, none twice
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(1, 1000)) AS s;

-- 42704, with a hint
SELECT idgen_next('no such');
\echo :SQLSTATE
SELECT idgen_next_big('no such');
\echo :SQLSTATE
SELECT idgen_last('no such');
\echo :SQLSTATE
SELECT idgen_peek('no such');
\echo :SQLSTATE
SELECT idgen_restart('no such', 1);
\echo :SQLSTATE

-- the hint works
SELECT idgen_create('no such');
SELECT idgen_next('no such');

-- other types of name
SELECT idgen_next('no such'::varchar), idgen_next('no such'::name), idgen_next(name => 'no such');
\set VERBOSITY terse
SELECT idgen_next(1);
\set VERBOSITY default
\echo :SQLSTATE

DROP EXTENSION idgen;
