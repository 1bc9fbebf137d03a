--
-- Templates: rows that others are made from
--
-- needs test/idgen.conf
--

--
-- Templates: who refills the first ids of a child
--
CREATE EXTENSION idgen;

-- auto: the transaction that makes the child, then the worker
SELECT idgen_create('auto/*', refill => 'auto');
BEGIN;
SELECT idgen_next('auto/x'), idgen_next('auto/x');
SELECT idgen_next_range('auto/x', 50);
COMMIT;
SELECT idgen_next('auto/x');
SELECT array_agg(id) = array_agg(id ORDER BY id) AS ascending, count(DISTINCT id) FROM (SELECT idgen_next('auto/x') AS id FROM generate_series(1, 500)) AS ids;
BEGIN;
SELECT idgen_next('auto/y');
ROLLBACK;
SELECT idgen_next('auto/y');
SELECT name, refill FROM id_sequences ORDER BY name;

-- worker: it makes the child, too, so no id is issued twice
SELECT idgen_create('worker/*', next_block_start => 100, block_size => 10, refill => 'worker', max_children => 3);
SELECT idgen_peek('worker/x'), idgen_next('worker/x'), idgen_next('worker/x');
BEGIN;
SELECT idgen_next('worker/y'), idgen_next_range('worker/y', 30);
ROLLBACK;
SELECT idgen_next('worker/y');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM id_sequences WHERE template = 'worker/*';
SELECT idgen_next_big('worker/z');
COMMIT;
SELECT name, template, refilled_at > now() - interval '1 hour' AS refilled_now FROM id_sequences WHERE name LIKE 'worker/%' ORDER BY name;
SELECT idgen_next('worker/w');
\echo :SQLSTATE
SELECT idgen_next('worker/w');
\echo :SQLSTATE
UPDATE id_sequences SET max_children = NULL WHERE name = 'worker/*';
SELECT idgen_next('worker/w');

-- a child that was deleted begins anew, and none is made without a draw
DELETE FROM id_sequences WHERE name = 'worker/w';
SELECT idgen_next('worker/w');
BEGIN;
DELETE FROM id_sequences WHERE name = 'worker/w';
SELECT idgen_next('worker/w');
\echo :SQLSTATE
ROLLBACK;

-- it cannot see a template that is not committed
BEGIN;
SELECT idgen_create('uncommitted/*', refill => 'worker');
SELECT idgen_next('uncommitted/x');
\echo :SQLSTATE
ROLLBACK;

-- nor make a child in a table that the transaction has locked
BEGIN;
LOCK TABLE id_sequences IN SHARE ROW EXCLUSIVE MODE;
SELECT idgen_next('worker/locked');
\echo :SQLSTATE
ROLLBACK;

-- triggers have the rights of the table's owner
CREATE ROLE regress_idgen_user;
CREATE TABLE made (name text, by_role name);
GRANT INSERT ON made TO regress_idgen_user;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO public.made VALUES (NEW.name, current_user);
	RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
SET ROLE regress_idgen_user;
SELECT idgen_next('worker/noted');
RESET ROLE;
TABLE made;
DROP TRIGGER note ON id_sequences;

-- row security: the child must be visible, or else it is not made
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences FOR SELECT USING (name IN ('worker/*', 'worker/seen'));
SET ROLE regress_idgen_user;
SELECT idgen_next('worker/seen');
SELECT idgen_next('worker/unseen');
\echo :SQLSTATE
RESET ROLE;
SELECT name FROM id_sequences WHERE name LIKE 'worker/%seen' ORDER BY name;

-- a source that does not need the row for its ids
CREATE SEQUENCE shared_seq INCREMENT BY 10;
SELECT idgen_create('sequence/*', source => 'sequence', source_name => 'shared_seq', refill => 'worker');
BEGIN;
SELECT idgen_next('sequence/x');
ROLLBACK;
SELECT idgen_next('sequence/x');
SELECT idgen_next('sequence/x');

DROP TABLE made;
DROP EXTENSION idgen;
DROP FUNCTION note();
DROP ROLE regress_idgen_user;
DROP SEQUENCE shared_seq;

\c -
--
-- idgen_create of a name that a draw would make from a template, or from a row
-- with periods, makes that child: rows may have come with numbers of their own
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW children AS SELECT name, next_block_start AS next, start_value AS start, block_size, max_value, refill, layout, period, format, template
	FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
SELECT idgen_create('issue/*', block_size => 1, max_value => 9999), idgen_create('yearly', block_size => 1, period => 'year', format => '{YYYY}-{id:3}'),
	idgen_create('bill/*', 7, block_size => 5, period => 'month', format => '{YYYY}/{MM}/{id}'), idgen_create('secret/*', layout => 'scrambled', max_value => 100);

SELECT idgen_create('issue/424', 34), idgen_create('issue/1'), idgen_create('yearly/2025', 12), idgen_create('bill/acme/2026-03', 100),
	idgen_create('bill/acme/2026-04'), idgen_create('secret/a', 5);
TABLE children;
SELECT idgen_next('issue/424'), idgen_next('issue/1'), idgen_next_text('yearly', at => '2025-05-05'), idgen_next_text('bill/acme', at => '2026-03-31'),
	idgen_next_text('bill/acme', at => '2026-04-01');
SELECT idgen_unscramble('secret/a', idgen_next('secret/a'));

-- there already, drawn from or not
SELECT idgen_create('issue/424', 34);
\echo :SQLSTATE
SELECT idgen_next('issue/2');
SELECT idgen_create('issue/2');
\echo :SQLSTATE
SELECT idgen_next('issue/2');
-- with something of its own, it is no child
SELECT idgen_create('issue/own', block_size => 20);
SELECT template, block_size FROM id_sequences WHERE name = 'issue/own';
-- undone
BEGIN;
SELECT idgen_create('bill/gone/2026-03', 5);
ROLLBACK;
SELECT count(*) FROM id_sequences WHERE name LIKE 'bill/gone%';

-- it takes INSERT on the table, as ever; what row security hides is no parent
CREATE ROLE regress_idgen_creates;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/3', 5);
\echo :SQLSTATE
RESET ROLE;
GRANT INSERT ON id_sequences TO regress_idgen_creates;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/3', 5), idgen_create('bill/mine/2026-03', 5);
RESET ROLE;
SELECT name, next, template FROM children WHERE name ~ 'issue/3|mine';
CREATE POLICY others ON id_sequences USING (name NOT LIKE '%*');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/4', 5);
RESET ROLE;
SELECT name, next_block_start, template FROM id_sequences WHERE name = 'issue/4';

DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_creates;
