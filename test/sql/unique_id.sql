--
-- Time-ordered ids: the clock, the node, and a counter, always ascending
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT clock_timestamp() AS before \gset
SELECT idgen_unique_id() AS id \gset
SELECT clock_timestamp() AS after \gset
-- a server that was restarted right before may be ahead of its clock by 5
-- seconds
SELECT created_at BETWEEN date_trunc('milliseconds', :'before'::timestamptz) AND :'after'::timestamptz + interval '5 s' AS in_between,
	node, counter BETWEEN 0 AND 4095 AS twelve_bits
	FROM idgen_unique_id_parts(:id);

-- in one statement
CREATE TEMPORARY TABLE ids AS SELECT n, idgen_unique_id() AS id FROM generate_series(1, 100000) AS n;
SELECT count(*), count(DISTINCT id), min(id) > :id AS later, min(id) = (SELECT id FROM ids WHERE n = 1) AS first FROM ids;
SELECT count(*) AS not_ascending FROM (SELECT id > lag(id) OVER (ORDER BY n) AS up FROM ids) AS s WHERE NOT up;
SELECT count(*) AS other_nodes FROM ids, idgen_unique_id_parts(id) WHERE node <> 0;
SELECT count(DISTINCT created_at) > 1 AS time_goes_on, max(counter) > 0 AS counter_does FROM ids, idgen_unique_id_parts(id);

-- each time counts from 0
SELECT count(*) AS wrong FROM (
	SELECT counter, row_number() OVER (PARTITION BY created_at ORDER BY id) - 1 AS expected
	FROM ids, idgen_unique_id_parts(id)
	WHERE created_at > (SELECT created_at FROM idgen_unique_id_parts((SELECT min(id) FROM ids)))) AS s
	WHERE counter <> expected;

-- as a column default, and in other statements, savepoints and transactions
CREATE TEMPORARY TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_unique_id(), n integer);
INSERT INTO orders (n) VALUES (1), (2);
BEGIN;
INSERT INTO orders (n) VALUES (3);
SAVEPOINT a;
SELECT idgen_unique_id() AS id \gset
ROLLBACK TO a;
INSERT INTO orders (n) VALUES (4);
COMMIT;
BEGIN;
SELECT idgen_unique_id() > :id AS "not again";
ROLLBACK;
DROP TABLE ids, orders;
\c -
SELECT idgen_unique_id() > :id AS "not again";

DROP EXTENSION idgen;
