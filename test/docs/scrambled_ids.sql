-- docs/id-formats.md, "Scrambled ids"

INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);

-- claim: The numbers from 1 to max_value, each once.
SELECT idgen_create('dice', max_value => 6, layout => 'scrambled');
SELECT string_agg(id::text, '' ORDER BY id) FROM (SELECT idgen_next('dice') FROM generate_series(1, 6)) ids(id);
-- gives: 123456

-- claim: After max_value ids all numbers have been issued.
SELECT idgen_next('dice');
-- gives: ERROR 2200H

-- claim: The order does not depend on the machine or the version.
INSERT INTO id_sequences (name, next_block_start, layout, salt) VALUES ('orders', 1, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('orders');
-- gives: 3135790651472821532

-- claim: idgen_unscramble gives the sequence value.
SELECT idgen_unscramble('orders', idgen_next('orders'));
-- gives: 2

-- claim: A row gets its salt when it is inserted with the layout.
SELECT length(salt) FROM id_sequences WHERE name = 'dice';
-- gives: 24

-- claim: Or when it gets it.
SELECT idgen_create('later');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'later' RETURNING length(salt);
-- gives: 24

-- claim: The salt begins with the fingerprint of the secret.
SELECT count(*) FROM id_sequences JOIN idgen_secrets ON fingerprint = substr(salt, 1, 8);
-- gives: 3

-- claim: There is one secret as a rule, of 32 bytes behind 48 of zero.
SELECT length(secret), substr(secret, 1, 48) = decode(repeat('00', 48), 'hex') FROM idgen_secrets;
-- gives: 80|t

-- claim: Nobody but the owner and superusers can read it.
CREATE ROLE claims_reader;
SET ROLE claims_reader;
SELECT count(*) FROM idgen_secrets;
-- gives: ERROR 42501

-- claim: Drawing needs no privilege on it.
SELECT idgen_next('orders') > 0;
RESET ROLE;
-- gives: t

-- claim: And pg_read_all_data can.
GRANT pg_read_all_data TO claims_reader;
SET ROLE claims_reader;
SELECT count(*) > 0 FROM idgen_secrets;
RESET ROLE;
-- gives: t

-- claim: Once a block was allocated, changing max_value is refused.
UPDATE id_sequences SET max_value = 100 WHERE name = 'orders';
-- gives: ERROR 55000

-- claim: So is changing the layout.
UPDATE id_sequences SET layout = 'plain' WHERE name = 'orders';
-- gives: ERROR 55000

-- claim: From another layout to this one as well.
SELECT idgen_create('plain');
SELECT idgen_next('plain');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'plain';
-- gives: 1
-- gives: ERROR 55000

-- claim: One that is set back to its start counts as new from then on.
SELECT idgen_create('back', max_value => 10, layout => 'scrambled');
SELECT idgen_unscramble('back', idgen_next('back'));
UPDATE id_sequences SET max_value = 20 WHERE name = 'back';
SELECT idgen_restart('back', 1);
UPDATE id_sequences SET max_value = 20 WHERE name = 'back';
SELECT idgen_unscramble('back', idgen_next('back'));
-- gives: 1
-- gives: ERROR 55000
-- gives: 1

-- claim: So does one with another source.
CREATE SEQUENCE elsewhere_seq;
SELECT idgen_create('elsewhere', source => 'sequence', max_value => 10, layout => 'scrambled');
SELECT idgen_unscramble('elsewhere', idgen_next('elsewhere'));
UPDATE id_sequences SET source = 'table', max_value = 20 WHERE name = 'elsewhere';
UPDATE id_sequences SET source = 'table' WHERE name = 'elsewhere';
UPDATE id_sequences SET max_value = 20 WHERE name = 'elsewhere';
-- gives: 1
-- gives: ERROR 55000

-- claim: So is changing the salt.
UPDATE id_sequences SET salt = NULL WHERE name = 'orders';
-- gives: ERROR 55000

-- claim: Only roles that may read idgen_secrets give a row a salt.
GRANT INSERT ON id_sequences TO claims_reader;
REVOKE pg_read_all_data FROM claims_reader;
SET ROLE claims_reader;
INSERT INTO id_sequences (name, next_block_start, layout, salt) SELECT 'spy', 1, layout, salt FROM id_sequences WHERE name = 'orders';
RESET ROLE;
-- gives: ERROR 42501

-- claim: A row that has been drawn from needs the salt that it had.
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('copied', 21, 1, 'scrambled');
-- gives: ERROR 55000

-- claim: Without its secret, a row cannot be drawn from.
INSERT INTO id_sequences (name, next_block_start, layout, salt) VALUES ('restored', 1, 'scrambled', decode(repeat('07', 24), 'hex'));
SELECT idgen_next('restored');
-- gives: ERROR 55000: id sequence "restored" has no key

-- claim: idgen_unscramble is for roles that may write the row.
SET ROLE claims_reader;
SELECT idgen_unscramble('orders', 1);
RESET ROLE;
-- gives: ERROR 42501

-- claim: idgen_restart takes a sequence value.
SELECT idgen_restart('orders', 500);
SELECT idgen_unscramble('orders', idgen_next('orders'));
-- gives: 500

-- claim: And leaves start_value where it was.
SELECT start_value FROM id_sequences WHERE name = 'orders';
-- gives: 1

-- claim: Ranges are refused.
SELECT * FROM idgen_next_range('orders', 2);
-- gives: ERROR 0A000

-- claim: So is idgen_parts.
SELECT idgen_parts(1::bigint, 'scrambled');
-- gives: ERROR 0A000

-- claim: So are idgen_sync and idgen_release.
CREATE TABLE orders (id bigint DEFAULT idgen_next('orders'));
SELECT idgen_sync('orders', 'id');
SELECT idgen_release('orders', 'id');
-- gives: ERROR 0A000
-- gives: ERROR 0A000

-- claim: idgen_next_big adds big_base to the scrambled id.
UPDATE id_sequences SET big_base = 10 WHERE name = 'orders';
SELECT idgen_next_big('orders') - idgen_last('orders');
-- gives: 10

-- claim: A next_block_start below 1 is refused.
SELECT idgen_create('low', 0, layout => 'scrambled');
-- gives: ERROR 22023

-- claim: Sequence values below 1 do not fit.
CREATE SEQUENCE low_seq MINVALUE 0 START 0;
SELECT idgen_create('low', source => 'sequence', layout => 'scrambled');
SELECT idgen_next('low');
-- gives: ERROR 22003

-- claim: Nor do those beyond max_value.
CREATE SEQUENCE high_seq START 7;
SELECT idgen_create('high', source => 'sequence', max_value => 6, layout => 'scrambled');
SELECT idgen_next('high');
-- gives: ERROR 2200H

-- claim: With source server, idgen_create refuses to make a salt.
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('node', source => 'server', layout => 'scrambled');
-- gives: ERROR 55000

-- claim: The row is inserted with the salt of the others.
INSERT INTO id_sequences (name, next_block_start, source, layout, salt) VALUES ('node', 1, 'server', 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f') RETURNING name;
-- gives: node
