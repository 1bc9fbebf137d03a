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
