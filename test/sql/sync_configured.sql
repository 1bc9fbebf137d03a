--
-- idgen_sync: an id sequence behind its columns
--
-- needs test/idgen.conf
--

--
-- idgen_sync(): an id sequence goes behind the ids that its columns have
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE t (id serial PRIMARY KEY, what text);
INSERT INTO t (what) VALUES ('one'), ('two');
SELECT idgen_adopt('t', 'id', refill => 'transaction');
CREATE VIEW state AS SELECT name, next_block_start, exhausted, start_value FROM id_sequences;

-- nothing to do: neither with what is cached nor without
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('three') RETURNING id;
SELECT idgen_sync('t', 'id');
SELECT idgen_peek('public.t.id');

-- an import with explicit ids: moved, and what was cached is dropped
INSERT INTO t SELECT i, 'imported' FROM generate_series(4, 1000) i;
INSERT INTO t (what) VALUES ('fails');
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('works') RETURNING id;
TABLE state;

-- never back
DELETE FROM t WHERE id > 3;
SELECT idgen_sync('t', 'id');
SELECT idgen_peek('public.t.id');
TRUNCATE t;
SELECT idgen_sync('t', 'id');

-- the row is behind already, but what is cached is not
INSERT INTO t VALUES (1010);
SELECT idgen_sync('t', 'id');
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('behind') RETURNING id;

-- at commit, or not at all; in the transaction itself, at once
INSERT INTO t VALUES (2000);
BEGIN;
SELECT idgen_sync('t', 'id');
SELECT idgen_sync('t', 'id');
SELECT idgen_next('public.t.id');
ROLLBACK;
SELECT idgen_peek('public.t.id');
BEGIN;
SAVEPOINT s;
SELECT idgen_sync('t', 'id');
ROLLBACK TO s;
SELECT idgen_peek('public.t.id');
SELECT idgen_sync('t', 'id');
COMMIT;
SELECT idgen_peek('public.t.id');

-- a pending block of the transaction itself
SELECT idgen_restart('public.t.id', 3001);
BEGIN;
INSERT INTO t (what) VALUES ('pending') RETURNING id;
INSERT INTO t VALUES (3005);
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('behind') RETURNING id;
COMMIT;
INSERT INTO t (what) VALUES ('behind') RETURNING id;

-- gapless
UPDATE id_sequences SET block_size = 1 WHERE name = 'public.t.id';
SELECT idgen_sync('t', 'id');
INSERT INTO t VALUES (4000);
BEGIN;
INSERT INTO t (what) SELECT 'gapless' FROM generate_series(1, 30);
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('gapless') RETURNING id;
COMMIT;
INSERT INTO t (what) VALUES ('gapless') RETURNING id;

-- up to the end
UPDATE id_sequences SET max_value = 5000 WHERE name = 'public.t.id';
INSERT INTO t VALUES (4999);
SELECT idgen_sync('t', 'id');
INSERT INTO t (what) VALUES ('last') RETURNING id;
SELECT idgen_sync('t', 'id');
TABLE state;
INSERT INTO t VALUES (5010);
UPDATE id_sequences SET max_value = 6000, exhausted = 0 WHERE name = 'public.t.id';
SELECT idgen_sync('t', 'id');
INSERT INTO t VALUES (7000);
SELECT idgen_sync('t', 'id');
TABLE state;

-- several columns draw from one id sequence, one of them in an expression
CREATE TABLE u (id bigint DEFAULT idgen_next('public.t.id'), no smallint DEFAULT idgen_next('public.t.id') + 1);
UPDATE id_sequences SET max_value = 100000, block_size = 20 WHERE name = 'public.t.id';
INSERT INTO u VALUES (8000, 9000);
SELECT idgen_sync('t', 'id');
INSERT INTO u VALUES (8100, 9000);
SELECT idgen_sync('u', 'id');
SELECT idgen_sync('u', 'no');
DROP TABLE u;

