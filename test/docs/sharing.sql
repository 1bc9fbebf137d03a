-- docs/sources.md, "Sharing with other programs"

-- claim: Another program that allocates from the same row never gets an id that idgen gives out.
SELECT idgen_create('op');
SELECT idgen_next('op');
-- gives: 1
BEGIN;
SELECT next_block_start FROM id_sequences WHERE name = 'op' FOR UPDATE;
-- gives: 21
UPDATE id_sequences SET next_block_start = next_block_start+block_size WHERE name = 'op';
COMMIT;
SELECT idgen_next('op');
-- gives: 2
DO $$ BEGIN FOR i IN 1..18 LOOP PERFORM idgen_next('op'); END LOOP; END $$;
SELECT idgen_next('op');
-- gives: 41

-- claim: With row security, the other program needs policies too: a policy for SELECT alone lets it find no row. lets the other program change nothing.
SELECT idgen_create('orders');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_see ON id_sequences FOR SELECT USING (true);
CREATE ROLE oprog;
GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO oprog;
SET ROLE oprog;
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'orders' FOR UPDATE;
\set QUIET off
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'orders';
-- gives: UPDATE 0
\set QUIET on
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- claim: Without row security, these privileges are enough.
SET ROLE oprog;
BEGIN;
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'orders' FOR UPDATE;
-- gives: 1|20
\set QUIET off
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'orders';
-- gives: UPDATE 1
\set QUIET on
COMMIT;
RESET ROLE;

-- claim: REPEATABLE READ without FOR UPDATE: the other program has to retry on 40001.
SELECT idgen_create('o');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT next_block_start FROM id_sequences WHERE name = 'o';
-- gives: 1
\other SELECT idgen_next('o');
-- gives: 1
UPDATE id_sequences SET next_block_start = next_block_start+block_size WHERE name = 'o';
-- gives: ERROR 40001
ROLLBACK;

-- claim: With policies for SELECT and UPDATE, it does.
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_update ON id_sequences FOR UPDATE USING (true);
SET ROLE oprog;
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'orders' RETURNING next_block_start;
-- gives: 41
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- claim: It may take fewer ids than block_size.
SELECT idgen_create('few');
SELECT next_block_start FROM id_sequences WHERE name = 'few';
-- gives: 1
UPDATE id_sequences SET next_block_start = next_block_start + 3 WHERE name = 'few';
SELECT idgen_next('few');
-- gives: 4

-- claim: The value that nextval gives is the first id, too.
CREATE SEQUENCE native_seq INCREMENT BY 20;
SELECT nextval('native_seq');
-- gives: 1
SELECT idgen_next('native', 'sequence');
-- gives: 21
SELECT nextval('native_seq');
-- gives: 41

-- claim: A program that keeps the last id goes through the view: it gets no id that idgen gives out.
SELECT idgen_create('view');
SELECT idgen_next('view');
-- gives: 1
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 WHERE seq_name = 'view';
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'view';
-- gives: 70
SELECT max(idgen_next('view')) FROM generate_series(1, 20);
-- gives: 71

-- claim: Reading a row there locks it.
SELECT idgen_create('locked', block_size => 1);
BEGIN;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'locked';
-- gives: 0
\other SET lock_timeout = '100ms'; SELECT idgen_next('locked');
-- gives: ERROR 55P03
COMMIT;

-- claim: INSERT there makes a row, all else of which has its default.
INSERT INTO id_sequences_by_last_id VALUES ('made', 100);
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'made';
-- gives: 101|20

-- claim: A null there is refused.
INSERT INTO id_sequences_by_last_id VALUES ('null', NULL);
-- gives: ERROR 23502

-- claim: A row cannot be renamed there.
UPDATE id_sequences_by_last_id SET seq_name = 'renamed';
-- gives: ERROR 0A000

-- claim: A role needs the privileges there and on the table.
CREATE ROLE eclipse;
GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO eclipse;
SET ROLE eclipse;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'view';
-- gives: ERROR 42501
RESET ROLE;
GRANT SELECT, UPDATE ON id_sequences_by_last_id TO eclipse;
SET ROLE eclipse;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 WHERE seq_name = 'view' RETURNING seq_count;
-- gives: 140
RESET ROLE;
