--
-- idgen_create refuses arguments that make no id sequence
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- 22004: these may not be null
SELECT idgen_create(NULL);
\echo :SQLSTATE
SELECT idgen_create('x', next_block_start => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', source => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', layout => NULL);
\echo :SQLSTATE
SELECT idgen_create('x', big_base => NULL);
\echo :SQLSTATE

-- 22023: values that make no sense
SELECT idgen_create('');
\echo :SQLSTATE
SELECT idgen_create('x', block_size => 0);
\echo :SQLSTATE
SELECT idgen_create('x', block_size => -20);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => 2);
\echo :SQLSTATE
SELECT idgen_create('x', exhausted => -1);
\echo :SQLSTATE
SELECT idgen_create('x', 11, max_value => 10);
\echo :SQLSTATE
SELECT idgen_create('x', source => 'tables');
\echo :SQLSTATE
SELECT idgen_create('x', source => '');
\echo :SQLSTATE
SELECT idgen_create('x', refill => 'Transaction');
\echo :SQLSTATE
SELECT idgen_create('x', layout => 'plane');
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 'NaN');
\echo :SQLSTATE

-- 42704: there is no server yet
SELECT idgen_create('x', source => 'server');
\echo :SQLSTATE

-- 0A000: what does not go together
SELECT idgen_create('x', refill => 'worker', source => 'function', source_name => 'public.f');
\echo :SQLSTATE

-- 22001, 22003: values that do not fit their column
SELECT idgen_create(repeat('x', 256));
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 1e38);
\echo :SQLSTATE
SELECT idgen_create('x', big_base => 'Infinity');
\echo :SQLSTATE

-- 42710: it is there already, committed or made by this transaction
SELECT idgen_create('x');
SELECT idgen_create('x');
\echo :SQLSTATE
BEGIN;
SELECT idgen_create('y');
SELECT idgen_create('y');
\echo :SQLSTATE
ROLLBACK;

-- 42501: it takes the privilege to insert
CREATE ROLE regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT idgen_create('z');
\echo :SQLSTATE
RESET ROLE;
GRANT INSERT ON id_sequences TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT idgen_create('z');
RESET ROLE;

-- nothing else has been left behind
SELECT name, next_block_start, block_size FROM id_sequences ORDER BY name;

REVOKE INSERT ON id_sequences FROM regress_idgen_reader;
DROP ROLE regress_idgen_reader;
DROP EXTENSION idgen;
