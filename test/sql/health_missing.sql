--
-- idgen_health names id sequences that column defaults draw from, and that are
-- not there; triggers that are off; partitions that draw from something else
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE VIEW missing AS SELECT name, columns, problem FROM idgen_health WHERE problem_kind = 'missing';
CREATE TABLE t (id bigint DEFAULT idgen_next('t'), number text DEFAULT idgen_next_text('It''s'), big numeric DEFAULT idgen_next_big('big'));
CREATE TABLE "T" (id bigint DEFAULT idgen_next('t'));
CREATE TABLE parted (id bigint DEFAULT idgen_next('parted')) PARTITION BY RANGE (id);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
TABLE missing;
INSERT INTO t (number, big) VALUES ('x', 1);
SELECT idgen_sync('"T"', 'id');
SELECT idgen_create('It''s'), idgen_create('parted'), idgen_create('big');
TABLE missing;
DELETE FROM id_sequences WHERE name = 't';
TABLE missing;

-- with idgen.auto_create, only where it would not be made
SET idgen.auto_create = on;
TABLE missing;
INSERT INTO t VALUES (7, 'x', 1);
VACUUM t;
TABLE missing;
RESET idgen.auto_create;
DROP TABLE t, "T", parted;

-- what is made by a draw, or comes from a native sequence, is not missing; what
-- strangers' columns name does not count
CREATE SEQUENCE native_seq;
SELECT idgen_create('bill/*'), idgen_create('yearly', period => 'year');
CREATE TABLE t (a bigint DEFAULT idgen_next('bill/acme'), b bigint DEFAULT idgen_next('yearly/2030'), c bigint DEFAULT idgen_next('yearly'),
	d bigint DEFAULT idgen_next('native', 'sequence'), e bigint DEFAULT idgen_next('yearly/x'));
TABLE missing;
CREATE ROLE regress_idgen_stranger;
ALTER TABLE t OWNER TO regress_idgen_stranger;
TABLE missing;
GRANT DELETE ON id_sequences TO regress_idgen_stranger;
TABLE missing;
-- nobody learns what row security hides
CREATE POLICY few ON id_sequences FOR SELECT USING (name LIKE 'b%');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_stranger;
SELECT name, problem_kind FROM idgen_health WHERE problem_kind = 'missing';
RESET ROLE;

DROP TABLE t;
DROP POLICY few ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- triggers as pg_restore --disable-triggers leaves them, or off
SELECT problem_kind FROM idgen_health WHERE name IS NULL;
ALTER TABLE id_sequences DISABLE TRIGGER ALL;
SELECT problem_kind FROM idgen_health WHERE name IS NULL;
ALTER TABLE id_sequences ENABLE TRIGGER ALL;
SELECT problem AS problem, substring(problem FROM 'ALTER TABLE .*[^.]') AS remedy FROM idgen_health WHERE name IS NULL \gset
\echo :problem
:remedy;
SELECT problem_kind FROM idgen_health WHERE name IS NULL;

-- a partition with a default of its own
CREATE TABLE m (id serial, y int, PRIMARY KEY (id, y)) PARTITION BY LIST (y);
CREATE TABLE m1 PARTITION OF m FOR VALUES IN (1);
SELECT idgen_adopt('m', 'id');
CREATE TABLE m2 (id serial, y int NOT NULL, PRIMARY KEY (id, y));
INSERT INTO m2 (y) SELECT 2 FROM generate_series(1, 500);
SELECT name, problem FROM idgen_health WHERE problem IS NOT NULL;
ALTER TABLE m ATTACH PARTITION m2 FOR VALUES IN (2);
SELECT name, problem_kind, problem FROM idgen_health WHERE problem IS NOT NULL;
ALTER TABLE m2 ALTER id SET DEFAULT idgen_next('public.m.id');
SELECT name, problem_kind, problem FROM idgen_health WHERE problem IS NOT NULL;
SELECT idgen_sync('m', 'id');
SELECT name, problem FROM idgen_health WHERE problem IS NOT NULL;

DROP TABLE m;
DROP EXTENSION idgen CASCADE;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_stranger;
