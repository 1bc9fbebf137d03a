--
-- A range larger than a block: whole blocks are allocated, in one refill, and
-- what is left over of them is kept. The most is 2^62 ids.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW state AS
	SELECT name, next_block_start, blocks_taken, refills, ids_issued, ids_cached, ids_lost,
		(SELECT array_agg(first_id || '-' || last_id ORDER BY first_id) FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats USING (name);

SELECT * FROM idgen_next_range('gen', 21);
TABLE state;
SELECT * FROM idgen_next_range('gen', 100);
TABLE state;
SELECT * FROM idgen_next_range('gen', 1000000);
TABLE state;
SELECT idgen_next('gen');

-- in a transaction
BEGIN;
SELECT * FROM idgen_next_range('gen', 45);
SELECT * FROM idgen_next_range('gen', 1000);
SELECT idgen_next('gen');
COMMIT;
TABLE state;

-- not a number of ids
SELECT * FROM idgen_next_range('gen', 0);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', -1);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 4611686018427387905);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 9223372036854775807);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', -9223372036854775808);
\echo :SQLSTATE
SELECT * FROM state WHERE name = 'gen';

-- what it needs, and no block more
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('exact', 1, 20);
SELECT * FROM idgen_next_range('exact', 60);
SELECT * FROM idgen_next_range('exact', 61);
SELECT * FROM idgen_next_range('exact', 59);
SELECT * FROM state WHERE name = 'exact';

-- 2^62 of them; the range has 2^63 - 1 ids from 1
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('large', 1, 20);
SELECT * FROM idgen_next_range('large', 4611686018427387904);
SELECT * FROM state WHERE name = 'large';
SELECT idgen_next('large');
SELECT * FROM idgen_next_range('large', 4611686018427387904);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('large', 4611686018427387903);
\echo :SQLSTATE
SELECT * FROM state WHERE name = 'large';
SELECT * FROM idgen_next_range('large', 4611686018427387887);
SELECT * FROM idgen_next_range('large', 15);
SELECT * FROM state WHERE name = 'large';
SELECT idgen_next('large');
\echo :SQLSTATE

-- three times, from the least one on, in one transaction
INSERT INTO id_sequences (name, next_block_start, block_size)
	VALUES ('whole', -9223372036854775808, 2147483647);
BEGIN;
SELECT * FROM idgen_next_range('whole', 4611686018427387904);
SELECT * FROM idgen_next_range('whole', 4611686018427387903);
SELECT * FROM idgen_next_range('whole', 4611686018427387904);
COMMIT;
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'whole';
SELECT * FROM idgen_next_range('whole', 4611686014132420613);
SELECT * FROM idgen_next_range('whole', 4294967292);
SELECT * FROM idgen_next_range('whole', 1);
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'whole';
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'whole';

DROP VIEW state;
DROP EXTENSION idgen;
