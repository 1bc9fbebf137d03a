--
-- Layouts with refill = 'worker': ids are composed by the session that draws
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
INSERT INTO id_sequences (name, next_block_start, block_size, refill, layout)
	SELECT layout, 1, 20, 'worker', layout FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SET idgen.channel = 3;
SELECT name, count(*), count(DISTINCT id), bool_and(node = 2 AND channel IS NOT DISTINCT FROM CASE WHEN name LIKE 'prefixed%' THEN 3 END) AS mine,
		count(DISTINCT session) AS sessions, bool_and(sequence_value = n) AS in_order
	FROM (SELECT name, n, idgen_next(name) AS id FROM id_sequences, generate_series(1, 2000) AS n OFFSET 0) AS s,
		LATERAL idgen_parts(id, name)
	GROUP BY name ORDER BY name;
SELECT name, sequence_value FROM id_sequences, idgen_parts(idgen_next_big(name), name) ORDER BY name;
SELECT last_id - first_id, (idgen_parts(first_id, 'session')).sequence_value FROM idgen_next_range('session', 1000);
SELECT * FROM idgen_next_range('session_reversed', 1000);
\echo :SQLSTATE

-- too wide: it goes back
INSERT INTO id_sequences (name, next_block_start, block_size, refill, layout) VALUES ('wide', 99999999999999, 20, 'worker', 'prefixed');
SELECT (idgen_parts(idgen_next('wide'), 'prefixed')).sequence_value;
SELECT idgen_next('wide');
\echo :SQLSTATE
SELECT idgen_next('wide');
\echo :SQLSTATE
SELECT (idgen_parts(idgen_next_big('wide'), 'prefixed')).sequence_value;
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'wide';

-- changed while ids are cached
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
SELECT idgen_next('gen');
UPDATE id_sequences SET layout = 'session' WHERE name = 'gen';
SELECT (idgen_parts(idgen_next('gen'), 'session')).sequence_value, idgen_next('gen') > 2000000000000000000 AS composed;
UPDATE id_sequences SET layout = 'plain' WHERE name = 'gen';
SELECT idgen_next('gen') BETWEEN 23 AND 1000 AS further;
SELECT ids_lost > 0 AS lost FROM idgen_stats WHERE name = 'gen';

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP EXTENSION idgen;