-- numeric columns, big_base, domains, negative ids
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN key AS bigint DEFAULT idgen_next('domain');
CREATE TABLE n (
	big numeric DEFAULT idgen_next_big('big'),
	small positive DEFAULT idgen_next('small'),
	negative int DEFAULT idgen_next('negative'),
	id key,
	words text DEFAULT idgen_next('words')
);
SELECT idgen_create(name, next_block_start, big_base => big_base) FROM
	(VALUES ('big', 1, 1e20), ('small', 1, 0), ('negative', -100, 0), ('domain', 1, 0), ('words', 1, 0))
	AS v (name, next_block_start, big_base);
INSERT INTO n VALUES (100000000000000000500.7, 7, -50, 70);
SELECT idgen_sync('n', 'big');
SELECT idgen_sync('n', 'small');
SELECT idgen_sync('n', 'negative');
SELECT idgen_sync('n', 'id');
SELECT idgen_sync('n', 'words');
INSERT INTO n DEFAULT VALUES RETURNING *;
UPDATE n SET big = 'NaN', negative = -2147483648;
SELECT idgen_sync('n', 'big');
SELECT idgen_sync('n', 'negative');
UPDATE n SET big = -1e30;
SELECT idgen_sync('n', 'big');

-- every column of a table, or of the database; what cannot be moved is told
SELECT idgen_create('composed', layout => 'prefixed');
CREATE TABLE others (
	composed bigint DEFAULT idgen_next('composed'),
	gone bigint DEFAULT idgen_next('gone'),
	none bigint
);
INSERT INTO others VALUES (1, 1, 1);
UPDATE n SET small = 700;
SELECT idgen_sync('n');
SELECT idgen_sync('others', NULL);
INSERT INTO t VALUES (20000);
SELECT idgen_sync();
SELECT count(*) FROM idgen_sync(NULL, NULL);

-- the worker refills
SELECT idgen_create('w', refill => 'worker');
CREATE TABLE w (id bigint PRIMARY KEY DEFAULT idgen_next('w'));
INSERT INTO w DEFAULT VALUES RETURNING id;
INSERT INTO w VALUES (5), (500);
SELECT idgen_sync('w', 'id');
INSERT INTO w DEFAULT VALUES RETURNING id;
SELECT idgen_sync('w', 'id');
DROP TABLE w;

-- Whatever keeps one from being moved is a line of the report
ALTER TABLE id_sequences ADD CONSTRAINT low CHECK (next_block_start < 50000);
INSERT INTO t VALUES (90000);
SELECT line FROM idgen_sync() AS line WHERE line ~ 'left alone.*check constraint';
DELETE FROM t WHERE id = 90000;
ALTER TABLE id_sequences DROP CONSTRAINT low;

-- mistakes
SELECT idgen_sync(NULL, 'id');
SELECT idgen_sync('t', 'nothing');
SELECT idgen_sync('t', 'what');
SELECT idgen_sync('others', 'none');
SELECT idgen_sync('others', 'composed');
SELECT idgen_sync('others', 'gone');
SELECT idgen_sync(1, 'id');
BEGIN READ ONLY;
SELECT idgen_sync('t', 'id');
ROLLBACK;

DROP TABLE others, n, t;
DROP DOMAIN key, positive;
DROP VIEW state;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- idgen_sync(): which columns it finds, where their defaults come from
--
-- A cache of the session's own is emptied by a change of a row.
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('gen'), idgen_create('twice'), idgen_create('of domain');

-- columns that are dropped, defaults that draw twice
CREATE TABLE t (gone text, id bigint DEFAULT idgen_next('gen'), twice bigint DEFAULT idgen_next('twice') + idgen_next('twice'));
ALTER TABLE t DROP gone;
INSERT INTO t (id, twice) VALUES (100, 3);
SELECT idgen_sync('t', 'id');
SELECT idgen_sync('t', 'twice');
SELECT idgen_sync('t');
SELECT idgen_next('gen'), idgen_next('twice');
DROP TABLE t;
SELECT idgen_sync();

