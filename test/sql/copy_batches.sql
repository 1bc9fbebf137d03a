--
-- COPY stores rows in batches if their ids come from idgen_next, and then only
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');
CREATE SEQUENCE native_seq;

-- A table has no pages before the first batch is stored. The server must take
-- this for a function that does not look at the table, or there are no batches.
CREATE FUNCTION pages() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN pg_relation_size('loaded') / 8192;
END $$;

-- How COPY stores rows with that default
CREATE FUNCTION rows_with(expression text, command text DEFAULT 'COPY loaded (line) FROM PROGRAM ''seq 3''') RETURNS text
	LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('CREATE TABLE loaded (id numeric DEFAULT %s, line int, pages bigint DEFAULT pages())', expression);
	EXECUTE command;
	SELECT CASE WHEN count(DISTINCT id) < 3 THEN 'wrong ids' WHEN max(pages) = 0 THEN 'in a batch' ELSE 'one by one' END
		INTO answer FROM loaded;
	DROP TABLE loaded;
	RETURN answer;
END $$;

-- as with nextval, and not with any volatile function
SELECT rows_with($$idgen_next('x')$$), rows_with($$nextval('native_seq')$$), rows_with('random()::numeric');

-- also within an expression; but not by the other functions that draw
SELECT rows_with($$idgen_next(lower('X')) * 10$$), rows_with($$idgen_next('x') + random()::numeric$$);
SELECT rows_with($$idgen_next('x', 'table')$$), rows_with($$idgen_next_big('x')$$), rows_with($$idgen_next_text('x')::numeric$$);

-- sources and refills that run nobody's code
SELECT idgen_create('native', source => 'sequence');
SELECT rows_with($$idgen_next('native')$$);
SELECT idgen_create('gapless', block_size => 1);
SELECT rows_with($$idgen_next('gapless')$$);

-- the default of a domain
CREATE DOMAIN id AS bigint DEFAULT idgen_next('x') CHECK (VALUE < 1000000);
SELECT rows_with('NULL::bigint', $$ALTER TABLE loaded ALTER id DROP DEFAULT, ALTER id TYPE id;
	COPY loaded (line) FROM PROGRAM 'seq 3'$$);

-- not if a function allocates: it may look at the table
CREATE FUNCTION allocator(name text, blocks int, OUT first_id bigint, OUT last_id bigint) RETURNS SETOF record
	LANGUAGE plpgsql AS $$
BEGIN
	first_id := pg_relation_size('loaded') + 1000 * (SELECT count(*) FROM loaded);
	last_id := first_id;
	RETURN NEXT;
END $$;
SELECT idgen_create('function', source => 'function', source_name => 'allocator');
SELECT rows_with($$idgen_next('function')$$);
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocator' WHERE name = 'x';
SELECT rows_with($$idgen_next('x')$$);
ROLLBACK;
SELECT rows_with($$idgen_next('x')$$);

-- nor with periods: it is another row that is drawn from
SELECT idgen_create('yearly', period => 'year'), idgen_next('yearly');
SELECT rows_with($$idgen_next('yearly')$$);

-- nor if the row is switched to one after the defaults are planned
CREATE FUNCTION switch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET source = 'function', source_name = 'public.allocator' WHERE name = 'x';
	RETURN NULL;
END $$;
SELECT rows_with($$idgen_next('x')$$, $$
	CREATE TRIGGER switch BEFORE INSERT ON loaded EXECUTE FUNCTION switch();
	COPY loaded (line) FROM PROGRAM 'seq 3'$$);
\echo :SQLSTATE
SELECT source, rows_with($$idgen_next('x')$$) FROM id_sequences WHERE name = 'x';

-- nor with a trigger of others on id_sequences, which a refill fires
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER watcher AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT rows_with($$idgen_next('x')$$);
ALTER TABLE id_sequences DISABLE TRIGGER watcher;
SELECT rows_with($$idgen_next('x')$$);
DROP TRIGGER watcher ON id_sequences;

-- nor by a name that is not constant
SET regress.name = 'x';
SELECT rows_with($$idgen_next(current_setting('regress.name'))$$);

-- nor while there is no row
SET idgen.auto_create = on;
SELECT rows_with($$idgen_next('new')$$);
SELECT rows_with($$idgen_next('new')$$);
RESET idgen.auto_create;

-- errors as ever
SELECT rows_with($$idgen_next('no such')$$);
\echo :SQLSTATE
SELECT rows_with($$idgen_next('x', 'no such')$$);
\echo :SQLSTATE
SELECT rows_with($$idgen_next('x', 'sequence')$$);
\echo :SQLSTATE

-- to switch it off
ALTER FUNCTION idgen_next_in_copy(text, internal) VOLATILE;
SELECT rows_with($$idgen_next('x')$$);
ALTER FUNCTION idgen_next_in_copy(text, internal) STABLE;

-- what else a role needs
CREATE ROLE regress_idgen_loader;
CREATE TABLE loaded (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages());
GRANT SELECT, INSERT, TRUNCATE ON loaded TO regress_idgen_loader;
SET ROLE regress_idgen_loader;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION idgen_next(text) FROM PUBLIC;
SET ROLE regress_idgen_loader;
\copy loaded (line) FROM '/dev/null'
RESET ROLE;
GRANT EXECUTE ON FUNCTION idgen_next(text) TO PUBLIC;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_loader;
COPY loaded (line) FROM stdin;
1
\.
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security: a policy may look at the table
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON id_sequences USING (true);
SET ROLE regress_idgen_loader;
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;
RESET ROLE;
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT id), max(pages) FROM loaded;

DROP TABLE loaded;
DROP OWNED BY regress_idgen_loader;
DROP ROLE regress_idgen_loader;
DROP FUNCTION rows_with, allocator, switch, nothing;
DROP DOMAIN id;
DROP FUNCTION pages;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
