-- docs/id-formats.md, "Ranges"

-- claim: (f()).* makes two calls: first_id is of one range, last_id of another.
SELECT idgen_create('o');
SELECT (idgen_next_range('o', 500)).*;
-- gives: 1|1000

-- claim: A range takes whole blocks; what is left over stays for others.
SELECT idgen_create('o2');
SELECT * FROM idgen_next_range('o2', 25);
-- gives: 1|25
SELECT idgen_next('o2');
-- gives: 26

-- claim: A range comes from a cached block if that has n ids.
SELECT idgen_create('o3');
SELECT idgen_next('o3');
-- gives: 1
SELECT * FROM idgen_next_range('o3', 5);
-- gives: 2|6

-- claim: If there are not n ids left, nothing is taken.
SELECT idgen_create('o4', max_value => 10);
SELECT idgen_next_range('o4', 11);
-- gives: ERROR 2200H: id sequence "o4" does not have 11 consecutive ids left
SELECT idgen_next('o4');
-- gives: 1

-- claim: Source table: any n, in one update of the row.
SELECT idgen_create('o5');
SELECT * FROM idgen_next_range('o5', 1000000);
-- gives: 1|1000000
SELECT refills FROM idgen_stats WHERE name = 'o5';
-- gives: 1

-- claim: With block_size 1, gapless as ever.
SELECT idgen_create('o6', block_size => 1);
SELECT * FROM idgen_next_range('o6', 5);
-- gives: 1|5
SELECT next_block_start FROM id_sequences WHERE name = 'o6';
-- gives: 6
SELECT idgen_next('o6')+1;
-- gives: 7

-- claim: Source sequence: n up to 100,000 times INCREMENT BY.
CREATE SEQUENCE s5_seq INCREMENT 5;
SELECT idgen_next_range('s5', 500001, 'sequence');
-- gives: ERROR 22023

-- claim: Source sequence: that many.
SELECT * FROM idgen_next_range('s5', 500000, 'sequence');
-- gives: 1|500000

-- claim: Of a descending sequence, first_id is the greatest.
CREATE SEQUENCE s6_seq INCREMENT -10 START 100 MINVALUE 1 MAXVALUE 100;
SELECT * FROM idgen_next_range('s6', 10, 'sequence');
-- gives: 100|91

-- claim: The error says how many ids there are not.
SELECT idgen_next_range('o4', 500);
-- gives: ERROR 2200H: id sequence "o4" does not have 500 consecutive ids left

-- claim: A null n gives null.
SELECT idgen_next_range('o', NULL) IS NULL;
-- gives: t

-- claim: The error says what n may be.
SELECT idgen_next_range('o', -1);
-- gives: ERROR 22023

-- claim: A batch numbered by the application.
SELECT idgen_create('batch');
SELECT r.first_id, count(*) FROM idgen_next_range('batch', 3) r, generate_series(r.first_id, r.last_id) GROUP BY r.first_id;
-- gives: 1|3
