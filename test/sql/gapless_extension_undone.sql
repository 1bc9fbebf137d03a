--
-- Nobody looks after gapless ids, of which few are left, when what they were
-- drawn from is undone.
--
BEGIN;
SAVEPOINT s;
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gapless', 1, 1, 5);
SELECT count(idgen_next('gapless')) FROM generate_series(1, 5);
ROLLBACK TO s;
COMMIT;
\echo :SQLSTATE

-- nor when it is dropped
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gapless', 1, 1, 5);
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 5);
DROP EXTENSION idgen;
COMMIT;
\echo :SQLSTATE
