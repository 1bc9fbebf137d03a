--
-- Columns period and time_zone: what may be written
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

SELECT idgen_create('year', period => 'year'),
	idgen_create('month', period => 'month', time_zone => 'Europe/Berlin', block_size => 1),
	idgen_create('day', period => 'day', time_zone => 'utc', refill => 'worker', layout => 'session', big_base => 10);
SELECT idgen_create('no period', time_zone => 'Asia/Tokyo');
SELECT name, period, time_zone FROM id_sequences ORDER BY name;

-- words that are unknown
SELECT idgen_create('week', period => 'week');
\echo :SQLSTATE
SELECT idgen_create('week', period => 'YEAR');
SELECT idgen_create('week', period => '');
SELECT idgen_create('week', period => 'year', time_zone => 'Europe/Atlantis');
\echo :SQLSTATE
SELECT idgen_create('week', time_zone => '');
UPDATE id_sequences SET period = 'century' WHERE name = 'year';
\echo :SQLSTATE
UPDATE id_sequences SET time_zone = 'right/UTC' WHERE name = 'no period';
\echo :SQLSTATE

-- a native sequence counts on over all years
CREATE SEQUENCE numbers;
SELECT idgen_create('native', period => 'year', source => 'sequence', source_name => 'numbers');
\echo :SQLSTATE
SELECT idgen_create('native', source => 'sequence', source_name => 'numbers');
UPDATE id_sequences SET period = 'day' WHERE name = 'native';
UPDATE id_sequences SET source = 'sequence' WHERE name = 'year';
\echo :SQLSTATE

-- the names of the children must have room
SELECT idgen_create(repeat('x', 250), period => 'year');
SELECT idgen_create(repeat('y', 251), period => 'year');
\echo :SQLSTATE
UPDATE id_sequences SET period = 'month' WHERE name LIKE 'xx%';

-- a row that was written without its trigger
SET session_replication_role = replica;
ALTER TABLE id_sequences DISABLE TRIGGER USER;
INSERT INTO id_sequences (name, next_block_start, period) VALUES ('bad period', 1, 'decade');
INSERT INTO id_sequences (name, next_block_start, time_zone) VALUES ('bad zone', 1, 'Mars/Phobos');
INSERT INTO id_sequences (name, next_block_start) VALUES ('bare/*', 5);
RESET session_replication_role;
SELECT name, start_value, idgen_next('bare/x') FROM id_sequences WHERE name = 'bare/*';
SELECT idgen_next('bad period');
\echo :SQLSTATE
SELECT idgen_next('bad zone');
\echo :SQLSTATE

DROP SEQUENCE numbers;
DROP EXTENSION idgen;
