--
-- Each id sequence that scrambles its ids has a key, as long as it does
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW keys AS SELECT name, octet_length(key) AS bytes FROM idgen_keys ORDER BY name;

-- made with the row, by whatever means
SELECT idgen_create('a', layout => 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('b', 1, 'scrambled'), ('c', 1, 'scrambled'), ('plain', 1, 'plain');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'plain';
TABLE keys;
SELECT count(DISTINCT key) FROM idgen_keys;
-- not with a row that is not made
BEGIN;
SELECT idgen_create('d', layout => 'scrambled');
SAVEPOINT a;
SELECT idgen_create('e', layout => 'scrambled');
ROLLBACK TO a;
COMMIT;
SELECT idgen_create('a', layout => 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('a', 1, 'scrambled') ON CONFLICT DO NOTHING;
TABLE keys;
-- in time for the same statement
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('f', 1, 'scrambled') RETURNING idgen_next(name) > 0 AS id;

-- renamed and deleted with it
CREATE TEMPORARY TABLE before AS SELECT key FROM idgen_keys WHERE name = 'a';
SELECT idgen_unscramble('a', idgen_next('a'));
UPDATE id_sequences SET name = 'renamed' WHERE name = 'a';
SELECT count(*) FROM idgen_keys JOIN before USING (key) WHERE name = 'renamed';
SELECT idgen_unscramble('renamed', idgen_next('renamed'));
BEGIN;
DELETE FROM id_sequences WHERE name IN ('b', 'renamed');
TABLE keys;
ROLLBACK;
DELETE FROM id_sequences WHERE name IN ('b', 'renamed');
TABLE keys;
-- a row of the same name has another key
SELECT idgen_create('renamed', layout => 'scrambled');
SELECT count(*) FROM idgen_keys JOIN before USING (key);

-- but one command that deletes the row and makes it anew leaves the key
SELECT idgen_unscramble('renamed', idgen_next('renamed'));
CREATE TEMPORARY TABLE anew AS SELECT key FROM idgen_keys WHERE name = 'renamed';
WITH gone AS (DELETE FROM id_sequences WHERE name = 'renamed' RETURNING *)
	INSERT INTO id_sequences SELECT * FROM gone;
SELECT idgen_unscramble('renamed', idgen_next('renamed'));
WITH gone AS (DELETE FROM id_sequences WHERE name = 'renamed' RETURNING *)
	INSERT INTO id_sequences (name, next_block_start, layout) SELECT name, 7, layout FROM gone;
SELECT idgen_unscramble('renamed', idgen_next('renamed'));
SELECT count(*) FROM idgen_keys JOIN anew USING (key);
-- not if it needs none any more
WITH gone AS (DELETE FROM id_sequences WHERE name = 'renamed' RETURNING *)
	INSERT INTO id_sequences (name, next_block_start) SELECT name, 1 FROM gone;
SELECT count(*) FROM idgen_keys JOIN anew USING (key);

-- what is not drawn from itself has none
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('tenants/*', 1, 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout, period) VALUES ('yearly', 1, 'scrambled', 'year');
SELECT name FROM keys WHERE name IN ('tenants/*', 'yearly');
DELETE FROM id_sequences WHERE name IN ('tenants/*', 'yearly');

-- as long as nothing was drawn, all can be changed
UPDATE id_sequences SET max_value = 5 WHERE name = 'c';
UPDATE id_sequences SET layout = 'plain' WHERE name = 'c';
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'c';
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

-- nobody takes a key away that a row needs
DELETE FROM idgen_keys WHERE name = 'c';
\echo :SQLSTATE
UPDATE idgen_keys SET key = '\x000102030405060708090a0b0c0d0e0f' WHERE name = 'c';
UPDATE idgen_keys SET name = 'x' WHERE name = 'c';
TRUNCATE idgen_keys;
\echo :SQLSTATE
INSERT INTO idgen_keys VALUES ('c', '\x000102030405060708090a0b0c0d0e0f');
\echo :SQLSTATE
-- but one that no row needs
INSERT INTO idgen_keys VALUES ('nobody', '\x000102030405060708090a0b0c0d0e0f');
UPDATE idgen_keys SET key = '\x100102030405060708090a0b0c0d0e0f' WHERE name = 'nobody';
-- all are stored alike, behind zeros
SELECT * FROM idgen_keys WHERE name = 'nobody';
UPDATE idgen_keys SET name = 'nobody else', key = key WHERE name = 'nobody';
INSERT INTO idgen_keys SELECT 'nobody', key FROM idgen_keys WHERE name = 'nobody else';
SELECT * FROM idgen_keys WHERE name LIKE 'nobody%' ORDER BY name;
UPDATE idgen_keys SET key = '\x0001' WHERE name = 'nobody';
\echo :SQLSTATE
UPDATE idgen_keys SET key = NULL WHERE name = 'nobody';
DELETE FROM idgen_keys WHERE name LIKE 'nobody%';
INSERT INTO idgen_keys VALUES ('nobody', '\x0001');
\echo :SQLSTATE
INSERT INTO idgen_keys VALUES ('nobody', decode(repeat('01', 64), 'hex'));
\echo :SQLSTATE
INSERT INTO idgen_keys VALUES (NULL, decode(repeat('00', 48) || repeat('01', 16), 'hex'));
-- of a value, and of a line that is copied, errors show a part: zeros
COPY idgen_keys FROM stdin;
c	\\x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
\.
SET session_replication_role = replica;
COPY idgen_keys FROM stdin;
c	\\x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
\.
BEGIN;
ALTER TABLE idgen_keys DISABLE TRIGGER ALL;
COPY idgen_keys FROM stdin;
c	\\x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
\.
ROLLBACK;
-- in replication, what changes or goes was checked on the other server
BEGIN;
UPDATE idgen_keys SET key = '\x000102030405060708090a0b0c0d0e0f' WHERE name = 'c';
DELETE FROM idgen_keys WHERE name = 'c';
ROLLBACK;
RESET session_replication_role;

-- a row from elsewhere comes with its start_value: its key must come, too
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('copied', 21, 1, 'scrambled');
SELECT name FROM keys WHERE name = 'copied';
SELECT idgen_next('copied');
\echo :SQLSTATE
SELECT idgen_peek('copied');
SELECT idgen_unscramble('copied', 1);
SELECT next_block_start FROM id_sequences WHERE name = 'copied';
INSERT INTO idgen_keys VALUES ('copied', '\x000102030405060708090a0b0c0d0e0f');
SELECT idgen_unscramble('copied', idgen_next('copied')) FROM generate_series(1, 2);
-- or be there before
INSERT INTO idgen_keys VALUES ('copied2', '\x000102030405060708090a0b0c0d0e0f');
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('copied2', 2, 1, 'scrambled');
SELECT idgen_next('copied2');
-- a key that is rolled back is no key
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('undone', 21, 1, 'scrambled');
BEGIN;
INSERT INTO idgen_keys VALUES ('undone', '\x000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('undone');
ROLLBACK;
SELECT idgen_next('undone');
BEGIN;
SAVEPOINT a;
INSERT INTO idgen_keys VALUES ('undone', '\x000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('undone');
ROLLBACK TO a;
INSERT INTO idgen_keys VALUES ('undone', '\x100102030405060708090a0b0c0d0e0f');
SELECT idgen_next('undone');
COMMIT;
-- the same in replication, where the other server has checked all
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('replicated', 1, 'scrambled');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'drawn';
UPDATE id_sequences SET max_value = 6, exhausted = 0 WHERE name = 'c';
COMMIT;
SELECT name FROM keys WHERE name IN ('replicated', 'drawn');
SELECT idgen_next('drawn');

-- other nodes of a centre need the same key
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('central', source => 'server', layout => 'scrambled');
\echo :SQLSTATE
INSERT INTO idgen_keys VALUES ('central', '\x000102030405060708090a0b0c0d0e0f');
SELECT idgen_create('central', source => 'server', layout => 'scrambled');

-- many at once, and all
INSERT INTO id_sequences (name, next_block_start, layout) SELECT 'many' || i, 1, 'scrambled' FROM generate_series(1, 200) i;
SELECT count(*), count(DISTINCT key) FROM idgen_keys WHERE name LIKE 'many%';
UPDATE id_sequences SET name = 'lots' || name WHERE name LIKE 'many%';
SELECT count(*) FROM idgen_keys WHERE name LIKE 'lotsmany%';
-- what the owner has added stays, and errors do not show the key
ALTER TABLE idgen_keys ADD note text, ADD CHECK (name NOT LIKE 'bad%');
UPDATE id_sequences SET name = 'lotsmany0' WHERE name = 'lotsmany200';
BEGIN;
ALTER TABLE idgen_keys ADD since date NOT NULL DEFAULT '2026-11-23';
UPDATE id_sequences SET name = 'lotsmany00' WHERE name = 'lotsmany0';
SELECT name, since FROM idgen_keys WHERE name LIKE 'lotsmany0%';
SELECT idgen_create('one_more', layout => 'scrambled');
ROLLBACK;
UPDATE id_sequences SET name = 'bad' WHERE name = 'lotsmany0';
TRUNCATE id_sequences;
TABLE keys;
SELECT idgen_create('again', layout => 'scrambled');
TRUNCATE id_sequences, idgen_keys;
TABLE keys;

DROP VIEW keys;
DROP SEQUENCE native_seq;
DROP EXTENSION idgen CASCADE;
