--
-- id_sequences in a hierarchy of tables: what is drawn from are the rows of the
-- table itself; and it is no partition, whose rows could move away
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 1);
SELECT idgen_next('gen');

-- as a parent
CREATE TABLE child () INHERITS (id_sequences);
INSERT INTO child (name, next_block_start) VALUES ('child', 1), ('gen', 1001);
SELECT idgen_next('gen');
SELECT idgen_next('child');
\echo :SQLSTATE
SELECT idgen_restart('child', 1);
\echo :SQLSTATE
SELECT idgen_restart('gen', 11);
SELECT name, next_block_start FROM child ORDER BY name;
SELECT idgen_next('gen');
SELECT name, ids_issued FROM idgen_stats;
CREATE TABLE t (id bigint DEFAULT idgen_next('child') NOT NULL, more bigint DEFAULT idgen_next('more') NOT NULL);
SELECT idgen_release('t', 'id');
\echo :SQLSTATE
SELECT idgen_create('more');
INSERT INTO child (name, next_block_start) VALUES ('more', 1);
SELECT idgen_release('t', 'more');
SELECT name FROM child ORDER BY name;
DROP TABLE t;

-- with row security that takes a query
CREATE TABLE hidden (layout text);
INSERT INTO hidden VALUES ('plain');
UPDATE child SET layout = 'session';
CREATE ROLE regress_idgen_user;
GRANT SELECT ON hidden TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON id_sequences USING (layout NOT IN (SELECT h.layout FROM hidden AS h));
SET ROLE regress_idgen_user;
SELECT name, layout FROM id_sequences ORDER BY name;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;
DROP POLICY shown ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DROP TABLE child, hidden;

-- as a child
CREATE TABLE parent (LIKE id_sequences INCLUDING CONSTRAINTS);
ALTER TABLE id_sequences INHERIT parent;
SELECT idgen_next('gen');
UPDATE parent SET next_block_start = 21 WHERE name = 'gen';
SELECT idgen_next('gen');
ALTER TABLE id_sequences NO INHERIT parent;
DROP TABLE parent;

-- as a partition
CREATE TABLE parent (LIKE id_sequences) PARTITION BY LIST (name);
ALTER TABLE parent ATTACH PARTITION id_sequences FOR VALUES IN ('gen');
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
ALTER TABLE parent DETACH PARTITION id_sequences;
SELECT idgen_next('gen');

DROP TABLE parent;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
