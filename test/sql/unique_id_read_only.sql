--
-- Time-ordered ids in transactions that may not write
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
SELECT idgen_unique_id() AS id \gset
BEGIN READ ONLY;
SELECT idgen_unique_id() > :id AS ascending;
SELECT count(DISTINCT idgen_unique_id()) FROM generate_series(1, 1000);
-- and nothing was written
SELECT pg_current_xact_id_if_assigned();
COMMIT;
SET default_transaction_read_only = on;
SELECT idgen_unique_id() > :id AS ascending;
RESET default_transaction_read_only;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT idgen_unique_id() > :id AS ascending;
COMMIT;
DROP EXTENSION idgen;
