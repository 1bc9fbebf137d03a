--
-- idgen_sync() counts the ids of partitions and inheritance children, each once
--
-- needs test/idgen.conf
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
