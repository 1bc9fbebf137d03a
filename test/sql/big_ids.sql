--
-- idgen_next_big: the same ids, plus big_base, exact up to 38 digits
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, big_base) VALUES
	('plain', 1, 20, 0),
	('above bigint', 9223372036854775805, 20, 1),
	('38 digits', 1, 20, 99999999999999999999999999999999999990),
	('negative', 1, 20, -99999999999999999999999999999999999999),
	('above 2^63', 1, 20, 9223372036854775808),
	('gapless', 1, 1, 10000000000000000000);

-- one stream of ids for both functions
SELECT idgen_next('plain'), idgen_next_big('plain'), idgen_next('plain');
SELECT idgen_next_big('above bigint') FROM generate_series(1, 3);
SELECT idgen_next_big('above bigint');
\echo :SQLSTATE
SELECT idgen_next_big('38 digits') FROM generate_series(1, 9);
SELECT idgen_next('38 digits'), idgen_last('38 digits'), idgen_peek('38 digits');
SELECT idgen_next_big('negative') FROM generate_series(1, 2);
SELECT idgen_next_big('gapless') FROM generate_series(1, 2);
SELECT pg_typeof(idgen_next_big('plain'));

-- a new big_base works from the next call
UPDATE id_sequences SET big_base = 20000000000000000000 WHERE name = 'gapless';
SELECT idgen_next_big('gapless');
UPDATE id_sequences SET big_base = 0 WHERE name = 'gapless';
SELECT idgen_next_big('gapless');

-- no fraction, no more than 38 digits, and a number
UPDATE id_sequences SET big_base = 1.5 WHERE name = 'plain';
SELECT big_base FROM id_sequences WHERE name = 'plain';
UPDATE id_sequences SET big_base = 1e38 WHERE name = 'plain';
\echo :SQLSTATE
\set VERBOSITY terse
UPDATE id_sequences SET big_base = 'NaN' WHERE name = 'plain';
\echo :SQLSTATE
\set VERBOSITY default

-- as a column default
CREATE TABLE wide (id numeric(38,0) DEFAULT idgen_next_big('above 2^63'));
INSERT INTO wide SELECT FROM generate_series(1, 2);
SELECT id FROM wide ORDER BY id;

DROP TABLE wide;
DROP EXTENSION idgen;
