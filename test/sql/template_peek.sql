--
-- Templates: idgen_peek makes no row, and tells what the first draw would bring
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', next_block_start => 41, block_size => 3, big_base => 1000);
SELECT idgen_peek('t/x');
SELECT name FROM id_sequences;
SELECT idgen_next('t/x'), idgen_peek('t/x');
SELECT idgen_peek('t/y'), idgen_next('t/y'), idgen_peek('t/y'), idgen_next_big('t/y');
SELECT idgen_last('t/z');
\echo :SQLSTATE

-- it follows the template, and the row as soon as there is one
PREPARE look AS SELECT idgen_peek('t/z');
EXECUTE look;
UPDATE id_sequences SET next_block_start = 50 WHERE name = 't/*';
EXECUTE look;
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/z', 7);
EXECUTE look;
BEGIN;
DELETE FROM id_sequences WHERE name = 't/z';
EXECUTE look;
SELECT idgen_next('t/z');
EXECUTE look;
ROLLBACK;
EXECUTE look;
DELETE FROM id_sequences WHERE name = 't/z';
EXECUTE look;
DELETE FROM id_sequences WHERE name = 't/*';
EXECUTE look;
\echo :SQLSTATE

-- in a read-only transaction, too
SELECT idgen_create('r/*', max_value => 5);
BEGIN READ ONLY;
SELECT idgen_peek('r/x');
COMMIT;

-- errors are those of the draw
UPDATE id_sequences SET next_block_start = 6 WHERE name = 'r/*';
SELECT idgen_peek('r/x');
\echo :SQLSTATE
CREATE SEQUENCE shared_seq INCREMENT 10 START 5;
SELECT idgen_create('s/*', source => 'sequence', source_name => 'shared_seq'), idgen_create('o/*', source => 'sequence');
SELECT idgen_peek('s/x'), idgen_next('s/x'), idgen_peek('s/y'), idgen_peek('s/x');
SELECT idgen_peek('o/x');
\echo :SQLSTATE
SELECT name FROM id_sequences ORDER BY name;

-- nothing of it is cached
SELECT name FROM idgen_cache WHERE name IN ('r/x', 's/y', 'o/x');

DROP EXTENSION idgen;
DROP SEQUENCE shared_seq;
