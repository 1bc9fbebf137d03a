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
