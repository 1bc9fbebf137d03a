--
-- Ids may be negative, from -2^63 on
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('through zero', -5, 3, 9223372036854775807),
	('smallest', -9223372036854775808, 3, 9223372036854775807),
	('ends', -5, 3, -2),
	('one', -9223372036854775808, 3, -9223372036854775808),
	('gapless', -2, 1, 9223372036854775807);

SELECT idgen_next('through zero') FROM generate_series(1, 8);
SELECT idgen_next('smallest') FROM generate_series(1, 4);
SELECT idgen_next('ends') FROM generate_series(1, 4);
SELECT idgen_next('ends');
\echo :SQLSTATE
SELECT idgen_next('one');
SELECT idgen_next('one');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 4);
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

SELECT idgen_restart('gapless', -100);
SELECT idgen_peek('gapless'), idgen_next('gapless'), idgen_last('gapless');
SELECT idgen_create('created', -10);
SELECT idgen_next_big('created');

DROP EXTENSION idgen;
