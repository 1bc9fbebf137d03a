--
-- View id_sequences_by_last_id: other programs keep the last id allocated
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 5), ('other', 101, 20);
SELECT * FROM id_sequences_by_last_id ORDER BY seq_name;

-- a program that adds to the number and then reads it
SELECT max(idgen_next('gen')) FROM generate_series(1, 3);
BEGIN;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 WHERE seq_name = 'gen';
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
COMMIT;
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 4);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 7 WHERE seq_name = 'gen' RETURNING *;
SELECT name, next_block_start FROM id_sequences ORDER BY name;

-- a program that writes what it has computed itself
BEGIN;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'other' FOR UPDATE;
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = 120 WHERE seq_name = 'other' AND seq_count = 100;
UPDATE id_sequences_by_last_id SET seq_count = 120 WHERE seq_name = 'other' AND seq_count = 100;
\set QUIET on
COMMIT;
SELECT idgen_next('other');

-- it locks the rows that it looks for, and no others
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
RESET enable_seqscan;

-- a program makes the row that it lacks
INSERT INTO id_sequences_by_last_id (seq_name, seq_count) VALUES ('new', 0), ('later', 1000) RETURNING *;
SELECT idgen_next('new'), idgen_next('later');
SELECT name, next_block_start, block_size, start_value FROM id_sequences WHERE name IN ('new', 'later') ORDER BY name;
INSERT INTO id_sequences_by_last_id VALUES ('new', 0);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('end', 9223372036854775807);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('null', NULL);
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES (NULL, 0);
\echo :SQLSTATE
\set QUIET off
DELETE FROM id_sequences_by_last_id WHERE seq_name = 'later';
\set QUIET on
SELECT idgen_next('later');
\echo :SQLSTATE

-- what it may not do
UPDATE id_sequences_by_last_id SET seq_count = NULL;
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_name = 'x' WHERE seq_name = 'gen';
\echo :SQLSTATE

-- the end of an id sequence
SELECT idgen_create('short', max_value => 100);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 90 WHERE seq_name = 'short' RETURNING seq_count;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'short';
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 10 WHERE seq_name = 'short' RETURNING seq_count;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'short';
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'short';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 1 WHERE seq_name = 'short';
\echo :SQLSTATE
SELECT idgen_create('bigint', next_block_start => 9223372036854775800);
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 8 WHERE seq_name = 'bigint' RETURNING seq_count;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'bigint';
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'bigint';

-- back, as with next_block_start: ids are issued twice
SELECT idgen_next('gen');
UPDATE id_sequences_by_last_id SET seq_count = 0 WHERE seq_name = 'gen';
SELECT idgen_next('gen');

-- where the trigger does not fire, no program takes an update for one that was
-- made
SET session_replication_role = replica;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 50 RETURNING *;
RESET session_replication_role;

-- no number is before the least one, which is left out
INSERT INTO id_sequences (name, next_block_start) VALUES ('least', -9223372036854775808);
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'least';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'least' RETURNING seq_count;
SELECT next_block_start FROM id_sequences WHERE name = 'least';
DELETE FROM id_sequences WHERE name = 'least';

-- rows whose blocks come from elsewhere have no last id
CREATE SEQUENCE native_seq INCREMENT BY 20;
SELECT idgen_create('native', source => 'sequence');
SELECT count(*) FROM id_sequences_by_last_id WHERE seq_name = 'native';

-- what a role needs: the privileges on the table that any program needs, and
-- those on the view
CREATE ROLE regress_idgen_program;
SET ROLE regress_idgen_program;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, INSERT, UPDATE ON id_sequences_by_last_id TO regress_idgen_program;
SET ROLE regress_idgen_program;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
\echo :SQLSTATE
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\echo :SQLSTATE
INSERT INTO id_sequences_by_last_id VALUES ('its own', 0);
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO regress_idgen_program;
SET ROLE regress_idgen_program;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen' RETURNING seq_count;
SELECT seq_count FROM id_sequences_by_last_id WHERE seq_name = 'gen';
INSERT INTO id_sequences_by_last_id VALUES ('its own', 0);
\echo :SQLSTATE
RESET ROLE;

-- and policies
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY sees ON id_sequences FOR SELECT USING (true);
CREATE POLICY takes ON id_sequences FOR UPDATE USING (name = 'gen');
SET ROLE regress_idgen_program;
SELECT seq_name FROM id_sequences_by_last_id;
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other';
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\set QUIET on
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- a trigger on the table that suppresses the update
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE UPDATE ON id_sequences
	FOR EACH ROW WHEN (OLD.name = 'other') EXECUTE FUNCTION suppress();
\set QUIET off
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other' RETURNING seq_count;
\set QUIET on
DROP TRIGGER suppress ON id_sequences;
DROP FUNCTION suppress();

-- refused where a write is
BEGIN READ ONLY;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'gen';
\echo :SQLSTATE
ROLLBACK;

-- nothing that the search_path brings takes the place of the table or of an
-- operator
CREATE SCHEMA front;
CREATE TABLE front.id_sequences (LIKE id_sequences);
CREATE FUNCTION front.never(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR front.< (FUNCTION = front.never, LEFTARG = bigint, RIGHTARG = bigint);
SET search_path = front, pg_catalog, public;
UPDATE id_sequences_by_last_id SET seq_count = seq_count + 20 WHERE seq_name = 'other' RETURNING seq_count;
RESET search_path;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'other';
DROP SCHEMA front CASCADE;

DROP EXTENSION idgen CASCADE;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_program;
