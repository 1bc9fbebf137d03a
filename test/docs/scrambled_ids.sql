-- docs/id-formats.md, "Scrambled ids"

INSERT INTO idgen_keys VALUES ('orders', '\x000102030405060708090a0b0c0d0e0f'), ('node', '\x000102030405060708090a0b0c0d0e0f');

-- claim: The numbers from 1 to max_value, each once.
SELECT idgen_create('dice', max_value => 6, layout => 'scrambled');
SELECT string_agg(id::text, '' ORDER BY id) FROM (SELECT idgen_next('dice') FROM generate_series(1, 6)) ids(id);
-- gives: 123456

-- claim: After max_value ids all numbers have been issued.
SELECT idgen_next('dice');
-- gives: ERROR 2200H

-- claim: The order does not depend on the machine or the version.
SELECT idgen_create('orders', layout => 'scrambled');
SELECT idgen_next('orders');
-- gives: 6418030975202663736

-- claim: idgen_unscramble gives the sequence value.
SELECT idgen_unscramble('orders', idgen_next('orders'));
-- gives: 2

-- claim: The key is made when a row is inserted with the layout, of 16 bytes, behind 48 of zero.
SELECT octet_length(key), substr(key, 1, 48) = decode(repeat('00', 48), 'hex') FROM idgen_keys WHERE name = 'dice';
-- gives: 64|t

-- claim: The owner may choose one: its 16 bytes.
INSERT INTO idgen_keys VALUES ('chosen', '\x101112131415161718191a1b1c1d1e1f');
SELECT substr(key, 49) FROM idgen_keys WHERE name = 'chosen';
DELETE FROM idgen_keys WHERE name = 'chosen';
-- gives: \x101112131415161718191a1b1c1d1e1f

-- claim: Or gets it.
SELECT idgen_create('later');
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'later';
SELECT count(*) FROM idgen_keys WHERE name = 'later';
-- gives: 1

-- claim: It is renamed with the row.
UPDATE id_sequences SET name = 'renamed' WHERE name = 'later';
SELECT name FROM idgen_keys WHERE name IN ('later', 'renamed');
-- gives: renamed

-- claim: And deleted.
DELETE FROM id_sequences WHERE name = 'renamed';
SELECT count(*) FROM idgen_keys WHERE name = 'renamed';
-- gives: 0

-- claim: Nobody but the owner and superusers can read it.
CREATE ROLE claims_reader;
SET ROLE claims_reader;
SELECT count(*) FROM idgen_keys;
-- gives: ERROR 42501

-- claim: Drawing needs no privilege on it.
SELECT idgen_next('orders') > 0;
RESET ROLE;
-- gives: t

-- claim: And pg_read_all_data can.
GRANT pg_read_all_data TO claims_reader;
SET ROLE claims_reader;
SELECT count(*) > 0 FROM idgen_keys;
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

-- claim: Nothing sees a key that is exchanged while triggers are switched off, or in replication.
SELECT idgen_create('exchanged', layout => 'scrambled');
SET session_replication_role = replica;
UPDATE idgen_keys SET key = '\x101112131415161718191a1b1c1d1e1f' WHERE name = 'exchanged';
RESET session_replication_role;
ALTER TABLE idgen_keys DISABLE TRIGGER idgen_check_key;
DELETE FROM idgen_keys WHERE name = 'exchanged';
ALTER TABLE idgen_keys ENABLE ALWAYS TRIGGER idgen_check_key;
SELECT count(*) FROM idgen_keys WHERE name = 'exchanged';
-- gives: 0

-- claim: As long as a row needs its key, it can neither be changed nor deleted.
UPDATE idgen_keys SET key = '\x00000000000000000000000000000000' WHERE name = 'dice';
DELETE FROM idgen_keys WHERE name = 'dice';
-- gives: ERROR 55000
-- gives: ERROR 55000

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
SELECT idgen_parts(1, 'scrambled');
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

-- claim: With source server, idgen_create refuses to make a key.
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('other_node', source => 'server', layout => 'scrambled');
-- gives: ERROR 55000

-- claim: Unless it was inserted into idgen_keys before.
SELECT idgen_create('node', source => 'server', layout => 'scrambled');

-- claim: A row that is inserted with a start_value gets no key, and cannot be drawn from.
INSERT INTO id_sequences (name, next_block_start, start_value, layout) VALUES ('restored', 1, 1, 'scrambled');
SELECT idgen_next('restored');
-- gives: ERROR 55000: id sequence "restored" has no key
