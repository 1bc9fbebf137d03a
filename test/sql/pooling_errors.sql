--
-- Values of column "pooling" that are refused
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT BY 5;

-- unknown
INSERT INTO id_sequences (name, next_block_start, source, pooling) VALUES ('gen', 1, 'sequence', 'pooled-lo');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', pooling => 'POOLED');
SELECT idgen_create('gen', source => 'sequence', pooling => '');
SELECT idgen_create('gen', source => 'sequence', pooling => NULL);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, pooling) VALUES ('gen', 1, 'sequence', NULL);
\echo :SQLSTATE

-- with a source that has none
SELECT idgen_create('gen', pooling => 'pooled');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, pooling) VALUES ('gen', 1, 'hilo');
\echo :SQLSTATE
SELECT idgen_create('gen', pooling => 'pooled_lo');

-- when the source is changed
UPDATE id_sequences SET pooling = 'pooled';
UPDATE id_sequences SET source = 'sequence', pooling = 'pooled';
SELECT idgen_next('gen'), idgen_next('gen');
UPDATE id_sequences SET source = 'table';
UPDATE id_sequences SET source = 'table', pooling = 'pooled_lo';
SELECT idgen_next('gen');

-- with a sequence that descends: no other program draws so
CREATE SEQUENCE down_seq INCREMENT BY -5;
SELECT idgen_create('down', source => 'sequence', pooling => 'pooled');
SELECT idgen_next('down');
\echo :SQLSTATE
UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'down';
SELECT idgen_next('down');
DELETE FROM id_sequences WHERE name = 'down';

-- a row that the checks have not seen
UPDATE id_sequences SET source = 'sequence';
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET pooling = 'lopooled';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET source = 'table', pooling = 'hilo';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('gen');
\echo :SQLSTATE

DROP EXTENSION idgen;
DROP SEQUENCE gen_seq, down_seq;
