-- docs/reference.md, "The table" and "Changing a row"

-- claim: name is a varchar(255), and the primary key.
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'id_sequences'::regclass AND attname = 'name';
-- gives: character varying(255)
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'id_sequences'::regclass AND contype = 'p';
-- gives: PRIMARY KEY (name)

-- claim: next_block_start has no default.
INSERT INTO id_sequences(name) VALUES ('x');
-- gives: ERROR 23502

-- claim: A name and a start are enough for a row.
INSERT INTO id_sequences(name, next_block_start) VALUES ('a', 1) RETURNING 'INSERTED', block_size, exhausted, max_value, source, source_name, refill, layout, big_base, start_value;
-- gives: INSERTED|20|0|9223372036854775807|table||transaction|plain|0|1

-- claim: What the other columns are if nothing is said.
SELECT block_size, exhausted, max_value, source, source_name, refill, layout, big_base, start_value FROM id_sequences;
-- gives: 20|0|9223372036854775807|table||transaction|plain|0|1

-- claim: Names match exactly: "a" and "A" are two.
INSERT INTO id_sequences(name, next_block_start) VALUES ('A', 101);
SELECT idgen_next('a');
-- gives: 1
SELECT idgen_next('A');
-- gives: 101

-- claim: block_size is greater than 0.
INSERT INTO id_sequences(name, next_block_start, block_size) VALUES ('z', 1, 0);
-- gives: ERROR 23514

-- claim: exhausted is 0 or 1.
INSERT INTO id_sequences(name, next_block_start, exhausted) VALUES ('z', 1, 2);
-- gives: ERROR 22023

-- claim: Any other source is refused.
INSERT INTO id_sequences(name, next_block_start, source) VALUES ('z', 1, 'nix');
-- gives: ERROR 22023

-- claim: Any other refill is refused.
INSERT INTO id_sequences(name, next_block_start, refill) VALUES ('z', 1, 'nix');
-- gives: ERROR 22023

-- claim: Any other layout is refused.
INSERT INTO id_sequences(name, next_block_start, layout) VALUES ('z', 1, 'nix');
-- gives: ERROR 22023

-- claim: big_base is a numeric(38,0).
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'id_sequences'::regclass AND attname = 'big_base';
-- gives: numeric(38,0)

-- claim: big_base is a number.
INSERT INTO id_sequences(name, next_block_start, big_base) VALUES ('z', 1, 'NaN');
-- gives: ERROR 23514

-- claim: start_value is next_block_start at the insert, if nothing is said.
INSERT INTO id_sequences(name, next_block_start) VALUES ('sv', 55);
SELECT start_value FROM id_sequences WHERE name = 'sv';
-- gives: 55

-- claim: A start_value that is given is kept.
INSERT INTO id_sequences(name, next_block_start, start_value) VALUES ('sv2', 55, 5);
SELECT start_value FROM id_sequences WHERE name = 'sv2';
-- gives: 5

-- claim: Ids may be negative.
INSERT INTO id_sequences(name, next_block_start) VALUES ('neg', -5);
SELECT idgen_next('neg');
-- gives: -5
SELECT idgen_next('neg');
-- gives: -4

-- claim: A change of block_size works from the next refill on.
INSERT INTO id_sequences(name, next_block_start) VALUES ('bs', 1);
SELECT max(idgen_next('bs')) FROM generate_series(1, 20);
-- gives: 20
UPDATE id_sequences SET block_size = 100 WHERE name = 'bs';
SELECT idgen_next('bs');
-- gives: 21
SELECT idgen_next('bs');
-- gives: 22
SELECT next_block_start FROM id_sequences WHERE name = 'bs';
-- gives: 121

-- claim: A next_block_start that grows leaves cached ids alone.
INSERT INTO id_sequences(name, next_block_start) VALUES ('g', 1);
SELECT idgen_next('g');
-- gives: 1
UPDATE id_sequences SET next_block_start = 1001 WHERE name = 'g';
SELECT idgen_next('g');
-- gives: 2

-- claim: A next_block_start that is lowered drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('l', 3);
SELECT idgen_next('l');
-- gives: 3
UPDATE id_sequences SET next_block_start = 10 WHERE name = 'l';
SELECT idgen_next('l');
-- gives: 10

