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
DROP EXTENSION idgen;
