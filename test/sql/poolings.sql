--
-- Column "pooling": which ids one value of a native sequence stands for
--

--
-- Which ids one value of a native sequence stands for: column "pooling"
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

-- pooled_lo, the default: the value is the first of its ids
CREATE SEQUENCE lo_seq INCREMENT BY 5;
SELECT idgen_create('lo', source => 'sequence');
SELECT pooling FROM id_sequences WHERE name = 'lo';
SELECT idgen_peek('lo'), draw('lo', 3);
SELECT nextval('lo_seq') AS "6 to 10";
SELECT draw('lo', 4);
SELECT last_value FROM lo_seq;

-- pooled: it is the last of them; but the first value of a sequence stands for
-- itself alone, as in Hibernate
CREATE SEQUENCE hi_seq INCREMENT BY 5;
SELECT idgen_create('hi', source => 'sequence', pooling => 'pooled');
SELECT idgen_peek('hi'), draw('hi', 1), idgen_peek('hi'), draw('hi', 3);
SELECT last_value FROM hi_seq;
SELECT nextval('hi_seq') AS "7 to 11";
SELECT draw('hi', 3), idgen_peek('hi');
SELECT last_value FROM hi_seq;

-- hilo: it is the number of a block. With INCREMENT BY 1 a block has block_size
-- ids
CREATE SEQUENCE number_seq;
SELECT idgen_create('number', source => 'sequence', pooling => 'hilo', block_size => 5);
SELECT idgen_peek('number'), draw('number', 3);
SELECT last_value FROM number_seq;
SELECT nextval('number_seq') AS "6 to 10";
SELECT draw('number', 4), idgen_peek('number');
SELECT last_value FROM number_seq;

-- or else INCREMENT BY ids
CREATE SEQUENCE wide_seq INCREMENT BY 5;
SELECT idgen_create('wide', source => 'sequence', pooling => 'hilo', block_size => 1000);
SELECT draw('wide', 7), idgen_peek('wide');

-- values that begin elsewhere, as EclipseLink makes its sequences
CREATE SEQUENCE begins_seq START 100 INCREMENT BY 5;
SELECT idgen_create('begins', source => 'sequence', pooling => 'pooled');
SELECT nextval('begins_seq') AS "96 to 100";
SELECT draw('begins', 6);

-- with INCREMENT BY 1, a value stands for itself
CREATE SEQUENCE one_seq;
SELECT idgen_create('one', source => 'sequence', pooling => 'pooled', block_size => 3);
SELECT draw('one', 7);
SELECT last_value FROM one_seq;

-- without a row it is pooled_lo
DELETE FROM id_sequences WHERE name = 'hi';
SELECT last_value FROM hi_seq;
SELECT idgen_next('hi', 'sequence');

-- ranges
SELECT * FROM idgen_next_range('number', 23);
SELECT * FROM idgen_next_range('begins', 12);
SELECT idgen_peek('number'), idgen_peek('begins');
CREATE SEQUENCE first_seq INCREMENT BY 5;
SELECT idgen_create('first', source => 'sequence', pooling => 'pooled');
SELECT * FROM idgen_next_range('first', 6);
SELECT draw('first', 1);

-- hilo of a sequence that leaves numbers out has no longer ranges than a block
SELECT * FROM idgen_next_range('wide', 5);
SELECT * FROM idgen_next_range('wide', 6);
\echo :SQLSTATE

DROP EXTENSION idgen;
DROP SEQUENCE lo_seq, hi_seq, number_seq, wide_seq, begins_seq, one_seq, first_seq;
DROP FUNCTION draw(text, integer);

\c -
--
-- Poolings at the ends of a native sequence: no id beyond its bounds is issued,
-- and none twice
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

-- pooled ends with a value, and so below MAXVALUE
CREATE SEQUENCE hi_seq INCREMENT BY 5 MAXVALUE 14;
SELECT idgen_create('hi', source => 'sequence', pooling => 'pooled');
SELECT draw('hi', 9);
SELECT * FROM idgen_next_range('hi', 3);
SELECT draw('hi', 2);
SELECT idgen_peek('hi');
\echo :SQLSTATE
SELECT idgen_next('hi');
\echo :SQLSTATE
SELECT percent_left FROM idgen_stats WHERE name = 'hi';
ALTER SEQUENCE hi_seq MAXVALUE 16;
SELECT draw('hi', 5);

