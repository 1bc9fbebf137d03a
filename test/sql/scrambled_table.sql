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
