--
-- The layout can be changed at any time: the next call has the new one; what
-- was drawn before stays as it was
--
-- needs test/idgen.conf
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
