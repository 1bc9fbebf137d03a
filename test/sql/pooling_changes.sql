--
-- A change of pooling makes cached ids of a native sequence void: its values
-- stand for others then. So does with hilo what says how many they are.
--
-- A cache per session is looked at later, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT BY 10;
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- a row that says another pooling than there was without one
SELECT idgen_next('gen', 'sequence');
TABLE blocks;
SELECT idgen_create('gen', source => 'sequence', pooling => 'pooled');
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;

-- an UPDATE, in its own transaction and behind it
BEGIN;
UPDATE id_sequences SET pooling = 'pooled_lo';
SELECT idgen_next('gen'), idgen_peek('gen');
TABLE blocks;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');

-- undone
BEGIN;
SAVEPOINT a;
UPDATE id_sequences SET pooling = 'hilo';
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
BEGIN;
UPDATE id_sequences SET pooling = 'hilo';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- with hilo, block_size and max_value
ALTER SEQUENCE gen_seq INCREMENT BY 1 RESTART WITH 1;
UPDATE id_sequences SET pooling = 'hilo', block_size = 5;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET block_size = 8;
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET max_value = 12;
TABLE blocks;
UPDATE id_sequences SET max_value = 1000;
SELECT idgen_next('gen');

-- with others, and with any other column, too
UPDATE id_sequences SET next_block_start = -1, big_base = 1;
TABLE blocks;
UPDATE id_sequences SET pooling = 'pooled';
SELECT idgen_next('gen');
UPDATE id_sequences SET block_size = 3;
SELECT idgen_next('gen');
TABLE blocks;
UPDATE id_sequences SET max_value = 12, next_block_start = -2, block_size = 7;
TABLE blocks;

-- the row goes, or gets another name
UPDATE id_sequences SET name = 'other', source_name = 'gen_seq';
TABLE blocks;
SELECT idgen_next('other');
TABLE blocks;
DELETE FROM id_sequences;
TABLE blocks;

-- lost ids are counted
SELECT name, ids_lost_changed > 0 AS lost FROM idgen_stats ORDER BY name;

-- a transaction that makes the row draws for itself first, then for all
BEGIN;
SELECT idgen_create('gen', source => 'sequence', pooling => 'hilo', block_size => 4);
SELECT idgen_next('gen') - idgen_next('gen');
SELECT count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FROM blocks;
COMMIT;
SELECT count(*) FILTER (WHERE state = 'published') AS published, count(*) FROM blocks;

DROP VIEW blocks;
DROP EXTENSION idgen;
DROP SEQUENCE gen_seq;
