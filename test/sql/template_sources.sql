--
-- Templates: children take source, layout and all else that says how to draw
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- one native sequence for all children, or one for each
CREATE SEQUENCE shared_seq INCREMENT BY 10;
CREATE SEQUENCE "own/x_seq" INCREMENT BY 5 START 100;
SELECT idgen_create('shared/*', source => 'sequence', source_name => 'shared_seq'), idgen_create('own/*', source => 'sequence');
SELECT idgen_next('shared/x'), idgen_next('shared/x'), idgen_next('shared/y'), idgen_next('shared/x', 'sequence');
SELECT idgen_next('own/x'), idgen_next('own/x');
SELECT idgen_next('own/y');
\echo :SQLSTATE
SELECT idgen_create('none/*', source => 'sequence', source_name => 'nowhere');
\echo :SQLSTATE
SELECT idgen_create('none/*', source => 'function');
\echo :SQLSTATE

-- a name that was drawn from without a row gets one when there is a template
CREATE SEQUENCE "late/x_seq" INCREMENT BY 10;
PREPARE draw AS SELECT idgen_next('late/x', 'sequence');
EXECUTE draw;
SELECT name FROM id_sequences WHERE name LIKE 'late/%';
INSERT INTO id_sequences (name, next_block_start, source, max_value) VALUES ('late/*', 1, 'sequence', 10000);
EXECUTE draw;
SELECT name FROM id_sequences WHERE name LIKE 'late/%' ORDER BY name;
CREATE SEQUENCE "later/x_seq" INCREMENT BY 10;
PREPARE draw_later AS SELECT idgen_next('later/x', 'sequence');
EXECUTE draw_later;
UPDATE id_sequences SET name = 'later/*', source = 'table' WHERE name = 'late/*';
EXECUTE draw_later;
\echo :SQLSTATE

-- a function gets the name of the child
CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) RETURNS record LANGUAGE sql AS
	$$ SELECT length(name) * 100, length(name) * 100 + 1 $$;
SELECT idgen_create('function/*', source => 'function', source_name => 'allocate');
SELECT idgen_next('function/a'), idgen_next('function/abc'), idgen_next('function/a');
SELECT idgen_peek('function/b');
\echo :SQLSTATE

-- layouts and bases
SELECT idgen_create('composed/*', next_block_start => 7, layout => 'prefixed'), idgen_create('based/*', big_base => 1000000000000000000000);
SELECT idgen_next('composed/x');
\echo :SQLSTATE
SELECT idgen_next_big('based/x');

-- gapless
SELECT idgen_create('gapless/*', block_size => 1);
BEGIN;
SELECT idgen_next('gapless/x'), idgen_next('gapless/x'), idgen_next('gapless/x');
SAVEPOINT s;
SELECT idgen_next('gapless/x');
ROLLBACK TO s;
COMMIT;
SELECT idgen_next('gapless/x');
SELECT next_block_start FROM id_sequences WHERE name = 'gapless/x';

DROP EXTENSION idgen;
DROP SEQUENCE shared_seq, "own/x_seq", "late/x_seq", "later/x_seq";
DROP FUNCTION allocate(text, integer);
