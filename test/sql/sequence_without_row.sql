-- needs test/idgen.conf
--
-- What drawing from a native sequence without a row leaves alone: serializable
-- transactions that write to id_sequences, and a row of that name that is
-- hidden
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 5;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT idgen_next('gen', 'sequence');
SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid();
COMMIT;

INSERT INTO id_sequences (name, next_block_start) VALUES ('hidden', 1);
SELECT idgen_next('hidden');
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE SCHEMA regress_idgen_schema AUTHORIZATION regress_idgen_user;
SET ROLE regress_idgen_user;
SET search_path = regress_idgen_schema, public;
BEGIN;
CREATE SEQUENCE hidden_seq START 1001 INCREMENT 5;
SELECT idgen_next('hidden', 'sequence');
COMMIT;
SELECT idgen_next('hidden', 'sequence');
RESET ROLE;
SELECT idgen_next('hidden');

-- who uses a sequence otherwise than by drawing does not see what is cached
GRANT SELECT ON gen_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;
RESET ROLE;
RESET search_path;

-- the last id drawn is that of the sequence that the name stands for, even if
-- another one was looked at in between
SELECT idgen_last('gen');
CREATE SEQUENCE regress_idgen_schema.gen_seq START 501 INCREMENT 5;
SELECT idgen_next('gen', 'sequence');
SET search_path = regress_idgen_schema, public;
SELECT idgen_last('gen');
\echo :SQLSTATE
RESET search_path;
SELECT idgen_last('gen');
SET search_path = regress_idgen_schema, public;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_last('gen');

RESET search_path;
DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_schema CASCADE;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;
