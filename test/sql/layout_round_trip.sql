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