-- claim: A lowered next_block_start drops cached ids at the commit, not before.
INSERT INTO id_sequences(name, next_block_start) VALUES ('l2', 101);
SELECT idgen_next('l2');
-- gives: 101
BEGIN;
UPDATE id_sequences SET next_block_start = 50 WHERE name = 'l2';
\other SELECT idgen_next('l2');
-- gives: 102
COMMIT;
SELECT idgen_next('l2');
-- gives: 50

-- claim: A lowered max_value drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('mv', 1);
SELECT idgen_next('mv');
-- gives: 1
UPDATE id_sequences SET max_value = 1000 WHERE name = 'mv';
SELECT count(*) FROM idgen_cache WHERE name = 'mv';
-- gives: 0

-- claim: A changed source drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('sc', 1);
CREATE SEQUENCE sc_seq;
SELECT idgen_next('sc');
-- gives: 1
UPDATE id_sequences SET source = 'sequence' WHERE name = 'sc';
SELECT count(*) FROM idgen_cache WHERE name = 'sc';
-- gives: 0

-- claim: Deleting the row drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('de', 1);
SELECT idgen_next('de');
-- gives: 1
DELETE FROM id_sequences WHERE name = 'de';
SELECT count(*) FROM idgen_cache WHERE name = 'de';
-- gives: 0

-- claim: Renaming the row drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('re', 1);
SELECT idgen_next('re');
-- gives: 1
UPDATE id_sequences SET name = 're2' WHERE name = 're';
SELECT idgen_next('re2');
-- gives: 21

-- claim: Another value in any other column drops them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('ae', 1);
SELECT idgen_next('ae');
-- gives: 1
UPDATE id_sequences SET big_base = 7 WHERE name = 'ae';
SELECT count(*) FROM idgen_cache WHERE name = 'ae';
-- gives: 0

-- claim: So a block_size of 1 is gapless from then on.
UPDATE id_sequences SET block_size = 1 WHERE name = 'ae';
SELECT idgen_next('ae') - next_block_start FROM id_sequences WHERE name = 'ae';
-- gives: 0

-- claim: The last block of another program leaves them.
INSERT INTO id_sequences(name, next_block_start) VALUES ('mr', 1);
SELECT idgen_next('mr');
-- gives: 1
UPDATE id_sequences SET next_block_start = next_block_start + 20, exhausted = 1 WHERE name = 'mr';
SELECT count(*) FROM idgen_cache WHERE name = 'mr';
-- gives: 1

-- claim: A column cannot be added: no dump could be restored.
ALTER TABLE id_sequences ADD note text;
-- gives: ERROR 0A000

-- claim: TRUNCATE drops those of all id sequences.
INSERT INTO id_sequences(name, next_block_start) VALUES ('tr', 1);
SELECT idgen_next('tr');
-- gives: 1
TRUNCATE id_sequences;
SELECT count(*) FROM idgen_cache;
-- gives: 0

-- claim: TRUNCATE in a savepoint that is rolled back drops them at the commit.
INSERT INTO id_sequences(name, next_block_start) VALUES ('ts', 1);
SELECT idgen_next('ts');
-- gives: 1
BEGIN;
SAVEPOINT s;
TRUNCATE id_sequences;
ROLLBACK TO s;
COMMIT;
SELECT count(*) FROM idgen_cache;
-- gives: 0
SELECT idgen_next('ts');
-- gives: 21

-- claim: TRUNCATE in a transaction that is rolled back keeps them.
DELETE FROM id_sequences;
INSERT INTO id_sequences(name, next_block_start) VALUES ('tt', 1);
SELECT idgen_next('tt');
-- gives: 1
BEGIN;
TRUNCATE id_sequences;
ROLLBACK;
SELECT count(*) FROM idgen_cache;
-- gives: 1
SELECT idgen_next('tt');
-- gives: 2

