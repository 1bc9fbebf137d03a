--
-- More ids than there are: nothing is taken, and nothing changes
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gen', 1, 20, 50);
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, exhausted, idgen_peek(s.name),
		coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached, coalesce(ids_lost, 0) AS ids_lost,
		coalesce(blocks_taken, 0) AS blocks_taken, coalesce(refills, 0) AS refills,
		(SELECT array_agg(first_id || '-' || last_id || ' ' || state ORDER BY first_id)
			FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;

-- nothing was drawn yet
INSERT INTO before TABLE state;
SELECT * FROM idgen_next_range('gen', 51);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- part of them is cached
SELECT idgen_next('gen');
TRUNCATE before;
INSERT INTO before TABLE state;
SELECT * FROM idgen_next_range('gen', 50);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 4611686018427387904);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- part of them is pending: in a savepoint, and the transaction goes on
BEGIN;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 20);
TRUNCATE before;
INSERT INTO before TABLE state;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 29);
\echo :SQLSTATE
ROLLBACK TO a;
TABLE before EXCEPT TABLE state;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- the exact fit, beside what is cached
SELECT first_id, last_id FROM idgen_cache;
SELECT * FROM idgen_next_range('gen', 31);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 30);
SELECT * FROM idgen_next_range('gen', 16);

-- the end
SELECT next_block_start, exhausted FROM id_sequences;
SELECT * FROM idgen_next_range('gen', 1);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 2);
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT ids_issued, ids_lost, ids_cached FROM idgen_stats;

-- the exact fit, all of it from the row, and with leftovers in front of it
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('exact', 1, 20, 50), ('cached', 1, 20, 50), ('pending', 1, 20, 50);
SELECT * FROM idgen_next_range('exact', 50);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'exact';
SELECT * FROM idgen_next_range('cached', 7);
SELECT * FROM idgen_next_range('cached', 31);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('cached', 30);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'cached';
SELECT ids_issued, ids_lost, ids_cached FROM idgen_stats WHERE name = 'cached';
BEGIN;
SELECT * FROM idgen_next_range('pending', 7);
SAVEPOINT a;
SELECT * FROM idgen_next_range('pending', 31);
\echo :SQLSTATE
ROLLBACK TO a;
SELECT * FROM idgen_next_range('pending', 30);
COMMIT;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'pending';

-- behind a gap
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gap', 1, 20, 100);
SELECT * FROM idgen_next_range('gap', 7);
UPDATE id_sequences SET next_block_start = 81 WHERE name = 'gap';
SELECT * FROM idgen_next_range('gap', 21);
\echo :SQLSTATE
SELECT idgen_peek('gap'), next_block_start, exhausted FROM id_sequences WHERE name = 'gap';
SELECT * FROM idgen_next_range('gap', 20);
SELECT * FROM idgen_next_range('gap', 14);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gap', 13);

-- at the end of bigint
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('last', 9223372036854775798, 4);
SELECT * FROM idgen_next_range('last', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('last', 3);
SELECT * FROM idgen_next_range('last', 7);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('last', 6);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'last';

-- more may come: a raised max_value
UPDATE id_sequences SET max_value = 60, exhausted = 0 WHERE name = 'exact';
SELECT * FROM idgen_next_range('exact', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('exact', 10);

DROP TABLE before;
DROP VIEW state;
DROP EXTENSION idgen;
