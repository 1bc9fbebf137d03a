--
-- With INCREMENT 1 or -1, a refill draws as many values as the row's block_size
-- says, while others may call nextval() in between
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 10, 'sequence');
SELECT idgen_next('gen');
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gen') AS id FROM generate_series(2, 10)) AS s;
SELECT last_value FROM gen_seq;

-- a value of somebody else's between two blocks
SELECT nextval('gen_seq');
SELECT idgen_next('gen');
SELECT nextval('gen_seq');
SELECT first_id, last_id FROM idgen_cache;

-- all in all, no value is lost or doubled
CREATE TABLE drawn (id bigint, direct boolean);
INSERT INTO drawn SELECT generate_series(1, 12), false;
INSERT INTO drawn VALUES (22, true);
INSERT INTO drawn SELECT idgen_next('gen'), false FROM generate_series(1, 100);
INSERT INTO drawn SELECT nextval('gen_seq'), true FROM generate_series(1, 7);
INSERT INTO drawn SELECT CASE n % 3 WHEN 0 THEN nextval('gen_seq') ELSE idgen_next('gen') END, n % 3 = 0
	FROM generate_series(1, 1000) AS n;
INSERT INTO drawn SELECT generate_series(first_id, last_id), false FROM idgen_cache;
SELECT count(*) = max(id) AS none_lost, count(*) = count(DISTINCT id) AS none_doubled FROM drawn;
SELECT max(id) = (SELECT last_value FROM gen_seq) AS all FROM drawn;

-- one by one: nothing is cached
UPDATE id_sequences SET block_size = 1;
SELECT idgen_restart('gen', 12);
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT last_value FROM gen_seq;
SELECT count(*) FROM idgen_cache;

-- without a row, that is the rule
CREATE SEQUENCE other_seq;
SELECT idgen_next('other', 'sequence'), nextval('other_seq'), idgen_next('other', 'sequence');
SELECT last_value FROM other_seq;
SELECT refills, blocks_taken, ids_cached FROM idgen_stats WHERE name = 'other';

-- not more than 100000 at a time
UPDATE id_sequences SET block_size = 2147483647;
SELECT idgen_next('gen');
SELECT ids_cached FROM idgen_stats WHERE name = 'gen';

-- the last block is short
UPDATE id_sequences SET block_size = 10;
SELECT idgen_restart('gen', 1);
ALTER SEQUENCE gen_seq MAXVALUE 25;
SELECT max(idgen_next('gen')) FROM generate_series(1, 21);
SELECT last_value FROM gen_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'gen';
SELECT max(idgen_next('gen')) FROM generate_series(22, 25);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- others draw the last values
SELECT idgen_restart('gen', 1);
SELECT max(idgen_next('gen')) FROM generate_series(1, 20);
SELECT count(nextval('gen_seq')) FROM generate_series(21, 25);
SELECT idgen_next('gen');
\echo :SQLSTATE

-- downwards
CREATE SEQUENCE down_seq INCREMENT -1 MINVALUE -25;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('down', 1, 10, 'sequence');
SELECT idgen_next('down');
SELECT last_value FROM down_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'down';
SELECT nextval('down_seq');
SELECT string_agg(idgen_next('down')::text, ' ') FROM generate_series(2, 24);
SELECT idgen_next('down');
\echo :SQLSTATE

-- with another increment, block_size does not matter
CREATE SEQUENCE two_seq INCREMENT 2;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('two', 1, 10, 'sequence');
SELECT string_agg(idgen_next('two')::text, ' ') FROM generate_series(1, 5);
SELECT last_value FROM two_seq;
CREATE SEQUENCE minus_two_seq INCREMENT -2;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('minus_two', 1, 10, 'sequence');
SELECT string_agg(idgen_next('minus_two')::text, ' ') FROM generate_series(1, 5);
SELECT last_value FROM minus_two_seq;

DROP TABLE drawn;
DROP SEQUENCE gen_seq, other_seq, down_seq, two_seq, minus_two_seq;
DROP EXTENSION idgen;
