--
-- Layouts: ids that are composed from node, channel, session and number
--

--
-- Layouts: ids composed of node, channel, session and sequence value, digit by
-- digit
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
SHOW idgen.node_id;

-- the number of this session, from the name of its temporary schema
CREATE TEMPORARY TABLE here AS SELECT NULL::int AS session;
UPDATE here SET session = substr(pg_my_temp_schema()::regnamespace::text, 9)::int
	- CASE WHEN current_setting('server_version_num')::int < 170000 THEN 1 ELSE 0 END;

-- what an id of that many digits should be, as text
CREATE FUNCTION composed(layout text, digits int, node int, channel int, session int, value numeric) RETURNS numeric
	LANGUAGE sql AS $$
	SELECT (prefix || CASE WHEN layout LIKE '%reversed' THEN reverse(field) ELSE field END)::numeric
	FROM (SELECT node || CASE WHEN layout LIKE 'prefixed%' THEN channel::text ELSE '' END ||
			to_char(session % 1000, 'FM000') AS prefix) AS p,
		LATERAL (SELECT lpad(value::text, digits - length(prefix), '0') AS field) AS f
$$;
CREATE FUNCTION plain_or_composed(layout text, digits int, value numeric) RETURNS numeric
	LANGUAGE sql AS $$
	SELECT CASE layout WHEN 'plain' THEN value
		ELSE composed(layout, digits, 2, current_setting('idgen.channel')::int, session, value) END
	FROM here
$$;

CREATE TABLE layouts (n serial, layout text);
INSERT INTO layouts (layout) VALUES ('plain'), ('prefixed'), ('session'), ('prefixed_reversed'), ('session_reversed');
INSERT INTO id_sequences (name, next_block_start, block_size, layout)
	SELECT layout, 989780816, 20, layout FROM layouts;

-- the fields that are the same in every session
SELECT layout, length(id::text) AS digits, left(id::text, CASE WHEN layout LIKE 'prefixed%' THEN 2 ELSE 1 END) AS node_channel,
		substr(id::text, CASE layout WHEN 'plain' THEN 1 WHEN 'session' THEN 5 WHEN 'session_reversed' THEN 5 ELSE 6 END) AS value
	FROM layouts, idgen_next(layout) AS id ORDER BY n;
SELECT layout, length(id::text) AS digits, left(id::text, CASE WHEN layout LIKE 'prefixed%' THEN 2 ELSE 1 END) AS node_channel,
		substr(id::text, CASE layout WHEN 'plain' THEN 1 WHEN 'session' THEN 5 WHEN 'session_reversed' THEN 5 ELSE 6 END) AS value
	FROM layouts, idgen_next_big(layout) AS id ORDER BY n;

-- all of them; idgen_next and idgen_next_big draw from one stream
SELECT layout, pg_typeof(id), id = plain_or_composed(layout, 19, 989780818) AS as_text
	FROM layouts, idgen_next(layout) AS id ORDER BY n;
SELECT layout, pg_typeof(id), id = plain_or_composed(layout, 38, 989780819) AS as_text
	FROM layouts, idgen_next_big(layout) AS id ORDER BY n;

