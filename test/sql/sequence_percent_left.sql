--
-- idgen_stats.percent_left of native sequences: what no block holds, of the ids
-- from the least one to the end
--
CREATE EXTENSION idgen;
CREATE SEQUENCE hundred_seq MAXVALUE 100 INCREMENT 10;
CREATE SEQUENCE later_seq START 51 MAXVALUE 150 INCREMENT 40;
CREATE SEQUENCE down_seq MINVALUE -200 INCREMENT -50;
CREATE SEQUENCE one_by_one_seq MAXVALUE 20;
CREATE SEQUENCE cycle_seq MAXVALUE 100 INCREMENT 10 CYCLE;
CREATE SEQUENCE usual_seq INCREMENT 20;
CREATE SEQUENCE all_seq MINVALUE -9223372036854775808 START -9223372036854775808 INCREMENT 4611686018427387904;
CREATE SEQUENCE all_down_seq MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807
	START 9223372036854775807 INCREMENT -4611686018427387904;
INSERT INTO id_sequences (name, next_block_start, source, block_size, max_value) VALUES
	('one_by_one', 15, 'sequence', 5, 16);
CREATE VIEW left_over AS
	SELECT name, percent_left FROM idgen_stats ORDER BY name;

SELECT idgen_next('hundred', 'sequence'), idgen_next('later', 'sequence'), idgen_next('down', 'sequence'),
	idgen_next('one_by_one'), idgen_next('cycle', 'sequence'), idgen_next('usual', 'sequence'),
	idgen_next('all', 'sequence'), idgen_next('all_down', 'sequence');
TABLE left_over;
SELECT count(idgen_next('hundred', 'sequence')), count(idgen_next('later', 'sequence')),
	count(idgen_next('down', 'sequence')) FROM generate_series(1, 89);
TABLE left_over;

-- nothing
SELECT count(idgen_next('hundred', 'sequence')) FROM generate_series(91, 91);
SELECT nextval('down_seq'), nextval('down_seq');
SELECT nextval('later_seq');
\echo :SQLSTATE
SELECT count(idgen_next('one_by_one')) FROM generate_series(1, 19);
TABLE left_over;

-- more room, or another start
ALTER SEQUENCE hundred_seq MAXVALUE 200;
SELECT idgen_next('hundred', 'sequence');
SELECT percent_left FROM left_over WHERE name = 'hundred';
SELECT setval('later_seq', 111, false);
SELECT percent_left FROM left_over WHERE name = 'later';
SELECT nextval('later_seq');
SELECT percent_left FROM left_over WHERE name = 'later';

-- values before START count, too
SELECT setval('later_seq', 1);
SELECT percent_left FROM left_over WHERE name = 'later';

DROP VIEW left_over;
DROP SEQUENCE hundred_seq, later_seq, down_seq, one_by_one_seq, cycle_seq, usual_seq, all_seq, all_down_seq;
DROP EXTENSION idgen;
