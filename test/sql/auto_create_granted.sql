--
-- A role that may set idgen.auto_create by a GRANT, as tests of an application
-- do it
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_tester;
SET ROLE regress_idgen_tester;
SET idgen.auto_create = on;
RESET ROLE;
GRANT SET ON PARAMETER idgen.auto_create TO regress_idgen_tester;
SET ROLE regress_idgen_tester;
SET idgen.auto_create = on;
SELECT idgen_next('made'), idgen_next('made');
RESET idgen.auto_create;
SELECT idgen_next('unknown');
RESET ROLE;
SELECT name, next_block_start FROM id_sequences;

REVOKE SET ON PARAMETER idgen.auto_create FROM regress_idgen_tester;
DROP ROLE regress_idgen_tester;
DROP EXTENSION idgen;
