--
-- With refill = 'worker': no id after max_value, and 2200H in the session that
-- has asked, until the row is right again
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES ('short', 1, 4, 10, 'worker');
SELECT array_agg(idgen_next('short')) FROM generate_series(1, 10);
SELECT next_block_start, exhausted FROM id_sequences;
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next_big('short');
\echo :SQLSTATE
SELECT idgen_peek('short');
\echo :SQLSTATE
SELECT idgen_last('short');

-- caught by the caller, whose transaction goes on
DO $$
BEGIN
	PERFORM idgen_next('short');
EXCEPTION WHEN sequence_generator_limit_exceeded THEN
	RAISE NOTICE '%', SQLERRM;
END $$;

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
SELECT idgen_restart('short', 12);
SELECT idgen_next('short') FROM generate_series(1, 2);
SELECT idgen_next('short');
\echo :SQLSTATE

-- a last block that is just full, and one with a single id
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES
	('full', 1, 4, 4, 'worker'), ('single', 5, 4, 5, 'worker'), ('one by one', 1, 1, 2, 'worker');
SELECT idgen_next('full') FROM generate_series(1, 4);
SELECT idgen_next('full');
\echo :SQLSTATE
SELECT idgen_next('single');
SELECT idgen_next('single');
\echo :SQLSTATE
SELECT idgen_next('one by one') FROM generate_series(1, 2);
SELECT idgen_next('one by one');
\echo :SQLSTATE
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

-- a statement that fails for want of the last id has used up the others
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES ('one go', 1, 4, 10, 'worker');
SELECT idgen_next('one go') FROM generate_series(1, 11);
\echo :SQLSTATE
SELECT idgen_next('one go');
\echo :SQLSTATE
SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'one go';

-- next_block_start behind max_value, and exhausted set by hand
INSERT INTO id_sequences (name, next_block_start, max_value, exhausted, refill) VALUES
	('behind', 11, 10, 0, 'worker'), ('by hand', 1, 100, 1, 'worker');
SELECT idgen_next('behind');
\echo :SQLSTATE
SELECT idgen_next('by hand');
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = 0 WHERE name = 'by hand';
SELECT idgen_next('by hand');

-- refills that grew large stop at the end as well
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES ('bulk', 1, 10, 9999, 'worker');
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 9999)) AS s;
SELECT idgen_next('bulk');
\echo :SQLSTATE
SELECT ids_issued, ids_cached, blocks_taken, percent_left FROM idgen_stats WHERE name = 'bulk';

-- the ends of bigint
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES
	('end', 9223372036854775800, 5, 'worker'), ('huge', -9223372036854775808, 2147483647, 'worker');
SELECT idgen_next('end') FROM generate_series(1, 8);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'end';
SELECT idgen_next('end');
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = 0 WHERE name = 'end';
\echo :SQLSTATE
SELECT idgen_next('huge') FROM generate_series(1, 3);
SELECT idgen_restart('huge', 9223372036854775807);
SELECT idgen_next('huge');
SELECT idgen_next('huge');
\echo :SQLSTATE

DROP EXTENSION idgen;
