--
-- Rows that came with numbers of their own: the child that they belong to is
-- made behind them, before anybody has drawn from it
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE issue (repo_id bigint, index bigint, UNIQUE (repo_id, index));
SELECT idgen_create('issue/*', block_size => 1), idgen_create('bill', period => 'year');
INSERT INTO issue SELECT 424, i FROM generate_series(1, 33) i;
INSERT INTO issue VALUES (424, idgen_next('issue/424'));
\echo :SQLSTATE
SELECT idgen_restart('issue/424', 34);
INSERT INTO issue VALUES (424, idgen_next('issue/424')) RETURNING index;
SELECT idgen_restart('bill/2024', 100);
SELECT idgen_next('bill/2024');

-- all children of a table at once, by what it says
INSERT INTO issue SELECT 425 + i % 3, i FROM generate_series(1, 30) i;
SELECT count(idgen_restart('issue/' || repo_id, last + 1)) FROM (SELECT repo_id, max(index) AS last FROM issue GROUP BY repo_id) AS i;
SELECT name, next_block_start, block_size, template FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
UPDATE id_sequences SET block_size = 5 WHERE name = 'issue/*';
SELECT idgen_apply_template('issue/*');

-- a name that nothing would make
SELECT idgen_restart('nothing/1', 5);
\echo :SQLSTATE

-- it takes the right to change the row, and else leaves none
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_restart('issue/999', 5);
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM id_sequences WHERE name = 'issue/999';

DROP ROLE regress_idgen_user;
DROP TABLE issue;
DROP EXTENSION idgen;
