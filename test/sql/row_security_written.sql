--
-- A policy that depends on what a refill writes, or on the default of an
-- argument, holds for the next draw already
--
CREATE EXTENSION idgen;
SELECT idgen_create('written', block_size => 1);
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (name = 'written' AND next_block_start <= 3);

SET ROLE regress_idgen_user;
PREPARE draw AS SELECT idgen_next('written');
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
SELECT idgen_create('tenant');
CREATE FUNCTION allowed(name text, tenant text DEFAULT current_setting('regress.tenant', true)) RETURNS boolean
	LANGUAGE sql STABLE AS 'SELECT name = tenant';
CREATE POLICY p ON id_sequences USING (allowed(name));
SET ROLE regress_idgen_user;
SET regress.tenant = 'tenant';
SELECT idgen_next('tenant');
SET regress.tenant = 'another';
SELECT idgen_next('tenant');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
DROP EXTENSION idgen;
DROP FUNCTION allowed;
DROP ROLE regress_idgen_user;
