--
-- Templates: max_children limits how many children there are
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', max_children => 3, block_size => 1);
SELECT idgen_next('t/' || i) FROM generate_series(1, 3) AS i;
SELECT idgen_next('t/4');
\echo :SQLSTATE
SELECT idgen_next('t/1'), idgen_peek('t/4');
SELECT name FROM id_sequences ORDER BY name;

-- children of others do not count, nor what is no child; any row with that
-- template does
SELECT idgen_create('t/other/*'), idgen_create('t/by hand', block_size => 1);
SELECT idgen_next('t/other/x'), idgen_next('t/by hand');
SELECT idgen_next('t/4');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 't/2';
INSERT INTO id_sequences (name, next_block_start, template) VALUES ('elsewhere', 1, 't/*');
SELECT idgen_next('t/4');
\echo :SQLSTATE

-- one that is deleted makes room, as does one that is not made after all
DELETE FROM id_sequences WHERE name = 'elsewhere';
BEGIN;
SELECT idgen_next('t/4');
SAVEPOINT s;
SELECT idgen_next('t/5');
\echo :SQLSTATE
ROLLBACK TO s;
ROLLBACK;
SELECT idgen_next('t/5');
BEGIN;
DELETE FROM id_sequences WHERE name = 't/5';
SELECT idgen_next('t/6');
COMMIT;
SELECT name FROM id_sequences WHERE template = 't/*' ORDER BY name;

-- another limit counts at once
UPDATE id_sequences SET max_children = 5 WHERE name = 't/*';
SELECT idgen_next('t/7'), idgen_next('t/8');
SELECT idgen_next('t/9');
\echo :SQLSTATE
UPDATE id_sequences SET max_children = 2 WHERE name = 't/*';
SELECT idgen_next('t/9');
\echo :SQLSTATE
UPDATE id_sequences SET max_children = NULL WHERE name = 't/*';
SELECT idgen_next('t/9');

-- without the index it takes longer
DROP INDEX id_sequences_template_idx;
UPDATE id_sequences SET max_children = 7 WHERE name = 't/*';
SELECT idgen_next('t/10');
SELECT idgen_next('t/11');
\echo :SQLSTATE

-- an index of some rows does not count for all
CREATE INDEX ON id_sequences (template) WHERE name = 't/1';
SELECT idgen_next('t/11');
\echo :SQLSTATE

-- a template that is deleted and made again begins anew; one that is renamed
-- keeps its children
DELETE FROM id_sequences;
SELECT idgen_create('t/*', max_children => 1), idgen_create('u/*', max_children => 2);
SELECT idgen_next('t/1'), idgen_next('u/1');
UPDATE id_sequences SET name = 'v/*' WHERE name = 'u/*';
SELECT idgen_next('v/1');
SELECT idgen_next('v/2');
\echo :SQLSTATE

DROP EXTENSION idgen;
