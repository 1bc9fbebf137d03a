--
-- View idgen_health: ids in a column lie past what is cached, while the source
-- is past the column
--
-- needs test/idgen.conf
CREATE EXTENSION idgen;
SELECT idgen_create('t');
CREATE TABLE ahead (id integer PRIMARY KEY DEFAULT idgen_next('t'));
INSERT INTO ahead DEFAULT VALUES RETURNING id;
SELECT problem_kind FROM idgen_health WHERE name = 't';
INSERT INTO ahead SELECT i FROM generate_series(21, 4999) AS i;
UPDATE id_sequences SET next_block_start = 5000 WHERE name = 't';
SELECT first_id, last_id FROM idgen_cache;
SELECT problem_kind FROM idgen_health WHERE name = 't';
SELECT idgen_sync('ahead', 'id');
SELECT problem_kind FROM idgen_health WHERE name = 't';
INSERT INTO ahead DEFAULT VALUES RETURNING id;
DROP TABLE ahead;
DROP EXTENSION idgen;
