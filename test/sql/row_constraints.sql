--
-- Constraints that the owner adds to id_sequences hold for refills.
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('parts', 1, 2);

-- constraints are checked on what a refill writes
ALTER TABLE id_sequences ADD CONSTRAINT not_beyond CHECK (next_block_start <= 9);
SELECT idgen_next('parts') FROM generate_series(1, 10);
\echo :SQLSTATE
SELECT idgen_next('parts');
ALTER TABLE id_sequences DROP CONSTRAINT not_beyond;
ALTER TABLE id_sequences ADD CONSTRAINT whole CHECK (id_sequences.* IS NULL) NOT VALID;
SELECT count(idgen_next('parts')) FROM generate_series(1, 10);
\echo :SQLSTATE
ALTER TABLE id_sequences DROP CONSTRAINT whole;

-- of exhausted, when that changes
ALTER TABLE id_sequences ADD CONSTRAINT never_exhausted CHECK (exhausted = 0);
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('short', 1, 2, 4);
SELECT idgen_next('short') FROM generate_series(1, 2);
SELECT idgen_next('short') FROM generate_series(1, 2);
UPDATE id_sequences SET max_value = 5 WHERE name = 'short';
SELECT idgen_next('short') FROM generate_series(1, 2);
SELECT idgen_next('short');
\echo :SQLSTATE
ALTER TABLE id_sequences DROP CONSTRAINT never_exhausted;
SELECT idgen_next('short');
SELECT idgen_next('short');

-- unique and exclusion constraints
ALTER TABLE id_sequences ADD CONSTRAINT one_start UNIQUE (next_block_start) DEFERRABLE INITIALLY DEFERRED;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('a', 1, 100);
SELECT idgen_next('a');
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('b', 1, 100);
SELECT idgen_next('b');
\echo :SQLSTATE
ALTER TABLE id_sequences DROP CONSTRAINT one_start;
SELECT idgen_next('b');

-- defaults and constraints of a row that auto_create makes
ALTER TABLE id_sequences ALTER start_value SET DEFAULT 7 * length('ab');
SET idgen.auto_create = on;
CREATE ROLE regress_idgen_drawer;
SET ROLE regress_idgen_drawer;
SELECT idgen_next('made');
SELECT start_value FROM id_sequences WHERE name = 'made';
RESET ROLE;
ALTER TABLE id_sequences ADD CONSTRAINT no_more CHECK (name <> 'more');
SELECT idgen_next('more');
\echo :SQLSTATE
RESET idgen.auto_create;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_drawer;
