--
-- Id sequences that are made by their first draw, with idgen.auto_create
--

--
-- idgen.auto_create: an unknown name makes its own row
--
CREATE EXTENSION idgen;

-- off by default
SHOW idgen.auto_create;
SELECT idgen_next('new');
\echo :SQLSTATE

SET idgen.auto_create = on;
SELECT idgen_next('new'), idgen_next('new');
SELECT idgen_next_big('big');
SET idgen.default_block_size = 3;
SELECT idgen_next('three');
SET idgen.default_block_size = 1;
SELECT idgen_next('gapless');
RESET idgen.default_block_size;
\x on
SELECT * FROM id_sequences WHERE name = 'new';
\x off
SELECT name, next_block_start, block_size FROM id_sequences ORDER BY name;

-- many at once, in any isolation level
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT i, idgen_next('many ' || i % 3) FROM generate_series(1, 6) AS i;
COMMIT;

-- only drawing creates
SELECT idgen_peek('unknown');
\echo :SQLSTATE
SELECT idgen_last('unknown');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('unknown', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE

-- names that no row can have: nothing is tried
\set VERBOSITY sqlstate
SELECT idgen_next('');
SELECT idgen_next(repeat('x', 256));
SELECT idgen_next(repeat('x', 1024));
\set VERBOSITY default
SELECT idgen_next(NULL);

-- the row is part of the transaction and of the savepoint
BEGIN;
SELECT idgen_next('undone');
SAVEPOINT a;
SELECT idgen_next('undone too');
ROLLBACK TO a;
SELECT idgen_next('undone too');
ROLLBACK;
SELECT name FROM id_sequences WHERE name LIKE 'undone%';
SELECT idgen_next('undone'), idgen_next('undone too');

-- a deleted row comes back
DELETE FROM id_sequences WHERE name = 'new';
SELECT idgen_next('new');

-- nothing is written in a read-only transaction
BEGIN READ ONLY;
SELECT idgen_next('read only');
\echo :SQLSTATE
ROLLBACK;

-- an ordinary user may draw, so the row is made for it
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('of a user');
INSERT INTO id_sequences (name, next_block_start) VALUES ('by hand', 1);
\echo :SQLSTATE

-- but it cannot decide that it is made
SET idgen.auto_create = off;
\echo :SQLSTATE
SET idgen.default_block_size = 7;
SELECT idgen_next('of a user too');
RESET ROLE;
SELECT name, block_size FROM id_sequences WHERE name LIKE 'of a user%' ORDER BY name;
RESET idgen.default_block_size;

-- without SELECT there is nothing to draw and nothing to make
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
SELECT idgen_next('not for you');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- nor behind row security, not even a row that could not be seen
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON id_sequences FOR SELECT USING (name LIKE 'my %');
SET ROLE regress_idgen_user;
SELECT idgen_next('my own');
SELECT idgen_next('not mine');
\echo :SQLSTATE
SELECT idgen_next('new');
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM id_sequences WHERE name IN ('not for you', 'not mine', 'read only', 'unknown', '');

-- a column default needs no row beforehand
CREATE TABLE orders (id bigint DEFAULT idgen_next('orders'));
INSERT INTO orders SELECT FROM generate_series(1, 2) RETURNING id;

-- a trigger runs with the rights of the table's owner
CREATE TABLE created (who name, path text);
GRANT INSERT ON created TO regress_idgen_user;
CREATE FUNCTION note_created() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO public.created VALUES (current_user, current_setting('search_path'));
	RETURN NULL;
END $$;
CREATE TRIGGER note_created AFTER INSERT ON id_sequences
	FOR EACH ROW EXECUTE FUNCTION note_created();
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
GRANT SELECT ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('noted');
SHOW search_path;
RESET ROLE;
TABLE created;
DROP TRIGGER note_created ON id_sequences;

-- a trigger may swallow the row, and something else than the name may be taken
CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$BEGIN RETURN NULL; END$$;
CREATE TRIGGER swallow BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION swallow();
SELECT idgen_next('swallowed');
\echo :SQLSTATE
DROP TRIGGER swallow ON id_sequences;
CREATE UNIQUE INDEX one_each ON id_sequences (block_size) WHERE name LIKE 'one%';
SELECT idgen_next('one');
SELECT idgen_next('one more');
\echo :SQLSTATE
DROP INDEX one_each;

RESET idgen.auto_create;
SELECT idgen_next('newer');
\echo :SQLSTATE

DROP TABLE orders, created;
DROP FUNCTION note_created(), swallow();
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;

\c -
--
-- idgen.auto_create makes no row that would begin below the ids of a table
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SET idgen.auto_create = on;

-- a table that begins, also by a column that is added, and by COPY
CREATE TABLE t (id bigint DEFAULT idgen_next('t'), what text);
INSERT INTO t (what) VALUES ('a'), ('b') RETURNING id;
ALTER TABLE t ADD number bigint DEFAULT idgen_next('number');
SELECT * FROM t ORDER BY id;
CREATE TABLE copied (id bigint DEFAULT idgen_next('copied'), what text);
COPY copied (what) FROM stdin;
a
b
\.
SELECT * FROM copied ORDER BY id;

-- one that has rows, but whose id sequence is gone, as after a restore of the
-- table alone: ids of a number, a text and a large number
CREATE TABLE restored (id bigint DEFAULT idgen_next('restored'), what text DEFAULT idgen_next_text('text'), big numeric DEFAULT idgen_next_big('big'));
INSERT INTO restored VALUES (33, '34', 35);
INSERT INTO restored DEFAULT VALUES;
\echo :SQLSTATE
SELECT idgen_next('restored');
\echo :SQLSTATE
INSERT INTO restored (id) VALUES (36);
\echo :SQLSTATE
SELECT idgen_sync('restored', 'id');
-- nothing tells which number a text was written from
SELECT idgen_sync('restored', 'what');
SELECT idgen_create('text', 35), idgen_create('big', 36);
INSERT INTO restored DEFAULT VALUES RETURNING *;
-- partitions have rows for their parent
CREATE TABLE parted (id bigint DEFAULT idgen_next('parted')) PARTITION BY RANGE (id);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
INSERT INTO parted VALUES (7);
SELECT idgen_next('parted');
\echo :SQLSTATE
-- one that was emptied
TRUNCATE parted;
INSERT INTO parted DEFAULT VALUES RETURNING id;

-- in the name of a role that owns nothing, which inserts
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_app;
CREATE ROLE regress_idgen_stranger;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner, regress_idgen_stranger;
SET ROLE regress_idgen_owner;
CREATE TABLE owned (id bigint DEFAULT idgen_next('owned'));
INSERT INTO owned VALUES (44);
GRANT INSERT ON owned TO regress_idgen_app;
SET ROLE regress_idgen_app;
INSERT INTO owned DEFAULT VALUES;
\echo :SQLSTATE
-- a table of somebody else keeps nobody from making the row
SET ROLE regress_idgen_stranger;
CREATE TABLE strange (id bigint DEFAULT idgen_next('orders'));
INSERT INTO strange VALUES (9223372036854775800);
SET ROLE regress_idgen_app;
SELECT idgen_next('orders');
RESET ROLE;

DROP TABLE t, copied, restored, parted, owned, strange;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner, regress_idgen_stranger;
DROP ROLE regress_idgen_owner, regress_idgen_app, regress_idgen_stranger;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- A role that may set idgen.auto_create by a GRANT, as tests of an application
-- do it
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_tester;
SET ROLE regress_idgen_tester;
SET idgen.auto_create = on;
RESET ROLE;
GRANT SET ON PARAMETER idgen.auto_create TO regress_idgen_tester;
SET ROLE regress_idgen_tester;
SET idgen.auto_create = on;
SELECT idgen_next('made'), idgen_next('made');
RESET idgen.auto_create;
SELECT idgen_next('unknown');
RESET ROLE;
SELECT name, next_block_start FROM id_sequences;

REVOKE SET ON PARAMETER idgen.auto_create FROM regress_idgen_tester;
DROP ROLE regress_idgen_tester;
DROP EXTENSION idgen;
