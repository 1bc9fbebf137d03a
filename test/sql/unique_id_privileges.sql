--
-- Everybody may draw time-ordered ids, and nobody needs the table for that
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_nobody;
REVOKE ALL ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_nobody;
SELECT count(*) FROM id_sequences;
\echo :SQLSTATE
SELECT idgen_unique_id() > 0 AS drawn;
SELECT node FROM idgen_unique_id_parts(idgen_unique_id());
-- the node is the server's
SET idgen.node_id = 1;
\echo :SQLSTATE
RESET ROLE;
SET idgen.node_id = 1;
\echo :SQLSTATE

-- it can be withdrawn
REVOKE EXECUTE ON FUNCTION idgen_unique_id() FROM PUBLIC;
SET ROLE regress_idgen_nobody;
SELECT idgen_unique_id();
\echo :SQLSTATE
RESET ROLE;

-- whatever state the table is in
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey;
SELECT idgen_unique_id() > 0 AS drawn;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_nobody;
