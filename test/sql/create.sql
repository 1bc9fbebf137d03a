--
-- idgen_create: a row for each call, with defaults for all but the name
--
CREATE EXTENSION idgen;
\x on

SELECT idgen_create('orders');
SELECT * FROM id_sequences WHERE name = 'orders';

-- every column by name, in any order
SELECT idgen_create(big_base => 100000000000000000000,
					layout => 'plain',
					refill => 'transaction',
					source_name => 'kept as it is',
					source => 'table',
					max_value => 1000,
					exhausted => 0,
					block_size => 5,
					next_block_start => 100,
					name => 'invoices');
SELECT * FROM id_sequences WHERE name = 'invoices';

-- and by position
SELECT idgen_create('positions', 7, 3, 1, 70, 'table', NULL, 'transaction', 'plain', 0);
SELECT * FROM id_sequences WHERE name = 'positions';

\x off

-- block_size comes from a setting, also when it is given as null
SET idgen.default_block_size = 50;
SELECT idgen_create('fifty');
SELECT idgen_create('fifty too', block_size => NULL);
SELECT idgen_create('two', block_size => 2);
RESET idgen.default_block_size;
SELECT idgen_create('twenty');
SELECT name, block_size FROM id_sequences
	WHERE name IN ('fifty', 'fifty too', 'two', 'twenty') ORDER BY name;

-- what it makes can be drawn from at once
SELECT idgen_next('orders'), idgen_next('invoices'), idgen_next_big('invoices');
SELECT idgen_next('positions');
\echo :SQLSTATE

-- it is part of the transaction
BEGIN;
SELECT idgen_create('undone');
SELECT idgen_next('undone');
ROLLBACK;
SELECT idgen_next('undone');
\echo :SQLSTATE
SELECT idgen_create('undone', 30);
SELECT idgen_next('undone');

DROP EXTENSION idgen;
