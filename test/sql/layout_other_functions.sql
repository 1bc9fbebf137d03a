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
