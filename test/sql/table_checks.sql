--
-- id_sequences itself refuses rows that make no id sequence
--
CREATE EXTENSION idgen;

-- what every column is when it is left out
INSERT INTO id_sequences (name, next_block_start) VALUES ('x', 1);
\x on
SELECT * FROM id_sequences;
\x off

-- the row shown with an error says what was inserted; leave it out
\set VERBOSITY terse

-- 23514
INSERT INTO id_sequences (name, next_block_start) VALUES ('', 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('y', 1, 0);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('y', 1, -1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, exhausted) VALUES ('y', 1, 2);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, big_base) VALUES ('y', 1, 'NaN');
\echo :SQLSTATE
UPDATE id_sequences SET name = '';
\echo :SQLSTATE
UPDATE id_sequences SET block_size = 0;
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = -1;
\echo :SQLSTATE
UPDATE id_sequences SET big_base = 'NaN';
\echo :SQLSTATE

-- 23502
INSERT INTO id_sequences (name) VALUES ('y');
\echo :SQLSTATE
INSERT INTO id_sequences (next_block_start) VALUES (1);
\echo :SQLSTATE
UPDATE id_sequences SET next_block_start = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET block_size = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET exhausted = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET max_value = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET source = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET refill = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET layout = NULL;
\echo :SQLSTATE
UPDATE id_sequences SET big_base = NULL;
\echo :SQLSTATE

-- 23505: names are compared byte by byte
INSERT INTO id_sequences (name, next_block_start) VALUES ('x', 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('X', 1);

-- 22001, 22003
INSERT INTO id_sequences (name, next_block_start) VALUES (repeat('y', 256), 1);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 9223372036854775808);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, big_base) VALUES ('y', 1, 1e38);
\echo :SQLSTATE

\set VERBOSITY default

-- 22023, 0A000
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('y', 1, 'x');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('y', 1, 'server', '');
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'x';
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'worker', source = 'function', source_name = 'public.f';
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'x';
\echo :SQLSTATE

-- COPY is no way around
COPY id_sequences (name, next_block_start, layout) FROM stdin;
y	1	sessions
\.
\echo :SQLSTATE

-- nothing has changed, and a null start_value is filled in
UPDATE id_sequences SET next_block_start = 5, start_value = NULL WHERE name = 'x';
SELECT name, next_block_start, start_value FROM id_sequences ORDER BY name;
SELECT idgen_next('x'), idgen_next('X');

DROP EXTENSION idgen;
