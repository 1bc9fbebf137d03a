--
-- Scrambled ids
--

--
-- Each id sequence that scrambles its ids has a salt of its own, and its ids
-- stay those of that salt
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW salts AS SELECT name, length(salt) AS bytes, substr(salt, 1, 8) = (SELECT fingerprint FROM idgen_secrets LIMIT 1) AS of_secret
	FROM id_sequences WHERE salt IS NOT NULL ORDER BY name;
SELECT count(*) FROM idgen_secrets;

-- made with the row, by whatever means
SELECT idgen_create('a', layout => 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('b', 1, 'scrambled'), ('c', 1, 'scrambled'), ('plain', 1, 'plain');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'plain';
SELECT idgen_create('d', layout => 'scrambled');
TABLE salts;
SELECT count(DISTINCT salt) FROM id_sequences;
-- one secret will do
SELECT count(*), max(length(fingerprint)) AS bytes, max(length(secret)) AS secret FROM idgen_secrets;
-- in time for the same statement
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('f', 1, 'scrambled') RETURNING idgen_next(name) > 0 AS id;

-- the order goes along with the row, whatever its name
CREATE TEMPORARY TABLE before AS SELECT salt FROM id_sequences WHERE name = 'a';
SELECT idgen_unscramble('a', idgen_next('a'));
UPDATE id_sequences SET name = 'renamed' WHERE name = 'a';
SELECT count(*) FROM id_sequences JOIN before USING (salt);
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 1 AS further;
WITH gone AS (DELETE FROM id_sequences WHERE name = 'renamed' RETURNING *)
	INSERT INTO id_sequences SELECT * FROM gone;
SELECT count(*) FROM id_sequences JOIN before USING (salt);
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 21 AS further;
-- a new row of the same name has another one
DELETE FROM id_sequences WHERE name = 'renamed';
SELECT idgen_create('renamed', layout => 'scrambled');
SELECT count(*) FROM id_sequences JOIN before USING (salt);
-- a row that has been drawn from does not come without its salt
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('copied', 21, 1, 'scrambled');
\echo :SQLSTATE

-- what is not drawn from itself has none
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('tenants/*', 1, 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout, period) VALUES ('yearly', 1, 'scrambled', 'year');
SELECT name FROM salts WHERE name IN ('tenants/*', 'yearly');
DELETE FROM id_sequences WHERE name IN ('tenants/*', 'yearly');

-- as long as nothing was drawn, all can be changed
UPDATE id_sequences SET max_value = 5 WHERE name = 'c';
UPDATE id_sequences SET layout = 'plain' WHERE name = 'c';
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'c';
UPDATE id_sequences SET salt = NULL WHERE name = 'c' RETURNING length(salt);
SELECT array_agg(id ORDER BY id) FROM (SELECT idgen_next('c') FROM generate_series(1, 5)) ids(id);
-- then what would have ids issued twice cannot
UPDATE id_sequences SET max_value = 6 WHERE name = 'c';
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'plain' WHERE name = 'c';
\echo :SQLSTATE
UPDATE id_sequences SET period = 'year' WHERE name = 'c';
\echo :SQLSTATE
UPDATE id_sequences SET name = 'c/*' WHERE name = 'c';
\echo :SQLSTATE
UPDATE id_sequences SET salt = NULL WHERE name = 'c';
\echo :SQLSTATE
UPDATE id_sequences SET salt = (SELECT salt FROM id_sequences WHERE name = 'b') WHERE name = 'c';
\echo :SQLSTATE
SELECT idgen_create('drawn');
SELECT idgen_next('drawn');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'drawn';
\echo :SQLSTATE
SELECT idgen_create('adopted', 1001);
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'adopted';
\echo :SQLSTATE
-- not by a restart that makes it look new, either
SELECT idgen_next('d') > 0 AS id;
SELECT idgen_restart('d', 500);
SELECT next_block_start, start_value FROM id_sequences WHERE name = 'd';
UPDATE id_sequences SET max_value = 1000 WHERE name = 'd';
UPDATE id_sequences SET start_value = 500 WHERE name = 'd' RETURNING start_value;
CREATE SEQUENCE native_seq;
SELECT idgen_create('native', source => 'sequence', layout => 'scrambled');
UPDATE id_sequences SET max_value = 1000 WHERE name = 'native';
-- the rest can
UPDATE id_sequences SET block_size = 5, refill = 'auto', big_base = 7, next_block_start = 600 WHERE name = 'd';
SELECT idgen_unscramble('d', idgen_next('d'));

-- a salt that is chosen
UPDATE id_sequences SET salt = '\x00' WHERE name = 'b';
\echo :SQLSTATE
UPDATE id_sequences SET salt = (SELECT salt FROM id_sequences WHERE name = 'c'), max_value = 5 WHERE name = 'b';
SELECT count(*) FROM generate_series(1, 5) id WHERE idgen_unscramble('b', id) = idgen_unscramble('c', id);
-- one whose secret is not there gives no id
INSERT INTO id_sequences (name, next_block_start, start_value, layout, salt)
	VALUES ('elsewhere', 21, 1, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('elsewhere');
\echo :SQLSTATE
SELECT idgen_peek('elsewhere');
SELECT idgen_unscramble('elsewhere', 1);
SELECT next_block_start FROM id_sequences WHERE name = 'elsewhere';
BEGIN;
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);
SELECT idgen_unscramble('elsewhere', idgen_next('elsewhere'));
ROLLBACK;
\c -
\set SHOW_CONTEXT never
SELECT idgen_next('elsewhere');
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);
SELECT idgen_unscramble('elsewhere', idgen_next('elsewhere')) > 20 AS further;
SELECT idgen_create('of_any', layout => 'scrambled');
SELECT count(*) FROM id_sequences JOIN idgen_secrets ON substr(salt, 1, 8) = fingerprint WHERE name = 'of_any';

