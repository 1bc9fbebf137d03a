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
