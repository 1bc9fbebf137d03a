--
-- Who draws scrambled ids neither sees a key nor unscrambles; who may write the
-- row does the latter
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_drawer;
CREATE ROLE regress_idgen_writer;
INSERT INTO idgen_keys VALUES ('orders', '\x000102030405060708090a0b0c0d0e0f');
SELECT idgen_create('orders', layout => 'scrambled');
GRANT INSERT, UPDATE, DELETE ON id_sequences TO regress_idgen_writer;

SET ROLE regress_idgen_drawer;
SELECT idgen_next('orders'), idgen_peek('orders');
SELECT * FROM idgen_keys;
\echo :SQLSTATE
SELECT name FROM idgen_keys;
INSERT INTO idgen_keys VALUES ('mine', '\x000102030405060708090a0b0c0d0e0f');
\echo :SQLSTATE
EXPLAIN SELECT key FROM idgen_keys;
\echo :SQLSTATE
COPY idgen_keys TO stdout;
\echo :SQLSTATE
SELECT idgen_unscramble('orders', 6418030975202663736);
\echo :SQLSTATE

-- a key is made, renamed and deleted without a privilege on it
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', 6418030975202663736);
SELECT idgen_create('mine', layout => 'scrambled');
SELECT idgen_unscramble('mine', idgen_next('mine'));
UPDATE id_sequences SET name = 'renamed' WHERE name = 'mine';
SELECT idgen_unscramble('renamed', idgen_next('renamed'));
SELECT key FROM idgen_keys;
RESET ROLE;
SELECT name FROM idgen_keys ORDER BY name;
SET ROLE regress_idgen_writer;
DELETE FROM id_sequences WHERE name = 'renamed';
RESET ROLE;
SELECT name FROM idgen_keys ORDER BY name;

-- what the owner puts on the table runs with the owner's rights
CREATE TABLE audit (name text, by text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO audit VALUES (coalesce(new.name, old.name), current_user = (SELECT relowner::regrole::text FROM pg_class WHERE oid = 'idgen_keys'::regclass));
	RETURN coalesce(new, old);
END $$;
ALTER FUNCTION note() SET search_path = public;
CREATE TRIGGER note BEFORE INSERT OR UPDATE OR DELETE ON idgen_keys FOR EACH ROW EXECUTE FUNCTION note();
SET ROLE regress_idgen_writer;
SELECT idgen_create('mine', layout => 'scrambled');
DELETE FROM id_sequences WHERE name = 'mine';
RESET ROLE;
TABLE audit;
DROP TRIGGER note ON idgen_keys;

-- row security: the row must be one that the role may write
CREATE POLICY seen ON id_sequences FOR SELECT USING (name <> 'hidden');
CREATE POLICY written ON id_sequences FOR UPDATE USING (name = 'orders');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SELECT idgen_create('seen', layout => 'scrambled'), idgen_create('hidden', layout => 'scrambled');
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', 6418030975202663736);
SELECT idgen_next('seen') > 0 AS id;
SELECT idgen_unscramble('seen', 1);
\echo :SQLSTATE
SELECT idgen_unscramble('hidden', 1);
\echo :SQLSTATE
RESET ROLE;
-- a policy that asks a query
CREATE TABLE teams (name text);
INSERT INTO teams VALUES ('seen');
GRANT SELECT ON teams TO regress_idgen_writer;
DROP POLICY written ON id_sequences;
CREATE POLICY written ON id_sequences FOR UPDATE USING (name IN (SELECT teams.name FROM teams));
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('seen', idgen_next('seen'));
SELECT idgen_unscramble('orders', 6418030975202663736);
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen_unscramble('seen', 1) > 0 AS value;
ROLLBACK;
RESET ROLE;

DROP EXTENSION idgen;
DROP TABLE audit, teams;
DROP FUNCTION note;
DROP ROLE regress_idgen_drawer, regress_idgen_writer;
