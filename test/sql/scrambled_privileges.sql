--
-- Who draws scrambled ids neither sees a secret nor unscrambles; who may write
-- the row does the latter
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_drawer;
CREATE ROLE regress_idgen_writer;
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);
INSERT INTO id_sequences (name, next_block_start, layout, salt) VALUES ('orders', 1, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
GRANT INSERT, UPDATE, DELETE ON id_sequences TO regress_idgen_writer;

SET ROLE regress_idgen_drawer;
SELECT idgen_next('orders'), idgen_peek('orders');
SELECT * FROM idgen_secrets;
\echo :SQLSTATE
INSERT INTO idgen_secrets VALUES ('\x00', '\x00');
\echo :SQLSTATE
EXPLAIN SELECT secret FROM idgen_secrets;
\echo :SQLSTATE
COPY idgen_secrets TO stdout;
\echo :SQLSTATE
SELECT idgen_unscramble('orders', 1);
\echo :SQLSTATE

-- a row that scrambles is made, renamed and deleted without a privilege on it
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', idgen_last('orders'));
SELECT idgen_create('mine', layout => 'scrambled');
SELECT idgen_unscramble('mine', idgen_next('mine'));
UPDATE id_sequences SET name = 'renamed', layout = layout, salt = salt WHERE name = 'mine';
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 1 AS further;
SELECT fingerprint FROM idgen_secrets;
-- but with the salt of another row, its own ids would tell what the other's are
INSERT INTO id_sequences (name, next_block_start, layout, salt) SELECT 'spy', 1, layout, salt FROM id_sequences WHERE name = 'orders';
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, salt) SELECT 'spy', 1, salt FROM id_sequences WHERE name = 'orders';
\echo :SQLSTATE
SELECT idgen_create('spy', layout => 'scrambled');
UPDATE id_sequences SET salt = (SELECT salt FROM id_sequences WHERE name = 'orders') WHERE name = 'spy';
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name IN ('renamed', 'spy');
RESET ROLE;

-- what the owner puts on the table runs with the owner's rights
CREATE TABLE audit (bytes integer, by_owner boolean);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO audit VALUES (length(new.fingerprint), current_user = (SELECT relowner::regrole::text FROM pg_class WHERE oid = 'idgen_secrets'::regclass));
	RETURN new;
END $$;
ALTER FUNCTION note() SET search_path = public;
CREATE TRIGGER note BEFORE INSERT ON idgen_secrets FOR EACH ROW EXECUTE FUNCTION note();
CREATE TABLE secrets AS TABLE idgen_secrets;
DELETE FROM idgen_secrets;
SET ROLE regress_idgen_writer;
SELECT idgen_create('mine', layout => 'scrambled');
DELETE FROM id_sequences WHERE name = 'mine';
RESET ROLE;
TABLE audit;
DROP TRIGGER note ON idgen_secrets;
INSERT INTO idgen_secrets TABLE secrets;

-- row security: the row must be one that the role may write
CREATE POLICY seen ON id_sequences FOR SELECT USING (name <> 'hidden');
CREATE POLICY written ON id_sequences FOR UPDATE USING (name = 'orders');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SELECT idgen_create('seen', layout => 'scrambled'), idgen_create('hidden', layout => 'scrambled');
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', 1) > 0 AS value;
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
SELECT idgen_unscramble('orders', 1) > 0 AS value;
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen_unscramble('seen', 1) > 0 AS value;
ROLLBACK;
RESET ROLE;

DROP EXTENSION idgen;
DROP TABLE audit, secrets, teams;
DROP FUNCTION note;
DROP ROLE regress_idgen_drawer, regress_idgen_writer;
