--
-- No id after max_value: a short last block, then 2200H until the row is right
-- again
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('short', 1, 4, 10);
SELECT idgen_next('short') FROM generate_series(1, 8);
SELECT next_block_start, exhausted FROM id_sequences;

-- the refill that takes the last id says so in the row
SELECT idgen_next('short');
SELECT next_block_start, exhausted FROM id_sequences;
SELECT idgen_peek('short');
SELECT idgen_next('short');

-- from then on, every function that would need an id fails
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next_big('short');
\echo :SQLSTATE
SELECT idgen_peek('short');
\echo :SQLSTATE
SELECT idgen_last('short');

-- neither half of what the hint says is enough
UPDATE id_sequences SET max_value = 14;
SELECT idgen_next('short');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 10, exhausted = 0;
SELECT idgen_next('short');
\echo :SQLSTATE

-- both are: it lives again, to its new end
UPDATE id_sequences SET max_value = 13;
SELECT idgen_next('short') FROM generate_series(1, 3);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences;

-- a last block that is just full, and one with a single id
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('full', 1, 4, 4), ('single', 5, 4, 5), ('gapless', 1, 1, 2);
SELECT idgen_next('full') FROM generate_series(1, 4);
SELECT idgen_next('full');
\echo :SQLSTATE
SELECT idgen_next('single');
SELECT idgen_next('single');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 2);
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

-- in one statement: it fails as a whole, and its ids are issued again
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('one go', 1, 4, 10);
SELECT idgen_next('one go') FROM generate_series(1, 11);
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one go';
SELECT array_agg(id) FROM (SELECT idgen_next('one go') AS id FROM generate_series(1, 10)) AS s;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one go';

-- taking the last id is part of the transaction, like every refill
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('undone', 1, 4, 2);
BEGIN;
SELECT idgen_next('undone') FROM generate_series(1, 2);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'undone';
ROLLBACK;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'undone';
SELECT idgen_next('undone') FROM generate_series(1, 2);

-- next_block_start behind max_value: the same error, until it is not
INSERT INTO id_sequences (name, next_block_start, max_value) VALUES ('behind', 11, 10);
SELECT idgen_next('behind');
\echo :SQLSTATE
SELECT idgen_peek('behind');
\echo :SQLSTATE
UPDATE id_sequences SET next_block_start = 10 WHERE name = 'behind';
SELECT idgen_next('behind');
SELECT idgen_next('behind');
\echo :SQLSTATE

-- exhausted set by hand
INSERT INTO id_sequences (name, next_block_start, exhausted) VALUES ('by hand', 1, 1);
SELECT idgen_next('by hand');
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = 0 WHERE name = 'by hand';
SELECT idgen_next('by hand');

-- a refill that grew large stops at the end as well
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('bulk', 1, 10, 9999);
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 9999)) AS s;
SELECT idgen_next('bulk');
\echo :SQLSTATE

DROP EXTENSION idgen;