-- what else has a domain with a default: a column with a default of its own, a
-- composite type, a view
CREATE DOMAIN number AS bigint DEFAULT idgen_next('of domain');
CREATE TABLE t (id number, other number DEFAULT 0);
CREATE TYPE pair AS (id number);
CREATE VIEW v AS SELECT id FROM t;
INSERT INTO t VALUES (50, 5000);
SELECT idgen_sync();
INSERT INTO t DEFAULT VALUES RETURNING *;
DROP VIEW v;
DROP TYPE pair;

-- the column of a parent is dropped, and a table that inherits from another one
-- draws from the same
CREATE TABLE owner (id bigint);
CREATE TABLE parent (id bigint);
CREATE TABLE child (id bigint DEFAULT idgen_next('inherited')) INHERITS (parent);
SELECT idgen_create('inherited', owned_by => 'owner.id');
ALTER TABLE owner ALTER id SET DEFAULT idgen_next('inherited');
DROP TABLE owner;
SELECT name, owned_by FROM id_sequences WHERE name = 'inherited';
INSERT INTO child DEFAULT VALUES RETURNING id;
DROP TABLE child, parent;

-- a search_path of very many schemas
CREATE SCHEMA regress_idgen_last;
SELECT format('CREATE SCHEMA regress_idgen_%s', i) FROM generate_series(1, 20) i \gexec
SELECT set_config('search_path', string_agg('regress_idgen_' || i, ', ') || ', regress_idgen_last, public', false) IS NOT NULL
	FROM generate_series(1, 20) i;
CREATE SEQUENCE regress_idgen_last.far_seq INCREMENT BY 10;
SELECT idgen_next('far', 'sequence');
RESET search_path;
SET client_min_messages = warning;
SELECT format('DROP SCHEMA regress_idgen_%s CASCADE', i) FROM generate_series(1, 20) i \gexec
DROP SCHEMA regress_idgen_last CASCADE;

-- several blocks are pending: as long as one lies before the ids, none is drawn
SET client_min_messages = notice;
CREATE TABLE p (id bigint DEFAULT idgen_next('gen'));
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);
INSERT INTO p VALUES (100000);
SELECT idgen_sync('p');
SELECT idgen_next('gen');
COMMIT;

