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
