--
-- Who may draw a range, and where: as for single ids
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('native', 1, 1, 'sequence');
CREATE SEQUENCE native_seq INCREMENT BY 20;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
CREATE ROLE regress_idgen_reader;

-- anybody may
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 30);
-- but not from every native sequence
SELECT * FROM idgen_next_range('native', 30, 'sequence');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON SEQUENCE native_seq TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('native', 30, 'sequence');
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- row security
CREATE POLICY others ON id_sequences USING (name <> 'gen');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_reader;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- unknown names and sources
SELECT * FROM idgen_next_range('no such', 5);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('', 5);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('none', 5, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 5, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 5, 'no such');
\echo :SQLSTATE

-- read-only
BEGIN READ ONLY;
SELECT * FROM idgen_next_range('gen', 5);
\echo :SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT * FROM idgen_next_range('native', 5, 'sequence');
\echo :SQLSTATE
ROLLBACK;

-- nothing was drawn by all that
SELECT idgen_peek('gen'), idgen_peek('native');
SELECT ids_lost FROM idgen_stats;

-- no id is left
UPDATE id_sequences SET next_block_start = next_block_start + 20, exhausted = 1;
SELECT * FROM idgen_next_range('gen', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 10);
SELECT * FROM idgen_next_range('gen', 1);
\echo :SQLSTATE

DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_reader;