DROP TABLE p, t;
DROP DOMAIN number;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- idgen_sync() counts the ids of partitions and inheritance children, each once
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('gen'), idgen_create('own'), idgen_create('child');
CREATE TABLE part (id bigint DEFAULT idgen_next('gen'), k int) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part2 (id bigint, k int);
ALTER TABLE part ATTACH PARTITION part2 FOR VALUES IN (2);
CREATE TABLE part3 PARTITION OF part FOR VALUES IN (3);
ALTER TABLE part3 ALTER id SET DEFAULT idgen_next('own');
CREATE TABLE parent (id bigint DEFAULT idgen_next('child'));
CREATE TABLE child () INHERITS (parent);
INSERT INTO part VALUES (10, 1), (20, 2), (30, 3);
INSERT INTO child VALUES (40);
SELECT idgen_sync();
SELECT name, next_block_start FROM id_sequences ORDER BY name;
INSERT INTO part VALUES (110, 1);
INSERT INTO child VALUES (140);
SELECT idgen_sync('part1', 'id');
SELECT idgen_sync('child');
SELECT idgen_sync('part2', 'id');
SELECT idgen_sync('part3');
DROP TABLE part, child, parent;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Defaults that draw from id sequences without rows, as a dump of the schema
-- leaves them: idgen_sync() makes the rows
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE parts (id integer PRIMARY KEY DEFAULT idgen_next('public.parts.id'), item text);
CREATE TABLE copies (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE originals (id smallint DEFAULT idgen_next('shared'::varchar(10), 'table'));
CREATE TABLE there (id bigint DEFAULT idgen_next('there'));
CREATE TABLE children (id bigint DEFAULT idgen_next('template/child'), month bigint DEFAULT idgen_next('invoices/2026-11'));
INSERT INTO parts (id) VALUES (41);
INSERT INTO copies VALUES (7);
INSERT INTO originals VALUES (-3);
SELECT idgen_create('there', next_block_start => 5), idgen_create('template/*'), idgen_create('invoices', period => 'month');

-- the hint says so, and what it says helps
INSERT INTO parts DEFAULT VALUES;
SELECT * FROM idgen_sync();
INSERT INTO parts DEFAULT VALUES RETURNING id;
INSERT INTO copies DEFAULT VALUES RETURNING id;
SELECT name, next_block_start, start_value, max_value, refill, owned_by FROM id_sequences ORDER BY name;
SELECT * FROM idgen_sync();

-- of one table; with another refill; a column that inherits; a domain's default
CREATE DOMAIN number AS bigint DEFAULT idgen_next('number');
CREATE TABLE numbers (a number, b bigint DEFAULT 3);
CREATE TABLE parent (id bigint DEFAULT idgen_next('parent')) PARTITION BY RANGE (id);
CREATE TABLE child PARTITION OF parent FOR VALUES FROM (1) TO (1000);
INSERT INTO child VALUES (100);
SELECT * FROM idgen_sync('parts');
SELECT * FROM idgen_sync('parent', refill => 'transaction');
SELECT * FROM idgen_sync('numbers', refill => 'worker');
SELECT name, next_block_start, refill, owned_by FROM id_sequences WHERE name IN ('parent', 'number') ORDER BY name;

-- where only the row can say what the ids are like, none is made
CREATE TABLE left_alone (
	big numeric DEFAULT idgen_next_big('big'),
	text_id text DEFAULT idgen_next_text('text'),
	computed bigint DEFAULT idgen_next('computed') * 10,
	word text DEFAULT idgen_next('word'),
	remote bigint DEFAULT idgen_next('remote', 'server'),
	native bigint DEFAULT idgen_next('native', 'sequence'),
	any_name bigint DEFAULT idgen_next(current_user),
	no_name bigint DEFAULT idgen_next(''),
	template bigint DEFAULT idgen_next('a/*'),
	full_up smallint DEFAULT idgen_next('full'));
INSERT INTO left_alone (full_up, big, text_id, computed, word, remote, native, any_name, no_name, template) VALUES (32767, 1, 1, 1, 1, 1, 1, 1, 1, 1);
SELECT * FROM idgen_sync();

-- what is not made is told of once, however many columns draw from it, and
-- keeps nothing else from being made: not even code of the owner of a table
DROP TABLE left_alone;
CREATE TABLE full_up (id smallint DEFAULT idgen_next('full'), again smallint DEFAULT idgen_next('full')) PARTITION BY RANGE (id);
CREATE TABLE full_up_1 PARTITION OF full_up DEFAULT;
INSERT INTO full_up VALUES (32767, 1);
CREATE VIEW broken AS SELECT 1 / 0 AS id;
ALTER VIEW broken ALTER id SET DEFAULT idgen_next('broken');
CREATE TABLE whole (id bigint DEFAULT idgen_next('whole'));
SELECT * FROM idgen_sync();
DROP TABLE full_up;
DROP VIEW broken;

-- an undone subtransaction, and a rollback, leave nothing
CREATE TABLE more (id bigint DEFAULT idgen_next('more'));
BEGIN;
SELECT * FROM idgen_sync();
INSERT INTO more DEFAULT VALUES RETURNING id;
ROLLBACK;
INSERT INTO more DEFAULT VALUES;

-- dropping the column drops the row
SELECT * FROM idgen_sync();
DROP TABLE more, parts;
SELECT name FROM id_sequences WHERE name IN ('more', 'public.parts.id');

-- arguments
SELECT * FROM idgen_sync(refill => 'now');
SELECT * FROM idgen_sync(refill => NULL);
SELECT * FROM idgen_sync(0);
SELECT * FROM idgen_sync('no_table');
BEGIN READ ONLY;
SELECT * FROM idgen_sync();
ROLLBACK;

DROP EXTENSION idgen CASCADE;
DROP TABLE copies, originals, there, children, parent, numbers;
\set SHOW_CONTEXT errors

\c -
--
-- idgen_sync() moves native sequences, too, and refuses other sources
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE up INCREMENT BY 10;
CREATE SEQUENCE down INCREMENT BY -10;
CREATE SEQUENCE bare_seq;
CREATE SEQUENCE ring MAXVALUE 30 CYCLE;
SELECT idgen_create('up', source => 'sequence', source_name => 'up');
SELECT idgen_create('down', source => 'sequence', source_name => 'down');
SELECT idgen_create('ring', source => 'sequence', source_name => 'ring', block_size => 5);
CREATE TABLE t (
	up int UNIQUE DEFAULT idgen_next('up'),
	down int UNIQUE DEFAULT idgen_next('down'),
	bare int UNIQUE DEFAULT idgen_next('bare', 'sequence'),
	ring int DEFAULT idgen_next('ring')
);
SELECT idgen_sync('t');
INSERT INTO t DEFAULT VALUES RETURNING *;
SELECT idgen_sync('t');
INSERT INTO t VALUES (100, -100, 100, 20), (3, -3, 50, 10);
SELECT idgen_sync('t');
SELECT idgen_sync('t');
INSERT INTO t DEFAULT VALUES RETURNING *;
SELECT last_value, is_called FROM up;

-- cached ids that do not lie behind
INSERT INTO t VALUES (105, -105, NULL, NULL);
SELECT idgen_sync('t', 'up');
SELECT idgen_sync('t', 'down');
INSERT INTO t DEFAULT VALUES RETURNING up, down;

-- at commit, or not at all
INSERT INTO t VALUES (1000, -1000, 1000, 21);
BEGIN;
SELECT idgen_sync('t', 'up');
SELECT idgen_next('up');
SELECT idgen_sync('t', 'down');
ROLLBACK;
SELECT idgen_peek('up'), idgen_peek('down');

-- the end
UPDATE t SET ring = 30, up = 2147483647 WHERE up = 1000;
SELECT idgen_sync('t', 'ring');
ALTER SEQUENCE up MAXVALUE 2147483647;
SELECT idgen_sync('t', 'up');
INSERT INTO t (up) VALUES (NULL);

-- at the end already
INSERT INTO t (bare) VALUES (NULL), (2147483647);
ALTER SEQUENCE bare_seq MAXVALUE 2147483647;
SELECT idgen_sync('t', 'bare');
\echo :SQLSTATE
DELETE FROM t WHERE bare = 2147483647;

-- values that stand for other ids
CREATE SEQUENCE pooled INCREMENT BY 10;
CREATE SEQUENCE hilo;
SELECT idgen_create('pooled', source => 'sequence', source_name => 'pooled', pooling => 'pooled');
SELECT idgen_create('hilo', source => 'sequence', source_name => 'hilo', pooling => 'hilo', block_size => 10);
CREATE TABLE pools (pooled int UNIQUE DEFAULT idgen_next('pooled'), hilo int UNIQUE DEFAULT idgen_next('hilo'));
INSERT INTO pools DEFAULT VALUES RETURNING *;
INSERT INTO pools VALUES (105, 105);
SELECT idgen_sync('pools');
INSERT INTO pools DEFAULT VALUES RETURNING *;
SELECT nextval('pooled'), nextval('hilo');
SELECT idgen_sync('pools');
INSERT INTO pools SELECT FROM generate_series(1, 12);
SELECT max(pooled) AS pooled, max(hilo) AS hilo FROM pools;
INSERT INTO pools VALUES (131, 137);
SELECT idgen_sync('pools');
INSERT INTO pools DEFAULT VALUES RETURNING *;
UPDATE id_sequences SET max_value = 150 WHERE name = 'hilo';
INSERT INTO pools VALUES (150, 150);
SELECT idgen_sync('pools');
INSERT INTO pools VALUES (9999, 145);

-- CACHE
CREATE SEQUENCE cached INCREMENT BY 20 CACHE 20;
SELECT idgen_create('cached', source => 'sequence', source_name => 'cached');
CREATE TABLE c (id bigint PRIMARY KEY DEFAULT idgen_next('cached'));
INSERT INTO c DEFAULT VALUES RETURNING id;
INSERT INTO c VALUES (5000);
SELECT idgen_sync('c', 'id');
INSERT INTO c DEFAULT VALUES RETURNING id;

-- others are refused
CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1::bigint, 20::bigint';
SELECT idgen_create('function', source => 'function', source_name => 'allocate');
CREATE SERVER regress_idgen_sync FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/nowhere');
CREATE USER MAPPING FOR CURRENT_USER SERVER regress_idgen_sync;
SELECT idgen_create('server', source => 'server', source_name => 'regress_idgen_sync');
CREATE TABLE refused (
	function bigint DEFAULT idgen_next('function'),
	server bigint DEFAULT idgen_next('server'),
	wrong bigint DEFAULT idgen_next('up', 'table')
);
SELECT idgen_sync('refused', 'function');
SELECT idgen_sync('refused', 'server');
SELECT idgen_sync('refused', 'wrong');

-- a sequence that is gone
DROP SEQUENCE ring;
SELECT idgen_sync('t', 'ring');
SELECT idgen_sync('t', NULL);

DROP TABLE t, c, pools, refused;
DROP FUNCTION allocate;
DROP USER MAPPING FOR CURRENT_USER SERVER regress_idgen_sync;
DROP SERVER regress_idgen_sync;
DROP SEQUENCE up, down, bare_seq, cached, pooled, hilo;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- What idgen_sync() takes, and whose code it runs
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_owner;
GRANT USAGE ON SCHEMA regress_idgen_schema TO PUBLIC;
SELECT idgen_create('gen'), idgen_create('shared');
CREATE SEQUENCE regress_idgen_schema.no_seq;
GRANT USAGE ON SEQUENCE regress_idgen_schema.no_seq TO PUBLIC;
SET ROLE regress_idgen_owner;
CREATE TABLE regress_idgen_schema.t (
	id bigint DEFAULT idgen_next('gen'),
	no bigint DEFAULT idgen_next('regress_idgen_schema.no', 'sequence'),
	shared bigint DEFAULT idgen_next('shared'),
	secret text
);
INSERT INTO regress_idgen_schema.t VALUES (100, 100, 100);

-- UPDATE on id_sequences, or on the native sequence
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
SELECT idgen_sync('regress_idgen_schema.t', 'no');
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_owner, regress_idgen_other;
GRANT UPDATE ON SEQUENCE regress_idgen_schema.no_seq TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync('regress_idgen_schema.t', 'no');

-- SELECT on the column
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT (id) ON regress_idgen_schema.t TO regress_idgen_other;
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync('regress_idgen_schema.t', 'shared');
\echo :SQLSTATE
SELECT idgen_sync('regress_idgen_schema.t');

-- and on those of all columns that draw from the id sequence
RESET ROLE;
GRANT DELETE ON id_sequences TO regress_idgen_owner;
SET ROLE regress_idgen_other;
CREATE TEMP TABLE mine (id bigint DEFAULT idgen_next('shared'));
SELECT idgen_sync('mine', 'id');
\echo :SQLSTATE
DROP TABLE mine;

-- row security that hides rows
RESET ROLE;
ALTER TABLE regress_idgen_schema.t ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_other;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
ALTER TABLE regress_idgen_schema.t FORCE ROW LEVEL SECURITY;
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE regress_idgen_schema.t DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;

-- row security of id_sequences
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_may_draw ON id_sequences FOR SELECT USING (true);
SET ROLE regress_idgen_owner;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- code of the owner, in a view that draws or in the predicate of an index, does
-- not get the rights of whoever calls
SET ROLE regress_idgen_owner;
CREATE FUNCTION regress_idgen_schema.who(bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_idgen_owner' THEN
		RAISE 'runs as %', current_user;
	END IF;
	RETURN true;
END $$;
CREATE VIEW regress_idgen_schema.v AS
	SELECT id FROM regress_idgen_schema.t WHERE regress_idgen_schema.who(id);
ALTER VIEW regress_idgen_schema.v ALTER id SET DEFAULT idgen_next('gen');
CREATE INDEX ON regress_idgen_schema.t (id) WHERE regress_idgen_schema.who(1);
RESET ROLE;
SELECT idgen_sync('regress_idgen_schema.t', 'id');
SELECT idgen_sync();

DROP SCHEMA regress_idgen_schema CASCADE;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_owner, regress_idgen_other;
