--
-- idgen_sync() has the caller's rights
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_other;
GRANT CREATE ON SCHEMA public TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
CREATE TABLE mine (id bigint DEFAULT idgen_next('mine'));
INSERT INTO mine VALUES (5);
SELECT * FROM idgen_sync();
RESET ROLE;
CREATE TABLE hidden (id bigint DEFAULT idgen_next('hidden'));
CREATE TABLE shown (id bigint DEFAULT idgen_next('shown'));
INSERT INTO shown VALUES (8);
GRANT SELECT ON shown TO regress_idgen_owner;
GRANT INSERT ON id_sequences TO regress_idgen_owner, regress_idgen_other;

-- only an owner's column can own the row; what may not be read is left alone
SET ROLE regress_idgen_owner;
SELECT * FROM idgen_sync();
SELECT name, next_block_start, owned_by FROM id_sequences ORDER BY name;
SET ROLE regress_idgen_other;
SELECT * FROM idgen_sync();

-- neither is a table of which row security hides rows
RESET ROLE;
DELETE FROM id_sequences;
ALTER TABLE shown ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON shown, mine TO regress_idgen_other;
SET ROLE regress_idgen_other;
SELECT * FROM idgen_sync();

-- a superuser's rows belong to the columns of other roles
RESET ROLE;
SELECT * FROM idgen_sync();
SELECT name, next_block_start, owned_by FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP TABLE mine, hidden, shown;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_other;
