--
-- Table idgen_keys, as its owner may leave it: errors, and no id without a key
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('a', layout => 'scrambled'), idgen_create('plain');
SELECT idgen_unscramble('a', idgen_next('a'));

-- columns of other types, or names in another order
BEGIN;
ALTER TABLE idgen_keys ALTER key TYPE text USING encode(key, 'hex');
SELECT idgen_create('b', layout => 'scrambled');
\echo :SQLSTATE
ROLLBACK;
BEGIN;
ALTER TABLE idgen_keys ALTER name TYPE varchar(255) COLLATE "POSIX";
UPDATE idgen_keys SET name = 'b';
\echo :SQLSTATE
ROLLBACK;

-- bytes that are no key, which the trigger would refuse
ALTER TABLE idgen_keys ALTER key DROP NOT NULL;
BEGIN;
ALTER TABLE idgen_keys DISABLE TRIGGER USER;
UPDATE idgen_keys SET key = '\x000102030405060708090a0b0c0d0e0f';
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('long', 1, 1, 'scrambled'), ('null', 1, 1, 'scrambled');
INSERT INTO idgen_keys VALUES ('long', decode(repeat('01', 64), 'hex')), ('null', NULL);
COMMIT;
\c -
SELECT idgen_next('a');
\echo :SQLSTATE
SELECT idgen_next('long');
\echo :SQLSTATE
SELECT idgen_next('null');
\echo :SQLSTATE
SELECT idgen_next('plain');
-- a name brings it in order
ALTER TABLE idgen_keys ENABLE TRIGGER USER;
UPDATE id_sequences SET name = 'renamed' WHERE name = 'a';
SELECT name, substr(key, 49) FROM idgen_keys WHERE name = 'renamed';
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 1 AS further;
-- nulls are a matter of the columns
INSERT INTO idgen_keys VALUES ('nobody', NULL);
INSERT INTO idgen_keys VALUES (NULL, NULL);
DELETE FROM id_sequences WHERE name IN ('long', 'null');
DELETE FROM idgen_keys WHERE name = 'nobody';
SELECT name FROM idgen_keys;

-- no table, and something else in its place
ALTER EXTENSION idgen DROP TABLE idgen_keys;
ALTER TABLE idgen_keys RENAME TO kept;
\c -
SELECT idgen_next('renamed');
\echo :SQLSTATE
SELECT idgen_create('b', layout => 'scrambled');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'renamed';
\echo :SQLSTATE
SELECT idgen_create('c'), idgen_next('c');
CREATE VIEW idgen_keys AS TABLE kept;
SELECT idgen_next('renamed');
\echo :SQLSTATE
DROP VIEW idgen_keys;
ALTER TABLE kept RENAME TO idgen_keys;
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 1 AS further;
ALTER EXTENSION idgen ADD TABLE idgen_keys;

DROP EXTENSION idgen;
