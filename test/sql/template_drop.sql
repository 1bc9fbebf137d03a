--
-- idgen_drop_children deletes the children that no block was allocated from
-- since a time
--
CREATE EXTENSION idgen;
SELECT idgen_create('t/*', block_size => 1), idgen_create('u/*', block_size => 1);
SELECT idgen_next('t/' || i) FROM generate_series(1, 6) AS i;
SELECT idgen_next('u/1');
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences ORDER BY name;
SELECT idgen_drop_children('t/*', now() - interval '1 hour');

-- whatever allocates says that the child is in use: a refill, another program,
-- a restart
UPDATE id_sequences SET refilled_at = '2019-06-01' WHERE template IS NOT NULL;
SELECT idgen_next('t/1');
UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 't/2';
SELECT idgen_restart('t/3', 10);
UPDATE id_sequences SET block_size = 5 WHERE name = 't/4';
SELECT name FROM id_sequences WHERE refilled_at < '2020-01-01' ORDER BY name;
SELECT idgen_drop_children('t/*', '2019-01-01');
SELECT idgen_drop_children('t/*', '2020-01-01');
SELECT name FROM id_sequences ORDER BY name;

-- rows that have no template are nobody's children; rows made by hand can be
INSERT INTO id_sequences (name, next_block_start, template, refilled_at) VALUES ('t/a', 1, NULL, NULL), ('t/b', 1, 't/*', NULL), ('t/c', 1, 't/*', '2018-01-01');
UPDATE id_sequences SET next_block_start = 2 WHERE name = 't/a';
SELECT name, refilled_at > now() - interval '1 hour' AS now FROM id_sequences WHERE name IN ('t/a', 't/b', 't/c') ORDER BY name;
SELECT idgen_drop_children('t/*', '2020-01-01');

-- the template may be gone; what is dropped begins anew
DELETE FROM id_sequences WHERE name = 't/*';
SELECT idgen_drop_children('t/*', 'infinity');
SELECT idgen_drop_children('t/*', 'infinity');
\echo :SQLSTATE
SELECT idgen_drop_children('u/*', 'infinity');
SELECT idgen_drop_children('u/*', 'infinity');
SELECT idgen_next('u/1');
SELECT idgen_drop_children(NULL, 'infinity'), idgen_drop_children('u/*', NULL);

-- cached ids go with them when the transaction commits
BEGIN;
SELECT idgen_drop_children('u/*', 'infinity');
SELECT idgen_next('u/1');
ROLLBACK;
SELECT idgen_next('u/1');

-- a child that has children stays until they are gone
INSERT INTO id_sequences (name, next_block_start, period, template, refilled_at) VALUES
	('u/p', 1, 'year', 'u/*', '2018-01-01'), ('u/q', 1, 'year', 'u/*', '2018-01-01');
INSERT INTO id_sequences (name, next_block_start, template, refilled_at) VALUES
	('u/p/2018', 1, 'u/p', '2018-06-01'), ('u/p/2019', 1, 'u/p', '2019-06-01'), ('u/q/2018', 1, 'u/q', '2018-06-01');
SELECT idgen_drop_children('u/*', '2019-01-01');
SELECT name FROM id_sequences ORDER BY name;
SELECT idgen_drop_children('u/p', '2020-01-01');
SELECT idgen_drop_children('u/*', '2020-01-01');

BEGIN READ ONLY;
SELECT idgen_drop_children('u/*', 'infinity');
\echo :SQLSTATE
ROLLBACK;

-- with the caller's own rights
CREATE ROLE regress_idgen_user;
SELECT idgen_next('u/2'), idgen_next('u/3');
SET ROLE regress_idgen_user;
SELECT idgen_drop_children('u/*', 'infinity');
\echo :SQLSTATE
RESET ROLE;
GRANT DELETE ON id_sequences TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON id_sequences FOR SELECT USING (true);
CREATE POLICY remove ON id_sequences FOR DELETE USING (name = 'u/2');
SET ROLE regress_idgen_user;
SELECT idgen_drop_children('u/*', 'infinity');
RESET ROLE;
SELECT name FROM id_sequences ORDER BY name;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
