--
-- idgen_sync() moves native sequences, too, and refuses other sources
--
-- needs test/idgen.conf
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
