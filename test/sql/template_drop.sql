--
-- Children that no block was allocated from since a time: refilled_at tells
-- which, and a DELETE drops them
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', block_size => 1), idgen_create('u/*', block_size => 1);
SELECT idgen_next('t/' || i) FROM generate_series(1, 6) AS i;
SELECT idgen_next('u/1');
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < now() - interval '1 hour' RETURNING name;

-- whatever allocates says that the child is in use: a refill, another program,
-- a restart
UPDATE id_sequences SET refilled_at = '2019-06-01' WHERE template IS NOT NULL;
SELECT idgen_next('t/1');
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 't/2';
SELECT idgen_restart('t/3', 10);
UPDATE id_sequences SET block_size = 5 WHERE name = 't/4';
SELECT name FROM id_sequences WHERE refilled_at < '2020-01-01' ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < '2020-01-01' RETURNING name;
SELECT name FROM id_sequences ORDER BY name;

-- rows that have no template are nobody's children; rows made by hand can be
INSERT INTO id_sequences (name, next_block_start, template, refilled_at) VALUES ('t/a', 1, NULL, NULL), ('t/b', 1, 't/*', NULL), ('t/c', 1, 't/*', '2018-01-01');
UPDATE id_sequences SET next_block_start = 2 WHERE name = 't/a';
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences WHERE name IN ('t/a', 't/b', 't/c') ORDER BY name;
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < '2020-01-01' RETURNING name;

-- what is dropped begins anew
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');

-- cached ids go with them when the transaction commits
UPDATE id_sequences SET block_size = 10 WHERE name = 'u/1';
SELECT idgen_next('u/1');
BEGIN;
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');
ROLLBACK;
SELECT idgen_next('u/1') > 2 AS goes_on;
DELETE FROM id_sequences WHERE template = 'u/*';
SELECT idgen_next('u/1');

-- a child that has a period has children in turn, and only they are refilled
SELECT idgen_create('v/*', block_size => 1, period => 'year');
SELECT idgen_next_text('v/p', at => '2018-06-01'), idgen_next_text('v/p', at => '2019-06-01');
UPDATE id_sequences SET refilled_at = '2018-06-01' WHERE name LIKE 'v/p%';
SELECT idgen_next_text('v/p', at => '2019-06-02');
SELECT name, refilled_at > '2020-01-01' AS now FROM id_sequences WHERE name LIKE 'v/p%' ORDER BY name;
DELETE FROM id_sequences WHERE template IN (SELECT name FROM id_sequences WHERE template = 'v/*')
	AND refilled_at < '2020-01-01' RETURNING name;
SELECT idgen_next_text('v/p', at => '2018-06-01'), idgen_next_text('v/p', at => '2019-06-02');

DROP EXTENSION idgen;
