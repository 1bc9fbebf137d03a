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
