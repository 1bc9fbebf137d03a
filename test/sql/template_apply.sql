--
-- A changed template counts for later children; idgen_apply_template changes
-- those that there are
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', block_size => 1, max_value => 1000);
SELECT idgen_next('t/1'), idgen_next('t/2'), idgen_next('t/2'), idgen_next('t/own');
UPDATE id_sequences SET block_size = 7 WHERE name = 't/own';
UPDATE id_sequences SET next_block_start = 50, block_size = 10, max_value = 2000, source_name = NULL, refill = 'auto', pooling = 'pooled_lo',
	big_base = 9, exhausted = 1, max_children = 100, time_zone = 'UTC' WHERE name = 't/*';
SELECT idgen_next('t/3');
SELECT name, next_block_start, block_size, exhausted, max_value, refill, big_base, start_value, max_children, time_zone
	FROM id_sequences ORDER BY name;
SELECT idgen_apply_template('t/*');
SELECT name, next_block_start, block_size, exhausted, max_value, refill, big_base, start_value, max_children, time_zone
	FROM id_sequences ORDER BY name;
SELECT idgen_apply_template('t/*');

-- a max_value below what has been allocated leaves no id, as if set by hand
UPDATE id_sequences SET max_value = 2 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT idgen_next('t/2');
\echo :SQLSTATE
SELECT idgen_next('t/1');
UPDATE id_sequences SET max_value = 2000 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT idgen_next('t/2');
SELECT idgen_next('t/1');
\echo :SQLSTATE

-- a child that has children takes them along
INSERT INTO id_sequences (name, next_block_start, period, template) VALUES ('t/p', 1, 'year', 't/*');
INSERT INTO id_sequences (name, next_block_start, template) VALUES ('t/p/2018', 1, 't/p');
UPDATE id_sequences SET period = 'year', block_size = 3 WHERE name = 't/*';
SELECT idgen_apply_template('t/*');
SELECT name, block_size, period FROM id_sequences ORDER BY name;
UPDATE id_sequences SET block_size = 4 WHERE name = 't/p';
SELECT idgen_apply_template('t/p');

-- what is no template
SELECT idgen_apply_template('u/*');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('plain', 1), ('none/*', 1);
SELECT idgen_apply_template('plain');
\echo :SQLSTATE
SELECT idgen_apply_template(''), idgen_apply_template('none/*');
\echo :SQLSTATE
SELECT idgen_apply_template('none/*'), idgen_apply_template(NULL);
BEGIN READ ONLY;
SELECT idgen_apply_template('t/*');
\echo :SQLSTATE
ROLLBACK;

-- with the caller's own rights
CREATE ROLE regress_idgen_user;
SELECT idgen_next('none/1'), idgen_next('none/2'), idgen_next('none/3');
UPDATE id_sequences SET block_size = 30 WHERE name = 'none/*';
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
RESET ROLE;
UPDATE id_sequences SET block_size = 40 WHERE name = 'none/*';
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON id_sequences FOR SELECT USING (name <> 'none/1');
CREATE POLICY change ON id_sequences FOR UPDATE USING (name <> 'none/2');
SET ROLE regress_idgen_user;
SELECT idgen_apply_template('none/*');
RESET ROLE;
SELECT name, block_size FROM id_sequences WHERE template = 'none/*' ORDER BY name;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
