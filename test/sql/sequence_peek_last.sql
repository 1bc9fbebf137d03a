--
-- idgen_peek and idgen_last of id sequences with source "sequence"
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('down', 1, 1, 'sequence');
CREATE SEQUENCE gen_seq START 5 INCREMENT 3 MAXVALUE 10;

-- nothing is taken by looking
SELECT idgen_last('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen'), idgen_peek('gen');
SELECT last_value, is_called FROM gen_seq;
SELECT idgen_next('gen', 'sequence');
SELECT idgen_last('gen'), idgen_peek('gen');
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 2);

-- all cached ids are used up: the next value of the sequence
SELECT idgen_last('gen'), idgen_peek('gen');
SELECT last_value FROM gen_seq;
SELECT idgen_next('gen', 'sequence') FROM generate_series(1, 3);
SELECT idgen_last('gen');
SELECT idgen_peek('gen');
\echo :SQLSTATE

-- a failed draw does not change what was drawn last
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_last('gen');

-- after the end comes the beginning
ALTER SEQUENCE gen_seq MINVALUE 2 CYCLE;
SELECT idgen_peek('gen');
SELECT idgen_next('gen', 'sequence'), idgen_peek('gen');

-- downwards
CREATE SEQUENCE down_seq INCREMENT -3 MINVALUE -7;
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_peek('down'), idgen_next('down', 'sequence');
SELECT idgen_next('down', 'sequence') FROM generate_series(5, 7);
SELECT idgen_peek('down');
\echo :SQLSTATE

-- a value drawn by nextval() is seen, one set by setval() too
SELECT nextval('gen_seq');
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence');
SELECT idgen_peek('gen');
SELECT setval('gen_seq', 4, false);
SELECT idgen_peek('gen');
SELECT setval('gen_seq', 4);
SELECT idgen_peek('gen');

-- what was drawn in a transaction that is rolled back was drawn
BEGIN;
SELECT idgen_next('gen', 'sequence');
ROLLBACK;
SELECT idgen_last('gen'), idgen_peek('gen');

-- both work in a read-only transaction
BEGIN READ ONLY;
SELECT idgen_last('gen'), idgen_peek('gen');
ROLLBACK;

DROP SEQUENCE gen_seq, down_seq;
DROP EXTENSION idgen;
