--
-- Rows of id_sequences, and what a change of one does
--

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
\set VERBOSITY default

\c -
--
-- What a transaction finds out about a row that it has written itself holds no
-- longer than the row
--
CREATE EXTENSION idgen;

-- a row that was never committed, and another one of the same name
BEGIN;
SELECT idgen_create('gen', big_base => 5000);
SELECT idgen_next_big('gen');
ROLLBACK;
SELECT idgen_create('gen', big_base => 7000);
SELECT idgen_next_big('gen');

-- the same within a savepoint
BEGIN;
SAVEPOINT a;
SELECT idgen_create('sub', big_base => 5000);
SELECT idgen_next_big('sub');
ROLLBACK TO a;
SELECT idgen_create('sub', block_size => 1, big_base => 7000);
SELECT idgen_next_big('sub');
COMMIT;
SELECT idgen_next_big('sub');

-- and with what row security has decided
CREATE ROLE regress_idgen_user;
GRANT INSERT ON id_sequences TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON id_sequences USING (next_block_start < 500);
SET ROLE regress_idgen_user;
BEGIN;
INSERT INTO id_sequences (name, next_block_start) VALUES ('secret', 1);
SELECT idgen_next('secret');
ROLLBACK;
RESET ROLE;
INSERT INTO id_sequences (name, next_block_start) VALUES ('secret', 500);
SET ROLE regress_idgen_user;
SELECT idgen_next('secret');
\echo :SQLSTATE
RESET ROLE;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;

\c -
--
-- Drawing in the same command that changes the row
--
CREATE EXTENSION idgen;
SET statement_timeout = '10s';

INSERT INTO id_sequences (name, next_block_start) VALUES ('inserted', 1)
	RETURNING idgen_next(name), idgen_next(name);
WITH i AS (INSERT INTO id_sequences (name, next_block_start) VALUES ('with', 5) RETURNING name)
	SELECT idgen_next(name), idgen_next(name) FROM i;

-- what the command has removed or renamed is not there any more
INSERT INTO id_sequences (name, next_block_start) VALUES ('deleted', 1), ('renamed', 1);
DELETE FROM id_sequences WHERE name = 'deleted' RETURNING idgen_next(name);
UPDATE id_sequences SET name = 'other' WHERE name = 'renamed' RETURNING idgen_next('renamed');
WITH d AS (DELETE FROM id_sequences WHERE name = 'deleted' RETURNING name)
	SELECT idgen_peek(name) FROM d;
-- nor has it been harmed
SELECT idgen_next('deleted'), idgen_next('renamed');

-- a growing next_block_start leaves cached ids alone, here too
UPDATE id_sequences SET next_block_start = 100 WHERE name = 'deleted' RETURNING idgen_next(name);
SELECT idgen_next('deleted');

-- the same with a policy that takes a query
CREATE ROLE regress_idgen_user;
GRANT INSERT ON id_sequences TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY subquery ON id_sequences USING (EXISTS (SELECT FROM pg_am));
SET ROLE regress_idgen_user;
WITH i AS (INSERT INTO id_sequences (name, next_block_start) VALUES ('policy', 5) RETURNING name)
	SELECT idgen_next(name), idgen_next(name) FROM i;
RESET ROLE;

RESET statement_timeout;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
