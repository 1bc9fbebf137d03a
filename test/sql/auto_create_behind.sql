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
