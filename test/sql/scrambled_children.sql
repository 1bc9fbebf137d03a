--
-- Each child of a template that scrambles has a salt of its own, whoever makes
-- the child
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_drawer;
INSERT INTO id_sequences (name, next_block_start, max_value, refill, layout) VALUES
	('key/*', 1, 1000, 'transaction', 'scrambled'), ('worker/*', 1, 1000, 'worker', 'scrambled'), ('auto/*', 1, 1000, 'auto', 'scrambled');
SELECT count(salt) FROM id_sequences;
SET ROLE regress_idgen_drawer;
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('key/a') FROM generate_series(1, 300)) ids(id);
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('worker/a') FROM generate_series(1, 300)) ids(id);
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('auto/a') FROM generate_series(1, 300)) ids(id);
SELECT idgen_next(parent || '/b') > 0 AS id FROM unnest('{key,worker,auto}'::text[]) parent;
-- nobody knows the id of a child that is not there
SELECT idgen_peek('key/c');
\echo :SQLSTATE
SELECT idgen_peek('worker/c');
\echo :SQLSTATE
BEGIN;
SELECT idgen_next('key/rolled_back') > 0 AS id;
ROLLBACK;
RESET ROLE;
SELECT name FROM id_sequences WHERE salt IS NOT NULL ORDER BY name;
SELECT count(DISTINCT salt) FROM id_sequences;
SELECT count(*) FROM idgen_secrets;

-- a change of the template does not get to children that are in use
UPDATE id_sequences SET max_value = 2000 WHERE name = 'key/*';
\set VERBOSITY sqlstate
SELECT idgen_apply_template('key/*');
\set VERBOSITY default
SELECT idgen_next('key/d') BETWEEN 1 AND 2000 AS id;
SELECT name, max_value FROM id_sequences WHERE name LIKE 'key/%' ORDER BY name;
DELETE FROM id_sequences WHERE template = 'key/*';

-- numbers by year: the same numbers each year, in another order
SELECT idgen_create('yearly', max_value => 50, layout => 'scrambled', period => 'year', format => '{YYYY}-{id:2}');
SELECT count(DISTINCT t), min(t) LIKE '2025-%' AS of_year FROM (SELECT idgen_next_text('yearly', at => '2025-05-05') FROM generate_series(1, 50)) texts(t);
SELECT count(DISTINCT t), min(t) LIKE '2024-%' AS of_year FROM (SELECT idgen_next_text('yearly', at => '2024-05-05') FROM generate_series(1, 50)) texts(t);
SELECT count(DISTINCT salt) FROM id_sequences WHERE name LIKE 'yearly%';
SELECT count(DISTINCT id), max(id) <= 50 AS in_range FROM (SELECT idgen_next('yearly') FROM generate_series(1, 50)) ids(id);
SELECT idgen_last('yearly') <= 50 AS in_range;
\set VERBOSITY sqlstate
SELECT idgen_unscramble('yearly', 1);
\set VERBOSITY default
SELECT idgen_unscramble('yearly/2025', idgen_text_value('yearly/2025', '2025-07')) BETWEEN 1 AND 50 AS value;

-- a template of nodes: a child would need the salt that it has on the others
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
INSERT INTO id_sequences (name, next_block_start, source, layout) VALUES ('central/*', 1, 'server', 'scrambled');
SELECT idgen_next('central/a');
\echo :SQLSTATE

DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_drawer;
