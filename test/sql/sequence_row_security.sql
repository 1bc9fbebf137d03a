--
-- A row that row security hides does not exist: the native sequence is there
-- without it
--
-- needs test/idgen.conf: a session with slots of its own has one for each name
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_user;
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE real_seq START 1000 INCREMENT 10;
CREATE SEQUENCE table_seq START 2000 INCREMENT 10;
GRANT USAGE ON gen_seq, table_seq TO regress_idgen_user;
INSERT INTO id_sequences (name, next_block_start, source, source_name, big_base) VALUES
	('gen', 1, 'sequence', 'real_seq', 1000000), ('table', 3000, 'table', NULL, 0), ('own', 1, 'sequence', 'gen_seq', 0);
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON id_sequences USING (name = 'own');
PREPARE draw AS SELECT idgen_next('gen', 'sequence');

SELECT idgen_next('gen'), idgen_next_big('gen');
EXECUTE draw;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
EXECUTE draw;
SELECT idgen_next_big('gen', 'sequence');
SELECT idgen_next('table', 'sequence');
SELECT idgen_next('table', 'table');
\echo :SQLSTATE
SELECT idgen_next('own'), idgen_next('own', 'sequence');
SELECT name, source, source_name, ids_cached FROM idgen_stats ORDER BY name, source_name;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;

-- one role and the other in turn
RESET ROLE;
EXECUTE draw;
SET ROLE regress_idgen_user;
EXECUTE draw;
RESET ROLE;
SELECT idgen_next('table', 'sequence');
\echo :SQLSTATE

-- the right to use its sequence does not make a hidden row known
GRANT USAGE ON real_seq TO regress_idgen_user;
SELECT idgen_next('gen') >= 1000 AS of_the_row;
SELECT name FROM idgen_stats WHERE source_name = 'real_seq';
SET ROLE regress_idgen_user;
SELECT name FROM idgen_stats WHERE source_name = 'real_seq';
SELECT count(*) FROM idgen_cache WHERE first_id BETWEEN 1000 AND 1999;
RESET ROLE;
REVOKE USAGE ON real_seq FROM regress_idgen_user;

-- the policy goes
DROP POLICY own ON id_sequences;
CREATE POLICY everything ON id_sequences USING (true);
SET ROLE regress_idgen_user;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('table', 'sequence');
\echo :SQLSTATE
RESET ROLE;
GRANT USAGE ON real_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen') >= 1000 AS of_the_row, idgen_next('gen', 'sequence') >= 1000 AS of_the_row;
RESET ROLE;

DEALLOCATE draw;
DROP SEQUENCE gen_seq, real_seq, table_seq;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
