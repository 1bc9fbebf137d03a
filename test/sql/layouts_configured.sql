--
-- Layouts: ids that are composed from node, channel, session and number
--
-- needs test/idgen.conf
--

--
-- Values that are too wide for their layout, or negative: the call fails and
-- the id goes back, so that the next call finds everything as it was
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, exhausted,
		coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached, coalesce(ids_lost, 0) AS ids_lost,
		(SELECT array_agg(first_id || '-' || last_id || ' ' || state ORDER BY first_id)
			FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;
CREATE FUNCTION value(id numeric, layout text) RETURNS numeric LANGUAGE sql
	AS 'SELECT sequence_value FROM idgen_parts(id, layout)';

-- the end of the field is in the middle of a block
INSERT INTO id_sequences (name, next_block_start, layout) VALUES
	('prefixed', 99999999999998, 'prefixed'), ('prefixed_reversed', 99999999999998, 'prefixed_reversed'),
	('session', 999999999999998, 'session'), ('session_reversed', 999999999999998, 'session_reversed');
SELECT name, sequence_value FROM id_sequences, idgen_parts(idgen_next(name), layout) ORDER BY name;
SELECT name, sequence_value FROM id_sequences, idgen_parts(idgen_next(name), layout) ORDER BY name;
INSERT INTO before TABLE state;
SELECT idgen_next('prefixed');
\echo :SQLSTATE
SELECT idgen_next('prefixed_reversed');
\echo :SQLSTATE
SELECT idgen_next('session');
\echo :SQLSTATE
SELECT idgen_next('session_reversed');
\echo :SQLSTATE
SELECT idgen_peek('prefixed');
\echo :SQLSTATE
SELECT idgen_peek('session_reversed');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('session', 2);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- numeric ids have room
SELECT name, value(idgen_next_big(name), layout) FROM id_sequences ORDER BY name;

-- the last one was drawn so, and does not fit here
SELECT idgen_last('prefixed');
\echo :SQLSTATE

-- pending ones, in savepoints
BEGIN;
SELECT count(idgen_next_big('prefixed')) FROM generate_series(1, 20);
TRUNCATE before;
INSERT INTO before TABLE state;
SAVEPOINT a;
SELECT idgen_next('prefixed');
\echo :SQLSTATE
ROLLBACK TO a;
TABLE before EXCEPT TABLE state;
SELECT value(idgen_next_big('prefixed'), 'prefixed');
COMMIT;
SELECT value(idgen_next_big('prefixed'), 'prefixed');

-- caught
DO $$
BEGIN
	PERFORM idgen_next('session');
EXCEPTION WHEN sequence_generator_limit_exceeded THEN
	RAISE NOTICE 'then a wide one: %', value(idgen_next_big('session'), 'session');
END $$;

-- a refill that brings nothing but too wide ones is undone, or negative ones,
-- which only replication writes
DELETE FROM id_sequences;
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, block_size, layout) VALUES
	('gen', 100000000000000, 20, 'prefixed'), ('gapless', 100000000000000, 1, 'prefixed'),
	('below', -20, 20, 'session'), ('below gapless', -1, 1, 'session_reversed');
RESET session_replication_role;
TRUNCATE before;
INSERT INTO before SELECT name, xmin, next_block_start FROM id_sequences;
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT idgen_next('below');
\echo :SQLSTATE
SELECT idgen_next('below gapless');
\echo :SQLSTATE
SELECT idgen_next_big('below');
\echo :SQLSTATE
SELECT idgen_peek('below');
\echo :SQLSTATE
SELECT idgen_peek('below gapless');
\echo :SQLSTATE
SELECT name, row_version, next_block_start FROM before EXCEPT SELECT name, xmin, next_block_start FROM id_sequences;
SELECT count(*) FROM idgen_cache;
SELECT name, ids_issued, ids_lost FROM idgen_stats WHERE ids_issued <> 0 OR ids_lost <> 0;

-- without a layout they can be used
UPDATE id_sequences SET layout = 'plain';
SELECT idgen_next('gen'), idgen_next('gapless'), idgen_next('below'), idgen_next('below gapless');
UPDATE id_sequences SET layout = 'session';
SELECT (idgen_parts(idgen_next('below'), 'session')).sequence_value;
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'plain';
SELECT idgen_next('below');

