--
-- Templates: who refills the first ids of a child
--
-- needs test/idgen.conf
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
