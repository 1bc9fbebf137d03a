--
-- Ids up to 2^63 - 1, and nothing overflows there
--
CREATE EXTENSION idgen;

INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('short', 9223372036854775805, 5),
	('full', 9223372036854775803, 5),
	('last', 9223372036854775807, 20),
	('gapless', 9223372036854775806, 1),
	('huge', 9223372036854775000, 2147483647),
	('bulk', 9223372036854765808, 10);

SELECT idgen_next('short') FROM generate_series(1, 3);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_next('full') FROM generate_series(1, 5);
SELECT idgen_next('full');
\echo :SQLSTATE
SELECT idgen_peek('last');
SELECT idgen_next('last');
SELECT idgen_next('last');
\echo :SQLSTATE
SELECT idgen_next('gapless') FROM generate_series(1, 2);
SELECT idgen_next('gapless');
\echo :SQLSTATE
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('huge') AS id FROM generate_series(1, 808)) AS s;
SELECT idgen_next('huge');
\echo :SQLSTATE
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('bulk') AS id FROM generate_series(1, 10000)) AS s;
SELECT idgen_next('bulk');
\echo :SQLSTATE
SELECT name, next_block_start, exhausted FROM id_sequences ORDER BY name;

-- next_block_start cannot say that the very last id was issued, only exhausted
-- can: taking just that back would issue the id again
UPDATE id_sequences SET exhausted = 0 WHERE name = 'last';
\echo :SQLSTATE
SELECT idgen_next('last');
\echo :SQLSTATE

-- starting again below is all right
UPDATE id_sequences SET next_block_start = 9223372036854775806, exhausted = 0 WHERE name = 'last';
SELECT idgen_next('last') FROM generate_series(1, 2);
SELECT idgen_next('last');
\echo :SQLSTATE
\set SHOW_CONTEXT never
SELECT idgen_restart('last', 9223372036854775807);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_restart('last', 9223372036854775806);
SELECT idgen_next('last') FROM generate_series(1, 2);
SELECT idgen_next('last');
\echo :SQLSTATE

-- one id short of the end, next_block_start can say it
INSERT INTO id_sequences (name, next_block_start, block_size, max_value)
	VALUES ('one short', 9223372036854775805, 5, 9223372036854775806);
SELECT idgen_next('one short') FROM generate_series(1, 2);
SELECT idgen_next('one short');
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'one short';
UPDATE id_sequences SET max_value = 9223372036854775807, exhausted = 0 WHERE name = 'one short';
SELECT idgen_next('one short');
SELECT idgen_next('one short');
\echo :SQLSTATE

-- the last ids, undone at a savepoint and at the end
SELECT idgen_restart('short', 9223372036854775806);
BEGIN;
SAVEPOINT a;
SELECT idgen_next('short') FROM generate_series(1, 2);
ROLLBACK TO a;
SELECT idgen_next('short');
ROLLBACK;
SELECT idgen_next('short') FROM generate_series(1, 2);
SELECT idgen_next('short');
\echo :SQLSTATE

-- a gapless rest at the very end goes back to the row
SELECT idgen_restart('gapless', 9223372036854775708);
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('gapless') AS id FROM generate_series(1, 95)) AS s;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'gapless';
SELECT idgen_next('gapless') FROM generate_series(1, 5);
SELECT idgen_next('gapless');
\echo :SQLSTATE

DROP EXTENSION idgen;
