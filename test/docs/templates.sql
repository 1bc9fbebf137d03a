-- docs/numbers.md, "Templates"
CREATE ROLE tr;

-- claim: The first draw of a name that a template matches makes its row.
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('t/*', 5, 1);
SELECT idgen_next('t/a');
-- gives: 5
SELECT template FROM id_sequences WHERE name = 't/a';
-- gives: t/*

-- claim: The longest template counts, and slashes are matched, too.
INSERT INTO id_sequences (name, next_block_start) VALUES ('t/b/*', 70);
SELECT idgen_next('t/b/c'), idgen_next('t/c/d');
-- gives: 70|5

-- claim: Something must be in place of the asterisk.
SELECT idgen_next('t/');
-- gives: ERROR 42704

-- claim: Nobody draws from a template.
SELECT idgen_next('t/*');
-- gives: ERROR 22023

-- claim: SELECT on the table is enough to have a child made.
SET ROLE tr;
SELECT idgen_next('t/role');
-- gives: 5
RESET ROLE;

-- claim: A rollback undoes the child.
BEGIN;
SELECT idgen_next('t/undone');
-- gives: 5
ROLLBACK;
SELECT count(*) FROM id_sequences WHERE name = 't/undone';
-- gives: 0

-- claim: With refill worker, a rollback does not have an id issued again.
INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('w/*', 1, 'worker');
BEGIN;
SELECT idgen_next('w/x');
-- gives: 1
ROLLBACK;
SELECT idgen_next('w/x');
-- gives: 2

-- claim: In a read-only transaction no child is made.
BEGIN READ ONLY;
SELECT idgen_next('t/new');
-- gives: ERROR 25006
ROLLBACK;

-- claim: idgen_peek makes no row, and says what the first draw would bring.
SELECT idgen_peek('t/new');
-- gives: 5
SELECT count(*) FROM id_sequences WHERE name = 't/new';
-- gives: 0

-- claim: idgen_last knows only what the session has drawn; idgen_restart makes the child.
SELECT idgen_last('t/new');
-- gives: ERROR 42704
BEGIN;
SELECT idgen_restart('t/new', 34);
-- gives:
SELECT idgen_next('t/new'), template FROM id_sequences WHERE name = 't/new';
-- gives: 34|t/*
ROLLBACK;

-- claim: max_children limits how many children there are.
SELECT idgen_create('m/*', max_children => 1);
-- gives:
SELECT idgen_next('m/1');
-- gives: 1
SELECT idgen_next('m/2');
-- gives: ERROR 2200H

-- claim: start_value of a template follows next_block_start.
UPDATE id_sequences SET next_block_start = 9 WHERE name = 't/*' RETURNING start_value;
-- gives: 9

-- claim: A changed template counts for what is made later, and idgen_apply_template for what is there.
UPDATE id_sequences SET block_size = 3 WHERE name = 't/*';
SELECT block_size FROM id_sequences WHERE name = 't/a';
-- gives: 1
SELECT idgen_apply_template('t/*') > 0;
-- gives: t
SELECT block_size, next_block_start FROM id_sequences WHERE name = 't/a';
-- gives: 3|6

-- claim: Children outlast their template.
DELETE FROM id_sequences WHERE name = 't/*';
SELECT idgen_next('t/a');
-- gives: 6
SELECT idgen_next('t/later');
-- gives: ERROR 42704

-- claim: refilled_at tells which children no block was allocated from since then.
UPDATE id_sequences SET refilled_at = '2019-01-01' WHERE name IN ('t/c/d', 't/a');
SELECT idgen_next('t/a') FROM generate_series(1, 3);
DELETE FROM id_sequences WHERE template = 't/*' AND refilled_at < '2020-01-01' RETURNING name;
-- gives: 7
-- gives: 8
-- gives: 9
-- gives: t/c/d

-- claim: With a period, the children of children are what is refilled.
INSERT INTO id_sequences (name, next_block_start, period) VALUES ('yearly/*', 1, 'year');
SELECT count(idgen_next('yearly/a')) FROM generate_series(1, 30);
-- gives: 30
DELETE FROM id_sequences WHERE template IN (SELECT name FROM id_sequences WHERE template = 'yearly/*') AND refilled_at < now() - interval '1 year';
DELETE FROM id_sequences WHERE template IN (SELECT name FROM id_sequences WHERE template = 'yearly/*') AND refilled_at < 'infinity' RETURNING name ~ '^yearly/a/20..$';
-- gives: t

-- claim: idgen_apply_template runs with the caller's own rights.
UPDATE id_sequences SET block_size = 7 WHERE name = 'yearly/*';
SET ROLE tr;
SELECT idgen_apply_template('yearly/*');
-- gives: ERROR 42501
RESET ROLE;