-- and begins with MINVALUE, also after a cycle
CREATE SEQUENCE cycle_seq MINVALUE 8 START 18 MAXVALUE 20 INCREMENT BY 5 CYCLE;
SELECT idgen_create('cycle', source => 'sequence', pooling => 'pooled');
SELECT draw('cycle', 8);
SELECT idgen_restart('cycle', 11);
SELECT draw('cycle', 7);

-- values below 1
CREATE SEQUENCE below_seq MINVALUE -10 START -10 INCREMENT BY 5;
SELECT idgen_create('below', source => 'sequence', pooling => 'pooled');
SELECT draw('below', 7);
CREATE SEQUENCE number_below_seq MINVALUE -1 START -1;
SELECT idgen_create('number_below', source => 'sequence', pooling => 'hilo', block_size => 3);
SELECT draw('number_below', 12);

-- hilo ends with max_value of the row
CREATE SEQUENCE number_seq;
SELECT idgen_create('number', source => 'sequence', pooling => 'hilo', block_size => 5, max_value => 12);
SELECT draw('number', 3);
SELECT * FROM idgen_next_range('number', 8);
SELECT * FROM idgen_next_range('number', 7);
SELECT * FROM idgen_next_range('number', 2);
SELECT percent_left FROM idgen_stats WHERE name = 'number';
SELECT idgen_next('number');
\echo :SQLSTATE
SELECT idgen_peek('number');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 1000 WHERE name = 'number';
SELECT idgen_peek('number') > 12;
SELECT nextval('number_seq') AS number \gset
SELECT idgen_next('number') - 5 * :number;
SELECT percent_left < 100 FROM idgen_stats WHERE name = 'number';

-- a cycle does not begin there: values in between would come first
CREATE SEQUENCE number_cycle_seq MAXVALUE 4 CYCLE;
SELECT idgen_create('number_cycle', source => 'sequence', pooling => 'hilo', block_size => 3, max_value => 6);
SELECT draw('number_cycle', 6);
SELECT idgen_peek('number_cycle');
SELECT idgen_next('number_cycle');
UPDATE id_sequences SET max_value = 12 WHERE name = 'number_cycle';
SELECT draw('number_cycle', 4);

-- or with MAXVALUE of the sequence
CREATE SEQUENCE short_seq MAXVALUE 2;
SELECT idgen_create('short', source => 'sequence', pooling => 'hilo', block_size => 3);
SELECT draw('short', 6);
SELECT idgen_next('short');

-- or with bigint
CREATE SEQUENCE bigint_seq START 1844674407370955161;
SELECT idgen_create('bigint', source => 'sequence', pooling => 'hilo', block_size => 5);
SELECT draw('bigint', 5);
SELECT draw('bigint', 2);
SELECT idgen_next('bigint');
\echo :SQLSTATE
SELECT idgen_next('bigint');
SELECT idgen_restart('bigint', 9223372036854775801);
SELECT draw('bigint', 7);

-- values whose ids lie beyond the last one are drawn in vain
CREATE SEQUENCE far_seq START 4611686018427387904;
SELECT idgen_create('far', source => 'sequence', pooling => 'hilo', block_size => 1000);
SELECT idgen_peek('far');
SELECT idgen_next('far');
\echo :SQLSTATE

-- a sequence that is as wide as bigint
CREATE SEQUENCE all_seq INCREMENT BY 9223372036854775807 MINVALUE -9223372036854775808 START -9223372036854775808;
SELECT idgen_create('all', source => 'sequence', pooling => 'pooled');
SELECT draw('all', 3);

DROP EXTENSION idgen;
DROP SEQUENCE hi_seq, cycle_seq, below_seq, number_below_seq, number_seq, number_cycle_seq, short_seq, bigint_seq, far_seq, all_seq;
DROP FUNCTION draw(text, integer);

\c -
--
-- Values of column "pooling" that are refused
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT BY 5;