-- claim: In the changing transaction the change works at once.
INSERT INTO id_sequences (name, next_block_start) VALUES ('ct', 1);
SELECT idgen_next('ct');
-- gives: 1
BEGIN;
UPDATE id_sequences SET next_block_start = 500 WHERE name = 'ct';
UPDATE id_sequences SET next_block_start = 400 WHERE name = 'ct';
SELECT idgen_next('ct');
-- gives: 400
ROLLBACK;
SELECT idgen_next('ct');
-- gives: 2

-- claim: Dropping the extension drops them.
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
INSERT INTO id_sequences(name, next_block_start) VALUES ('ct', 1);
SELECT idgen_next('ct');
-- gives: 1
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
INSERT INTO id_sequences(name, next_block_start) VALUES ('ct', 1);
SELECT idgen_next('ct');
-- gives: 1

-- claim: The extension can be created in any schema, without being in the search_path.
DROP EXTENSION idgen;
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
SELECT ids.idgen_create('q');
SELECT ids.idgen_next('q');
-- gives: 1
DROP EXTENSION idgen;
CREATE EXTENSION idgen;

-- claim: The empty name is refused.
INSERT INTO id_sequences VALUES ('', 1);
-- gives: ERROR 23514

-- claim: INSERT accepts a start beyond max_value.
INSERT INTO id_sequences(name, next_block_start, max_value) VALUES ('sb', 10, 5) RETURNING 'accepted';
-- gives: accepted

-- claim: MERGE counts as a change LIKE any other.
SELECT idgen_create('o');
SELECT idgen_next('o');
-- gives: 1
MERGE INTO id_sequences s USING (VALUES ('o')) v(n) ON s.name = v.n WHEN MATCHED THEN UPDATE SET next_block_start = 1;
SELECT count(*) FROM idgen_cache WHERE name = 'o';
-- gives: 0

-- claim: So does ON CONFLICT DO UPDATE.
SELECT idgen_next('o');
-- gives: 1
INSERT INTO id_sequences VALUES ('o', 1) ON CONFLICT(name) DO UPDATE SET next_block_start = 1;
SELECT count(*) FROM idgen_cache WHERE name = 'o';
-- gives: 0

-- claim: A layout that does not exist is refused in UPDATE.
UPDATE id_sequences SET layout = 'x' WHERE name = 'o';
-- gives: ERROR 22023

-- claim: refill must not be null.
UPDATE id_sequences SET refill = NULL WHERE name = 'o';
-- gives: ERROR 23502

-- claim: exhausted is 1 once the last block is allocated, though ids of it are cached.
SELECT idgen_create('x1', max_value => 20);
SELECT idgen_next('x1');
-- gives: 1
SELECT exhausted FROM id_sequences WHERE name = 'x1';
-- gives: 1
SELECT ids_cached FROM idgen_stats WHERE name = 'x1';
-- gives: 19

-- claim: Then raising max_value alone does not help.
UPDATE id_sequences SET max_value = 1000 WHERE name = 'x1';
SELECT idgen_next('x1');
-- gives: ERROR 2200H: id sequence "x1" is exhausted

-- claim: start_value may be null.
UPDATE id_sequences SET start_value = NULL WHERE name = 'o';
SELECT start_value FROM id_sequences WHERE name = 'o';
-- gives: 1
SELECT percent_left FROM idgen_stats WHERE name = 'o';
-- gives: 100.00

-- claim: max_value lowered below what is cached.
SELECT idgen_create('ml');
SELECT idgen_next('ml');
-- gives: 1
UPDATE id_sequences SET max_value = 5 WHERE name = 'ml';
SELECT idgen_next('ml');
-- gives: ERROR 2200H: id sequence "ml" is exhausted

-- claim: name has the collation C.
SELECT attcollation::regcollation FROM pg_attribute WHERE attrelid = 'id_sequences'::regclass AND attname = 'name';
-- gives: "C"

-- claim: Updates stay on their page; autovacuum comes by number of updates.
SELECT unnest(reloptions) FROM pg_class WHERE oid = 'id_sequences'::regclass;
-- gives: fillfactor=25
-- gives: autovacuum_vacuum_scale_factor=0
-- gives: autovacuum_vacuum_threshold=500
-- gives: autovacuum_analyze_scale_factor=0
-- gives: autovacuum_analyze_threshold=100000
