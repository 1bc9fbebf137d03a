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