-- a range of which one end is outside
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, block_size, layout) VALUES
	('wide range', 99999999999975, 20, 'prefixed'), ('negative range', -5, 20, 'prefixed');
RESET session_replication_role;
SELECT * FROM idgen_next_range('negative range', 10);
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'negative range' RETURNING next_block_start;
SELECT (idgen_parts(last_id, 'prefixed')).sequence_value FROM idgen_next_range('wide range', 16);
TRUNCATE before;
INSERT INTO before SELECT * FROM state WHERE name = 'wide range';
SELECT * FROM idgen_next_range('wide range', 6);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT (idgen_parts(last_id, 'prefixed')).sequence_value FROM idgen_next_range('wide range', 5);

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP VIEW state;
DROP TABLE before;
DROP FUNCTION value;
DROP EXTENSION idgen;

\c -
--
-- big_base is added to the sequence value before a numeric id is composed; what
-- does not fit then is refused, and stays
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
CREATE FUNCTION field(id numeric, layout text) RETURNS text LANGUAGE sql AS $$
	SELECT length(id::text) || ' digits: ' || substr(id::text, CASE WHEN layout LIKE 'prefixed%' THEN 6 ELSE 5 END)
$$;
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached,
		coalesce(ids_lost, 0) AS ids_lost,
		(SELECT array_agg(first_id || '-' || last_id ORDER BY first_id) FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;

-- added, also beyond what a bigint can hold; idgen_next goes without
INSERT INTO id_sequences (name, next_block_start, layout, big_base)
	SELECT layout, 1, layout, 12345678901234567890123456789000
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, (idgen_parts(idgen_next_big(layout), layout)).sequence_value, (idgen_parts(idgen_next(layout), layout)).sequence_value
	FROM id_sequences ORDER BY layout;

-- 33 and 34 digits full, and one more
UPDATE id_sequences SET big_base = CASE WHEN layout LIKE 'prefixed%' THEN 1e33 ELSE 1e34 END - 24;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
INSERT INTO before TABLE state;
SELECT idgen_next_big('prefixed');
\echo :SQLSTATE
SELECT idgen_next_big('session_reversed');
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;

-- a sum that is negative, and one that is zero
UPDATE id_sequences SET big_base = -43;
TRUNCATE before;
INSERT INTO before TABLE state;
SELECT idgen_next_big('prefixed');
\echo :SQLSTATE
SELECT idgen_next_big('session_reversed');
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;

-- a negative sequence value that big_base lifts
INSERT INTO id_sequences (name, next_block_start, layout, big_base) VALUES
	('lifted', -3, 'session', 3), ('least', -9223372036854775808, 'prefixed', 9223372036854775808),
	('far', -9223372036854775808, 'prefixed', 1e33 - 1), ('too far', 1, 'prefixed', 1e37), ('too low', 1, 'session', -1e37),
	('full', 9223372036854775807, 'session', 1e34 - 1 - 9223372036854775807);
SELECT field(idgen_next_big('lifted'), 'session'), field(idgen_next_big('least'), 'prefixed'), field(idgen_next_big('far'), 'prefixed'),
	field(idgen_next_big('full'), 'session');
SELECT idgen_next('lifted');
\echo :SQLSTATE
SELECT field(idgen_next_big('lifted'), 'session');
SELECT idgen_last('least');
\echo :SQLSTATE
\set VERBOSITY sqlstate
SELECT idgen_next_big('too far');
SELECT idgen_next_big('too low');
SELECT name, next_block_start FROM id_sequences WHERE name LIKE 'too%' ORDER BY name;
-- not even the least and the greatest value, which only replication writes
SET session_replication_role = replica;
UPDATE id_sequences SET next_block_start = CASE name WHEN 'too far' THEN -9223372036854775808 ELSE 9223372036854775807 END
	WHERE name LIKE 'too%';
RESET session_replication_role;
SELECT idgen_next_big('too far');
SELECT idgen_next_big('too low');
\set VERBOSITY default

-- without a layout, there is room for any sum
UPDATE id_sequences SET layout = 'plain', big_base = 99999999999999999999999999999999999999 WHERE name = 'lifted';
SELECT idgen_next_big('lifted'), idgen_next_big('lifted');

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP VIEW state;
DROP TABLE before;
DROP FUNCTION field;
DROP EXTENSION idgen;

\c -
--
-- The layout can be changed at any time: the next call has the new one; what
-- was drawn before stays as it was
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
-- the second digit is that of the channel, or the first one of the session
SET idgen.channel = 7;
CREATE FUNCTION of(id numeric) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN length(id::text) < 19 THEN 'plain ' || id
		WHEN id::text LIKE '27___000000000_____' THEN 'prefixed ' || substr(id::text, 6)::int
		WHEN id::text LIKE '20__0000000000_____' THEN 'session ' || substr(id::text, 5)::int
		ELSE id::text END
$$;
CREATE FUNCTION next() RETURNS text LANGUAGE sql AS $$ SELECT of(idgen_next('gen')) $$;
CREATE FUNCTION last() RETURNS text LANGUAGE sql AS $$ SELECT of(idgen_last('gen')) $$;

SELECT next();
UPDATE id_sequences SET layout = 'prefixed';
SELECT last();
SELECT next();
SELECT last();
UPDATE id_sequences SET layout = 'session';
SELECT last();
SELECT next();
SELECT last();
UPDATE id_sequences SET layout = 'plain';
SELECT last();
SELECT next(), next(), last();
-- what was cached is a gap
SELECT ids_issued, ids_lost, ids_cached FROM idgen_stats;

-- at once in the transaction itself, which may have ids pending
BEGIN;
SELECT next();
UPDATE id_sequences SET layout = 'session';
SELECT last(), next(), last();
SELECT count(idgen_next('gen')) FROM generate_series(1, 20);
SELECT next();
UPDATE id_sequences SET layout = 'prefixed';
SELECT last(), next(), last();
COMMIT;
SELECT next();

-- rolled back
BEGIN;
UPDATE id_sequences SET layout = 'session';
SELECT next();
ROLLBACK;
SELECT last();
SELECT next();
SELECT last();
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET layout = 'plain';
SELECT next();
ROLLBACK TO a;
SELECT last();
SELECT next();
SAVEPOINT b;
UPDATE id_sequences SET layout = 'session';
RELEASE b;
SELECT next();
COMMIT;
SELECT next();
SELECT ids_lost FROM idgen_stats;

-- within one statement, and one PL/pgSQL function
CREATE FUNCTION change(to_layout text) RETURNS text LANGUAGE sql AS $$
	UPDATE id_sequences SET layout = to_layout RETURNING layout
$$;
SELECT next(), change('plain'), next(), change('prefixed'), next(), last();
DO $$
BEGIN
	FOR i IN 1 .. 4 LOOP
		UPDATE id_sequences SET layout = (ARRAY['session', 'plain', 'prefixed', 'plain'])[i];
		RAISE NOTICE '% then %', last(), next();
	END LOOP;
END $$;

-- with a range drawn last, and by idgen_next_big
UPDATE id_sequences SET layout = 'prefixed';
SELECT of(first_id), of(last_id) FROM idgen_next_range('gen', 5);
UPDATE id_sequences SET layout = 'plain';
SELECT last();
UPDATE id_sequences SET layout = 'session', big_base = 7000000000;
SELECT right(idgen_next_big('gen')::text, 34);
UPDATE id_sequences SET layout = 'plain', big_base = 0;
SELECT last();
UPDATE id_sequences SET big_base = 500;
SELECT idgen_next_big('gen') - idgen_last('gen') AS big_base;
UPDATE id_sequences SET big_base = 0;
SELECT idgen_next_big('gen') - idgen_last('gen') AS big_base;
SELECT idgen_next('gen') = idgen_last('gen') AS same;

-- by idgen_create, and what is no layout
SELECT idgen_create('created', layout => 'session');
SELECT of(idgen_next('created'));
SELECT idgen_create('wrong', layout => 'reversed');
\echo :SQLSTATE
\set VERBOSITY sqlstate
UPDATE id_sequences SET layout = 'Prefixed';
UPDATE id_sequences SET layout = '';
UPDATE id_sequences SET layout = NULL;
\set VERBOSITY default
SELECT last(), next();

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP FUNCTION change, last, next, of;
DROP EXTENSION idgen;