-- what is no secret
INSERT INTO idgen_secrets VALUES ('\x0001020304050607', decode(repeat('00', 80), 'hex'));
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT '\x00010203'::bytea) AS v(s);
INSERT INTO idgen_secrets VALUES ('\x0001020304050607', NULL);
-- of a value, and of a line that is copied, errors show a part: zeros
COPY idgen_secrets FROM stdin;
\\x76e89190844a7b93	\\x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
\.
COPY idgen_secrets FROM stdin;
\\x76e89190844a7b92	\\x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
\.

-- in replication, the other server has checked all: rows keep what they have
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('replicated', 1, 'scrambled');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'drawn';
UPDATE id_sequences SET max_value = 6, exhausted = 0 WHERE name = 'c';
COMMIT;
SELECT name FROM salts WHERE name IN ('replicated', 'drawn');
SELECT idgen_next('drawn');

-- other nodes of a centre need the same salt
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('central', source => 'server', layout => 'scrambled');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, layout, salt) VALUES ('central', 1, 'server', 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');

-- many at once
INSERT INTO id_sequences (name, next_block_start, layout) SELECT 'many' || i, 1, 'scrambled' FROM generate_series(1, 200) i;
SELECT count(*), count(DISTINCT salt) FROM id_sequences WHERE name LIKE 'many%';
-- what the owner has added to the table of secrets is seen to
BEGIN;
DELETE FROM idgen_secrets;
ALTER TABLE idgen_secrets ADD CHECK (length(secret) < 10);
\set VERBOSITY terse
SELECT idgen_create('one_more', layout => 'scrambled');
\set VERBOSITY default
ROLLBACK;
-- the secret stays when no row needs it
TRUNCATE id_sequences;
SELECT count(*) FROM idgen_secrets;

DROP VIEW salts;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen CASCADE;
\set SHOW_CONTEXT errors

\c -
--
-- Table idgen_secrets, as its owner may leave it: errors, and no id without a
-- key
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('a', layout => 'scrambled'), idgen_create('plain');
SELECT idgen_unscramble('a', idgen_next('a'));

-- a column of another type
BEGIN;
ALTER TABLE idgen_secrets DROP CONSTRAINT idgen_secrets_secret_check, DROP CONSTRAINT idgen_secrets_fingerprint_check;
ALTER TABLE idgen_secrets ALTER secret TYPE text USING encode(secret, 'hex');
SELECT idgen_create('b', layout => 'scrambled');
\echo :SQLSTATE
ROLLBACK;

-- bytes that are no secret, which the constraints would refuse
CREATE TABLE kept AS TABLE idgen_secrets;
ALTER TABLE idgen_secrets DROP CONSTRAINT idgen_secrets_secret_check, DROP CONSTRAINT idgen_secrets_fingerprint_check,
	ALTER secret DROP NOT NULL;
UPDATE idgen_secrets SET secret = '\x00';
\c -
SELECT idgen_next('a');
\echo :SQLSTATE
UPDATE idgen_secrets SET secret = NULL;
SELECT idgen_next('a');
\echo :SQLSTATE
SELECT idgen_next('plain');
-- its fingerprint is what its bytes say
UPDATE idgen_secrets SET secret = kept.secret, fingerprint = '\x' FROM kept;
SELECT idgen_unscramble('a', idgen_next('a')) > 1 AS further;

-- no table, and something else in its place
ALTER EXTENSION idgen DROP TABLE idgen_secrets;
ALTER TABLE idgen_secrets RENAME TO moved;
\c -
SELECT idgen_next('a');
\echo :SQLSTATE
SELECT idgen_create('b', layout => 'scrambled');
\echo :SQLSTATE
SELECT idgen_create('c'), idgen_next('c');
CREATE VIEW idgen_secrets AS TABLE moved;
SELECT idgen_next('a');
\echo :SQLSTATE
DROP VIEW idgen_secrets;
ALTER TABLE moved RENAME TO idgen_secrets;
SELECT idgen_unscramble('a', idgen_next('a')) > 1 AS further;
ALTER EXTENSION idgen ADD TABLE idgen_secrets;

DROP EXTENSION idgen;
DROP TABLE kept;
