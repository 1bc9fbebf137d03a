--
-- idgen_create of a name that a draw would make from a template, or from a row
-- with periods, makes that child: rows may have come with numbers of their own
--
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW children AS SELECT name, next_block_start AS next, start_value AS start, block_size, max_value, refill, layout, period, format, template
	FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
SELECT idgen_create('issue/*', block_size => 1, max_value => 9999), idgen_create('yearly', block_size => 1, period => 'year', format => '{YYYY}-{id:3}'),
	idgen_create('bill/*', 7, block_size => 5, period => 'month', format => '{YYYY}/{MM}/{id}'), idgen_create('secret/*', layout => 'scrambled', max_value => 100);

SELECT idgen_create('issue/424', 34), idgen_create('issue/1'), idgen_create('yearly/2025', 12), idgen_create('bill/acme/2026-03', 100),
	idgen_create('bill/acme/2026-04'), idgen_create('secret/a', 5);
TABLE children;
SELECT idgen_next('issue/424'), idgen_next('issue/1'), idgen_next_text('yearly', at => '2025-05-05'), idgen_next_text('bill/acme', at => '2026-03-31'),
	idgen_next_text('bill/acme', at => '2026-04-01');
SELECT idgen_unscramble('secret/a', idgen_next('secret/a'));

-- there already, drawn from or not
SELECT idgen_create('issue/424', 34);
\echo :SQLSTATE
SELECT idgen_next('issue/2');
SELECT idgen_create('issue/2');
\echo :SQLSTATE
SELECT idgen_next('issue/2');
-- with something of its own, it is no child
SELECT idgen_create('issue/own', block_size => 20);
SELECT template, block_size FROM id_sequences WHERE name = 'issue/own';
-- undone
BEGIN;
SELECT idgen_create('bill/gone/2026-03', 5);
ROLLBACK;
SELECT count(*) FROM id_sequences WHERE name LIKE 'bill/gone%';

-- it takes INSERT on the table, as ever; what row security hides is no parent
CREATE ROLE regress_idgen_creates;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/3', 5);
\echo :SQLSTATE
RESET ROLE;
GRANT INSERT ON id_sequences TO regress_idgen_creates;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/3', 5), idgen_create('bill/mine/2026-03', 5);
RESET ROLE;
SELECT name, next, template FROM children WHERE name ~ 'issue/3|mine';
CREATE POLICY others ON id_sequences USING (name NOT LIKE '%*');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_creates;
SELECT idgen_create('issue/4', 5);
RESET ROLE;
SELECT name, next_block_start, template FROM id_sequences WHERE name = 'issue/4';

DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_creates;