-- unknown
INSERT INTO id_sequences (name, next_block_start, source, pooling) VALUES ('gen', 1, 'sequence', 'pooled-lo');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'sequence', pooling => 'POOLED');
SELECT idgen_create('gen', source => 'sequence', pooling => '');
SELECT idgen_create('gen', source => 'sequence', pooling => NULL);
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, pooling) VALUES ('gen', 1, 'sequence', NULL);
\echo :SQLSTATE

-- with a source that has none
SELECT idgen_create('gen', pooling => 'pooled');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, pooling) VALUES ('gen', 1, 'hilo');
\echo :SQLSTATE
SELECT idgen_create('gen', pooling => 'pooled_lo');

-- when the source is changed
UPDATE id_sequences SET pooling = 'pooled';
UPDATE id_sequences SET source = 'sequence', pooling = 'pooled';
SELECT idgen_next('gen'), idgen_next('gen');
UPDATE id_sequences SET source = 'table';
UPDATE id_sequences SET source = 'table', pooling = 'pooled_lo';
SELECT idgen_next('gen');

-- with a sequence that descends: no other program draws so
CREATE SEQUENCE down_seq INCREMENT BY -5;
SELECT idgen_create('down', source => 'sequence', pooling => 'pooled');
SELECT idgen_next('down');
\echo :SQLSTATE
UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'down';
SELECT idgen_next('down');
DELETE FROM id_sequences WHERE name = 'down';

-- a row that the checks have not seen
UPDATE id_sequences SET source = 'sequence';
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET pooling = 'lopooled';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('gen');
\echo :SQLSTATE
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET source = 'table', pooling = 'hilo';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('gen');
\echo :SQLSTATE

DROP EXTENSION idgen;
DROP SEQUENCE gen_seq, down_seq;
\set SHOW_CONTEXT errors

\c -
--
-- Restarting with each pooling: the next id is what was asked for, for other
-- programs, too
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

-- pooled: the next value has all its ids at the start, or behind it
CREATE SEQUENCE hi_seq INCREMENT BY 5;
SELECT idgen_create('hi', source => 'sequence', pooling => 'pooled');
SELECT idgen_restart('hi', 1000);
SELECT idgen_peek('hi');
SELECT nextval('hi_seq') AS "1000 to 1004";
SELECT draw('hi', 6);
SELECT idgen_restart('hi', 1);
SELECT idgen_peek('hi'), draw('hi', 7);

-- RESTART WITH says the first value, of which nobody knows what is before it
ALTER SEQUENCE hi_seq RESTART WITH 500;
SELECT idgen_peek('hi'), draw('hi', 7);
ALTER SEQUENCE hi_seq RESTART;
SELECT idgen_peek('hi'), draw('hi', 7);

-- close to the end, there may be no value behind the start
ALTER SEQUENCE hi_seq MAXVALUE 1000;
SELECT idgen_restart('hi', 996);
SELECT draw('hi', 5);
SELECT idgen_next('hi');
SELECT idgen_restart('hi', 998);
SELECT draw('hi', 1);
SELECT idgen_next('hi');
\set SHOW_CONTEXT never
SELECT idgen_restart('hi', 1001);
\echo :SQLSTATE
SELECT idgen_restart('hi', 0);
\set SHOW_CONTEXT errors
\echo :SQLSTATE

-- hilo: at the start if a block begins there, else where the next one does
CREATE SEQUENCE number_seq;
SELECT idgen_create('number', source => 'sequence', pooling => 'hilo', block_size => 5);
SELECT idgen_restart('number', 101);
SELECT draw('number', 2);
SELECT last_value FROM number_seq;
SELECT idgen_restart('number', 102);
SELECT draw('number', 2);
SELECT idgen_restart('number', 105);
SELECT draw('number', 2);
SELECT idgen_restart('number', 1);
SELECT draw('number', 2);
\set SHOW_CONTEXT never
SELECT idgen_restart('number', -7);
\set SHOW_CONTEXT errors

-- it is for other transactions when it commits
BEGIN;
SELECT idgen_restart('hi', 300);
SELECT draw('hi', 2);
ROLLBACK;
SELECT idgen_restart('hi', 400);
SELECT draw('hi', 2);

DROP EXTENSION idgen;
DROP SEQUENCE hi_seq, number_seq;
DROP FUNCTION draw(text, integer);
