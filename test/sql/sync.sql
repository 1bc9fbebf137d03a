--
-- idgen_sync(): an id sequence goes behind the ids that its columns have
--
-- needs test/idgen.conf
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