-- many, over several refills, with and without a transaction
CREATE FUNCTION check_many(layout text, first bigint, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
	big numeric;
BEGIN
	FOR i IN 0 .. n - 1 LOOP
		IF i % 3 < 2 THEN
			id := idgen_next(layout);
			IF id IS DISTINCT FROM plain_or_composed(layout, 19, first + i) THEN
				RETURN format('%s of %s', id, first + i);
			END IF;
		ELSE
			big := idgen_next_big(layout);
			IF big IS DISTINCT FROM plain_or_composed(layout, 38, first + i) THEN
				RETURN format('%s of %s', big, first + i);
			END IF;
		END IF;
	END LOOP;
	RETURN 'as text';
END $$;
SELECT layout, check_many(layout, 989780820, 500) FROM layouts ORDER BY n;
BEGIN;
SELECT layout, check_many(layout, 989781320, 500) FROM layouts ORDER BY n;
SAVEPOINT a;
SELECT layout, check_many(layout, 989781820, 50) FROM layouts ORDER BY n;
COMMIT;

-- gapless ones
UPDATE id_sequences SET block_size = 1, next_block_start = 1;
BEGIN;
SELECT layout, check_many(layout, 1, 100) FROM layouts ORDER BY n;
COMMIT;
SELECT layout, check_many(layout, 101, 10) FROM layouts ORDER BY n;
SELECT DISTINCT next_block_start FROM id_sequences;

-- the least values and the greatest ones that have room
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, layout) SELECT layout, 0, layout FROM layouts;
SELECT layout, check_many(layout, 0, 3) FROM layouts ORDER BY n;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, layout)
	SELECT layout, CASE WHEN layout LIKE 'prefixed%' THEN 99999999999990 ELSE 999999999999990 END, layout FROM layouts;
SELECT layout, check_many(layout, CASE WHEN layout LIKE 'prefixed%' THEN 99999999999990 ELSE 999999999999990 END, 10)
	FROM layouts ORDER BY n;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, layout) SELECT layout, 9223372036854775807, layout FROM layouts;
SELECT layout, id = plain_or_composed(layout, 38, 9223372036854775807) AS as_text
	FROM layouts, idgen_next_big(layout) AS id ORDER BY n;

-- only the sequence value is cached
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, layout) SELECT layout, 1, layout FROM layouts;
SELECT count(idgen_next(layout)) FROM layouts;
SELECT DISTINCT first_id, last_id FROM idgen_cache;

-- as defaults of columns
CREATE TABLE orders (
	id bigint PRIMARY KEY DEFAULT idgen_next('session_reversed'),
	big numeric(38,0) UNIQUE DEFAULT idgen_next_big('prefixed')
);
INSERT INTO orders SELECT FROM generate_series(1, 1000);
COPY orders (big) FROM stdin;
1
\.
WITH expected AS MATERIALIZED (
	SELECT composed('session_reversed', 19, 2, 0, session, i) AS id, composed('prefixed', 38, 2, 0, session, i) AS big
	FROM here, generate_series(2, 1002) AS i)
SELECT (SELECT count(*) FROM orders JOIN expected USING (id)) AS ids, (SELECT count(*) FROM orders JOIN expected USING (big)) AS bigs;

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP TABLE orders, layouts;
DROP FUNCTION check_many, plain_or_composed, composed;
DROP EXTENSION idgen;

