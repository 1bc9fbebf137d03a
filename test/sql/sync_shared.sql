-- An id sequence that several columns draw from is moved behind all of them at
-- once, and each of them is read once.
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

SELECT idgen_create('shared');
SELECT idgen_create('other');
CREATE TABLE shared_1 (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE shared_2 (id int DEFAULT idgen_next('shared'), other int DEFAULT idgen_next('other'));
CREATE TABLE shared_3 (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE shared_4 (id bigint DEFAULT 1 + idgen_next('shared'));
INSERT INTO shared_1 VALUES (5);
INSERT INTO shared_2 VALUES (100, 7);
INSERT INTO shared_3 VALUES (50);

BEGIN;
SELECT idgen_sync();
SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname LIKE 'shared\__' ORDER BY relname;
COMMIT;
SELECT idgen_next('shared'), idgen_next('other');

-- a column that is named is read anew
INSERT INTO shared_3 VALUES (500);
SELECT idgen_sync('shared_3', 'id');

DROP TABLE shared_1, shared_2, shared_3, shared_4;
DROP EXTENSION idgen;
