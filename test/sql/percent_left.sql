--
-- idgen_stats.percent_left: what is left of the range up to max_value
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('hundred', 1, 10, 100), ('three', 1, 1, 3), ('later', 101, 10, 200), ('negative', -100, 50, 99),
	('whole', -9223372036854775808, 1, 9223372036854775807), ('usual', 1, 20, 9223372036854775807),
	('behind', 2, 1, 1);
CREATE VIEW left_over AS
	SELECT name, percent_left FROM idgen_stats ORDER BY name;

SELECT idgen_next('hundred'), idgen_next('three'), idgen_next('later'), idgen_next('negative'),
	idgen_next('whole'), idgen_next('usual');
TABLE left_over;
SELECT count(idgen_next('hundred')), count(idgen_next('later')) FROM generate_series(1, 49);
SELECT idgen_next('three');
TABLE left_over;

-- nothing
SELECT count(idgen_next('hundred')) FROM generate_series(1, 50);
SELECT idgen_next('three');
TABLE left_over;

-- a restart goes on in the same range
SELECT idgen_restart('hundred', 81);
SELECT idgen_next('hundred');
SELECT percent_left FROM left_over WHERE name = 'hundred';

-- a start_value behind the ids does not give more than 100
UPDATE id_sequences SET start_value = 1000 WHERE name = 'later';
SELECT percent_left FROM left_over WHERE name = 'later';

-- behind its end from the start
SELECT idgen_next('behind');
SELECT percent_left FROM left_over WHERE name = 'behind';

DROP VIEW left_over;
DROP EXTENSION idgen;