\c -
--
-- Composing and taking apart: ids made as text are taken apart to what they
-- were made of, and those that are drawn too
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 7;
SELECT pg_reload_conf();
\c -
SELECT setseed(0.5);
CREATE TABLE made AS
	SELECT layout, node, CASE WHEN layout LIKE 'prefixed%' THEN channel END AS channel, session, value, big_value
	FROM (SELECT (ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed'])[1 + i % 4] AS layout,
			1 + (random() * 7)::int AS node, (random() * 9)::int AS channel, (random() * 999)::int AS session,
			trunc(power(10::numeric, (random() * 14)::numeric))::bigint - 1 AS value,
			trunc(power(10::numeric, (random() * 33)::numeric)) - 1 AS big_value
		FROM generate_series(1, 8000) AS i) AS s;
-- the ends of each field
INSERT INTO made
	SELECT layout, node, CASE WHEN layout LIKE 'prefixed%' THEN channel END, session, value, big_value
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout,
		unnest(ARRAY[1, 8]) AS node, unnest(ARRAY[0, 9]) AS channel, unnest(ARRAY[0, 1, 100, 999]) AS session,
		unnest(ARRAY[0, 1, 10, 99999999999999, 10000000000000]) AS value,
		unnest(ARRAY[0, 1, 10, 1e33 - 1, 1e32]) AS big_value;
CREATE VIEW texts AS
	SELECT *, prefix || CASE WHEN layout LIKE '%reversed' THEN reverse(field) ELSE field END AS id,
		prefix || CASE WHEN layout LIKE '%reversed' THEN reverse(big_field) ELSE big_field END AS big
	FROM made,
		LATERAL (SELECT node || coalesce(channel::text, '') || lpad(session::text, 3, '0') AS prefix) AS p,
		LATERAL (SELECT lpad(value::text, 19 - length(prefix), '0') AS field, lpad(big_value::text, 38 - length(prefix), '0') AS big_field) AS f;
SELECT layout, count(*) > 2000 AS many, min(length(id)), max(length(id)), min(length(big)), max(length(big)) FROM texts GROUP BY layout ORDER BY layout;
SELECT count(*) AS wrong, min(layout), min(id)
	FROM texts t, LATERAL idgen_parts(t.id::bigint, t.layout) AS p
	WHERE (p.node, p.channel, p.session, p.sequence_value) IS DISTINCT FROM (t.node, t.channel, t.session, t.value);
SELECT count(*) AS wrong, min(layout), min(big)
	FROM texts t, LATERAL idgen_parts(t.big::numeric, t.layout) AS p
	WHERE (p.node, p.channel, p.session, p.sequence_value) IS DISTINCT FROM (t.node, t.channel, t.session, t.big_value);

-- drawn: all that changes from one to the next is the sequence value
INSERT INTO id_sequences (name, next_block_start, block_size, layout)
	SELECT layout, 12345678900, 100, layout FROM unnest(ARRAY['plain', 'prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SET idgen.channel = 4;
SELECT name, count(*), min(node), max(node), min(channel), max(channel), count(DISTINCT session) AS sessions,
		count(DISTINCT id), bool_and(sequence_value = 12345678899 + n) AS values
	FROM (SELECT name, n, idgen_next(name) AS id FROM id_sequences, generate_series(1, 1000) AS n OFFSET 0) AS s,
		LATERAL idgen_parts(id, name)
	GROUP BY name ORDER BY name;
SELECT name, count(*), min(node), max(node), min(channel), max(channel), count(DISTINCT session) AS sessions,
		count(DISTINCT id), bool_and(sequence_value = 12345679899 + n) AS values
	FROM (SELECT name, n, idgen_next_big(name) AS id FROM id_sequences, generate_series(1, 1000) AS n OFFSET 0) AS s,
		LATERAL idgen_parts(id, name)
	GROUP BY name ORDER BY name;

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP VIEW texts;
DROP TABLE made;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- idgen.node_id is the first digit of composed ids, so it must be between 1 and
-- 8; where it is not, nothing is drawn
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, layout) VALUES
	('plain', 1, 'plain'), ('prefixed', 1, 'prefixed'), ('session', 1, 'session'),
	('prefixed_reversed', 1, 'prefixed_reversed'), ('session_reversed', 1, 'session_reversed');
CREATE VIEW drawn AS SELECT next_block_start, count(*) FROM id_sequences GROUP BY next_block_start ORDER BY 1;

SHOW idgen.node_id;
SELECT idgen_next('plain'), idgen_next_big('plain');
SELECT idgen_next('prefixed');
\echo :SQLSTATE
SELECT idgen_next('session');
\echo :SQLSTATE
SELECT idgen_next('prefixed_reversed');
\echo :SQLSTATE
SELECT idgen_next('session_reversed');
\echo :SQLSTATE
SELECT idgen_next_big('prefixed');
\echo :SQLSTATE
SELECT idgen_next_big('session_reversed');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('session', 3);
\echo :SQLSTATE
SELECT idgen_peek('session');
\echo :SQLSTATE
TABLE drawn;

-- only the server's configuration sets it
SET idgen.node_id = 2;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.node_id = 1024;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.node_id = -1;
\echo :SQLSTATE

-- the greatest
ALTER SYSTEM SET idgen.node_id = 8;
SELECT pg_reload_conf();
\c -
SELECT left(idgen_next('prefixed')::text, 1), left(idgen_next('session')::text, 1),
	left(idgen_next('prefixed_reversed')::text, 1), left(idgen_next_big('session_reversed')::text, 1);
ALTER SYSTEM SET idgen.node_id = 1;
SELECT pg_reload_conf();
\c -
SELECT left(idgen_next('prefixed')::text, 1), left(idgen_next('session')::text, 1),
	left(idgen_next('prefixed_reversed')::text, 1), left(idgen_next_big('session_reversed')::text, 1);

-- beyond
ALTER SYSTEM SET idgen.node_id = 9;
SELECT pg_reload_conf();
\c -
SELECT idgen_next('prefixed');
\echo :SQLSTATE
ALTER SYSTEM SET idgen.node_id = 1023;
SELECT pg_reload_conf();
\c -
SELECT idgen_next('session');
\echo :SQLSTATE
SELECT idgen_next_big('session');
\echo :SQLSTATE
SELECT idgen_next('plain') > 2 AS plain;

-- what was drawn before can still be asked for
ALTER SYSTEM SET idgen.node_id = 3;
SELECT pg_reload_conf();
\c -
SELECT node, sequence_value FROM idgen_parts(idgen_next('session'), 'session') \gset
SELECT :node AS node, idgen_peek('session') - idgen_last('session') AS one_more, (idgen_parts(idgen_last('session'), 'session')).sequence_value - :sequence_value AS same;

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
\c -
SELECT idgen_next('prefixed');
\echo :SQLSTATE
DROP VIEW drawn;
DROP EXTENSION idgen;

\c -
--
-- idgen.channel: a digit of ids with layout prefixed, which each session sets
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
INSERT INTO id_sequences (name, next_block_start, layout) VALUES
	('plain', 1, 'plain'), ('prefixed', 1, 'prefixed'), ('prefixed_reversed', 1, 'prefixed_reversed'), ('session', 1, 'session');
CREATE FUNCTION channels() RETURNS text LANGUAGE sql AS $$
	SELECT substr(idgen_next('prefixed')::text, 1, 2) || ' ' || substr(idgen_next('prefixed_reversed')::text, 1, 2) || ' ' ||
		substr(idgen_next_big('prefixed')::text, 1, 2) || ' ' || substr(idgen_next_big('prefixed_reversed')::text, 1, 2) || ' ' ||
		substr(idgen_peek('prefixed')::text, 1, 2)
$$;

SHOW idgen.channel;
SELECT channels();
SET idgen.channel = 9;
SELECT channels();
-- what was drawn before keeps its own
SET idgen.channel = 5;
SELECT substr(idgen_last('prefixed')::text, 1, 2);
SELECT channels();

-- at each call; in a transaction, and undone with it
BEGIN;
SET LOCAL idgen.channel = 3;
SELECT channels();
COMMIT;
SELECT channels();
BEGIN;
SET idgen.channel = 3;
SELECT channels();
ROLLBACK;
SELECT channels();
CREATE FUNCTION with_channel() RETURNS text SET idgen.channel = 8 LANGUAGE sql AS 'SELECT channels()';
SELECT channels(), with_channel(), channels();
SELECT n, substr(idgen_next('prefixed')::text, 2, 1) AS channel
	FROM generate_series(0, 9) AS n WHERE set_config('idgen.channel', n::text, false) <> '';
RESET idgen.channel;
SELECT channels();

-- anybody may, also for a role
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SET idgen.channel = 4;
SELECT channels();
RESET ROLE;
DROP ROLE regress_idgen_user;

-- not a digit
SET idgen.channel = 10;
\echo :SQLSTATE
SET idgen.channel = -1;
\echo :SQLSTATE
SET idgen.channel = 'a';
\echo :SQLSTATE
SHOW idgen.channel;
SELECT channels();

-- the others do not depend on it
SELECT idgen_next('plain'), left(idgen_next('session')::text, 1);
SELECT channel IS NULL AS none FROM idgen_parts(idgen_last('session'), 'session');

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP FUNCTION channels, with_channel;
DROP EXTENSION idgen;

\c -
--
-- Ranges of composed ids: in a row unless the digits are reversed
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
INSERT INTO id_sequences (name, next_block_start, layout)
	SELECT layout, 1, layout FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SET idgen.channel = 6;

SELECT last_id - first_id, p.node, p.channel, p.sequence_value, q.node, q.channel, q.sequence_value, p.session = q.session AS one_session
	FROM idgen_next_range('prefixed', 1000), idgen_parts(first_id, 'prefixed') AS p, idgen_parts(last_id, 'prefixed') AS q;
SELECT last_id - first_id, p.node, p.channel, p.sequence_value, q.node, q.channel, q.sequence_value, p.session = q.session AS one_session
	FROM idgen_next_range('session', 7), idgen_parts(first_id, 'session') AS p, idgen_parts(last_id, 'session') AS q;
SELECT idgen_next('session') - last_id FROM idgen_next_range('session', 7);
SELECT last_id = idgen_last('prefixed') AS last FROM idgen_next_range('prefixed', 7);
SELECT first_id <= last_id AS one FROM idgen_next_range('session', 1);

-- reversed ones do not follow each other
SELECT * FROM idgen_next_range('prefixed_reversed', 2);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('session_reversed', 1);
\echo :SQLSTATE
SELECT name, next_block_start FROM id_sequences WHERE layout LIKE '%reversed' ORDER BY name;

-- all that there is room for
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('all', 0, 'session'), ('too many', 0, 'prefixed');
SELECT last_id - first_id, q.sequence_value FROM idgen_next_range('all', 1000000000000000), idgen_parts(last_id, 'session') AS q;
SELECT * FROM idgen_next_range('too many', 100000000000001);
\echo :SQLSTATE
SELECT next_block_start FROM id_sequences WHERE name = 'too many';
SELECT last_id - first_id, q.sequence_value FROM idgen_next_range('too many', 100000000000000), idgen_parts(last_id, 'prefixed') AS q;

-- of a descending sequence
CREATE SEQUENCE down_seq INCREMENT BY -20 MINVALUE -1000 MAXVALUE 100 START 30;
SELECT idgen_create('down', source => 'sequence', layout => 'session');
SELECT first_id - last_id, p.sequence_value FROM idgen_next_range('down', 15), idgen_parts(first_id, 'session') AS p;
SELECT (idgen_parts(idgen_peek('down'), 'session')).sequence_value;
SELECT * FROM idgen_next_range('down', 17);
\echo :SQLSTATE
SELECT (idgen_parts(idgen_peek('down'), 'session')).sequence_value;
SELECT first_id - last_id, p.sequence_value FROM idgen_next_range('down', 16), idgen_parts(first_id, 'session') AS p;

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP SEQUENCE down_seq;
DROP EXTENSION idgen;

\c -
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

\c -
--
-- Layouts with idgen_peek, idgen_last and idgen_restart: ids as they are drawn
-- go in and come out
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
INSERT INTO id_sequences (name, next_block_start, layout, big_base)
	SELECT layout, 1, layout, 70 FROM unnest(ARRAY['plain', 'prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
CREATE TABLE seen (layout text PRIMARY KEY, last bigint, peek bigint);

-- nothing was drawn yet
SELECT idgen_last('prefixed');
\echo :SQLSTATE

-- what is peeked at is what is drawn next, and last after that
INSERT INTO seen (layout, peek) SELECT layout, idgen_peek(layout) FROM id_sequences;
SELECT layout, idgen_next(layout) = peek AS peeked, idgen_last(layout) = peek AS last
	FROM seen ORDER BY layout;
-- with layout plain, big_base can be added to both
UPDATE seen SET peek = idgen_peek(layout);
SELECT layout, next_big = peek + big_base AS peek_plus_base, next_big = idgen_last(layout) + big_base AS last_plus_base, idgen_last(layout) = peek AS last
	FROM (SELECT seen.*, idgen_next_big(layout) AS next_big FROM seen OFFSET 0) AS seen JOIN id_sequences USING (layout) ORDER BY layout;
SELECT layout, (idgen_parts(idgen_last(layout), layout)).sequence_value,
		(idgen_parts(idgen_peek(layout), layout)).sequence_value AS peek
	FROM seen ORDER BY layout;

-- the same when the source was an argument
SELECT layout, idgen_next(layout, 'table') = idgen_last(layout) AS last
	FROM seen ORDER BY layout;

-- pending, rolled back, and in another transaction
BEGIN;
SELECT count(idgen_next(layout)) FROM seen, generate_series(1, 30);
SELECT layout, idgen_peek(layout) = idgen_next(layout) AS peeked, (idgen_parts(idgen_last(layout), layout)).sequence_value
	FROM seen ORDER BY layout;
ROLLBACK;
SELECT layout, (idgen_parts(idgen_last(layout), layout)).sequence_value, idgen_peek(layout) = idgen_next(layout) AS peeked
	FROM seen ORDER BY layout;

-- a restart at a sequence value
SELECT count(idgen_restart(layout, 1000)) FROM seen;
SELECT layout, (idgen_parts(idgen_peek(layout), layout)).sequence_value FROM seen ORDER BY layout;
SELECT DISTINCT next_block_start, start_value FROM id_sequences;

-- at an id, as it was drawn; only its sequence value counts
SELECT count(idgen_next(layout)) FROM seen, generate_series(1, 500);
UPDATE seen SET last = idgen_last(layout);
SELECT count(idgen_next(layout)) FROM seen, generate_series(1, 50);
SELECT layout, idgen_restart(layout, last), next_block_start FROM seen JOIN id_sequences USING (layout) ORDER BY layout;
SELECT layout, next_block_start, idgen_next(layout) = last AS again FROM seen JOIN id_sequences USING (layout) ORDER BY layout;
SELECT idgen_restart('prefixed', 8999900000000002000), idgen_restart('prefixed_reversed', 1000000030000000000),
	idgen_restart('session', 1000000000000004000), idgen_restart('session_reversed', 8999000500000000000);
SELECT layout, next_block_start FROM id_sequences ORDER BY layout;

-- the greatest sequence value, and the least
SELECT idgen_restart('prefixed', 99999999999999), idgen_restart('session', 0);
SELECT (idgen_parts(idgen_next('prefixed'), 'prefixed')).sequence_value, (idgen_parts(idgen_next('session'), 'session')).sequence_value;

-- neither
SELECT idgen_restart('prefixed', 100000000000000);
\echo :SQLSTATE
SELECT idgen_restart('prefixed', 9000000000000000000);
\echo :SQLSTATE
SELECT idgen_restart('session', -1);
\echo :SQLSTATE
SELECT idgen_restart('session_reversed', 999999999999999999);
\echo :SQLSTATE
SELECT idgen_restart('plain', -1);
SELECT idgen_next('plain'), next_block_start FROM id_sequences WHERE name = 'plain';

-- a native sequence is restarted at its value too
CREATE SEQUENCE native_seq;
SELECT idgen_create('native', source => 'sequence', layout => 'prefixed');
SELECT idgen_restart('native', 2000000000000000700);
SELECT last_value, is_called FROM native_seq;
SELECT (idgen_parts(idgen_next('native'), 'prefixed')).sequence_value;

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP TABLE seen;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
