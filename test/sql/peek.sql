--
-- idgen_peek: the id that the next call gets, without taking it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);

-- from the row
SELECT idgen_peek('gen'), idgen_peek('gen'), next_block_start FROM id_sequences WHERE name = 'gen';
SELECT idgen_next('gen');

-- from the cache
SELECT idgen_peek('gen'), idgen_peek('gen');
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT idgen_peek('gen');

-- from the pending block, and after it was undone
BEGIN;
SELECT idgen_next('gen');
SELECT idgen_peek('gen');
SAVEPOINT a;
SELECT idgen_next('gen') FROM generate_series(1, 4);
SELECT idgen_peek('gen');
ROLLBACK TO a;
SELECT idgen_peek('gen');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_peek('gen');
SELECT idgen_next('gen');

-- the same in one statement
SELECT idgen_peek('gen') AS p, idgen_next('gen') AS n, idgen_peek('gen') AS p, idgen_next('gen') AS n;
SELECT idgen_peek('gapless') AS p, idgen_next('gapless') AS n, idgen_peek('gapless') AS p, idgen_next('gapless') AS n;

-- it writes nothing
BEGIN READ ONLY;
SELECT idgen_peek('gen'), idgen_peek('gapless');
COMMIT;
SELECT idgen_peek('gen');

-- after the transaction's own changes of the row
BEGIN;
UPDATE id_sequences SET next_block_start = 1 WHERE name = 'gen';
SELECT idgen_peek('gen');
SELECT idgen_next('gen');
DELETE FROM id_sequences WHERE name = 'gapless';
SELECT idgen_peek('gapless');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_peek('gapless');

-- it does not count as a draw
SELECT idgen_create('new', 50);
SELECT idgen_peek('new');
SELECT idgen_last('new');
\echo :SQLSTATE

DROP EXTENSION idgen;
