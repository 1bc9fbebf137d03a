--
-- What old versions of Hibernate take a value for: legacy_pooled and
-- legacy_hilo
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

-- legacy_pooled: the ids are those before the value. The first value of a
-- sequence stands for none
CREATE SEQUENCE old_seq INCREMENT BY 5;
SELECT idgen_create('old', source => 'sequence', pooling => 'legacy_pooled');
SELECT idgen_peek('old'), draw('old', 2), idgen_peek('old');
SELECT last_value FROM old_seq;
SELECT nextval('old_seq') AS "6 to 10";
SELECT draw('old', 4), idgen_peek('old');
SELECT last_value FROM old_seq;
SELECT idgen_restart('old', 1000);
SELECT idgen_peek('old'), draw('old', 6);
SELECT last_value FROM old_seq;
CREATE SEQUENCE begins_seq START 100 INCREMENT BY 5;
SELECT idgen_create('begins', source => 'sequence', pooling => 'legacy_pooled');
SELECT idgen_peek('begins'), * FROM idgen_next_range('begins', 7);
SELECT idgen_peek('begins'), draw('begins', 4);

-- with INCREMENT BY 1 it is the number before
CREATE SEQUENCE one_seq START 10;
SELECT idgen_create('one', source => 'sequence', pooling => 'legacy_pooled', block_size => 3);
SELECT draw('one', 4);

-- with CACHE
CREATE SEQUENCE cached_seq INCREMENT BY 5 CACHE 3;
SELECT idgen_create('cached', source => 'sequence', pooling => 'legacy_pooled');
SELECT draw('cached', 11);
SELECT last_value FROM cached_seq;

-- descending
CREATE SEQUENCE down_seq INCREMENT BY -5 MAXVALUE 100 START 100;
SELECT idgen_create('down', source => 'sequence', pooling => 'legacy_pooled');
SELECT idgen_peek('down'), draw('down', 7);

-- at its ends
CREATE SEQUENCE short_seq INCREMENT BY 5 MAXVALUE 12;
SELECT idgen_create('short', source => 'sequence', pooling => 'legacy_pooled');
SELECT * FROM idgen_next_range('short', 11);
SELECT draw('short', 10);
SELECT idgen_next('short');
\echo :SQLSTATE
SELECT idgen_peek('short');
\echo :SQLSTATE
SELECT idgen_restart('short', 12);
\echo :SQLSTATE
SELECT idgen_restart('short', 0);
\echo :SQLSTATE
SELECT idgen_restart('short', 1);
SELECT draw('short', 5);
CREATE SEQUENCE single_seq INCREMENT BY 5 MAXVALUE 3;
SELECT idgen_create('single', source => 'sequence', pooling => 'legacy_pooled');
SELECT idgen_peek('single');
\echo :SQLSTATE
SELECT idgen_next('single');
\echo :SQLSTATE
CREATE SEQUENCE cycle_seq INCREMENT BY 5 MAXVALUE 12 CYCLE;
SELECT idgen_create('cycle', source => 'sequence', pooling => 'legacy_pooled');
SELECT draw('cycle', 13), idgen_peek('cycle');

-- legacy_hilo: number n begins with n times the size of a block
CREATE SEQUENCE number_seq;
SELECT idgen_create('number', source => 'sequence', pooling => 'legacy_hilo', block_size => 5);
SELECT idgen_peek('number'), draw('number', 3);
SELECT last_value FROM number_seq;
SELECT nextval('number_seq') AS "10 to 14";
SELECT draw('number', 4), idgen_peek('number');
SELECT * FROM idgen_next_range('number', 12);
SELECT idgen_restart('number', 50);
SELECT draw('number', 5);
SELECT last_value FROM number_seq;
SELECT idgen_restart('number', 51);
SELECT idgen_next('number');
SELECT idgen_restart('number', 4);
\echo :SQLSTATE
CREATE SEQUENCE zero_seq MINVALUE 0 START 0;
SELECT idgen_create('zero', source => 'sequence', pooling => 'legacy_hilo', block_size => 3);
SELECT draw('zero', 4);

-- INCREMENT BY ids
CREATE SEQUENCE wide_seq INCREMENT BY 5;
SELECT idgen_create('wide', source => 'sequence', pooling => 'legacy_hilo', block_size => 1000);
SELECT draw('wide', 7);

-- at its end
CREATE SEQUENCE max_seq;
SELECT idgen_create('max', source => 'sequence', pooling => 'legacy_hilo', block_size => 5, max_value => 11);
SELECT draw('max', 7);
SELECT idgen_next('max');
\echo :SQLSTATE
CREATE SEQUENCE bigint_seq START 1844674407370955161;
SELECT idgen_create('bigint', source => 'sequence', pooling => 'legacy_hilo', block_size => 5);
SELECT draw('bigint', 3);
SELECT idgen_next('bigint');
\echo :SQLSTATE
CREATE SEQUENCE beyond_seq START 1844674407370955162;
SELECT idgen_create('beyond', source => 'sequence', pooling => 'legacy_hilo', block_size => 5);
SELECT idgen_next('beyond');
\echo :SQLSTATE
CREATE SEQUENCE negative_seq MINVALUE -3 START -3;
SELECT idgen_create('negative', source => 'sequence', pooling => 'legacy_hilo', block_size => 2);
SELECT draw('negative', 8);

-- to another rule: what is cached is dropped
SELECT draw('wide', 1);
UPDATE id_sequences SET pooling = 'hilo' WHERE name = 'wide';
SELECT idgen_next('wide');
UPDATE id_sequences SET pooling = 'legacy_hilo' WHERE name = 'wide';
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'wide';
UPDATE id_sequences SET pooling = 'legacy_pooled' WHERE name = 'wide';
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'wide';
UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'wide';
UPDATE id_sequences SET pooling = 'legacy_pooled' WHERE name = 'wide';

-- moved behind the ids of a table
CREATE TABLE parts (by_number bigint DEFAULT idgen_next('number'), old bigint DEFAULT idgen_next('old'));
INSERT INTO parts VALUES (1002, 2002);
SELECT idgen_sync('parts', 'by_number');
SELECT idgen_sync('parts', 'old');
INSERT INTO parts DEFAULT VALUES RETURNING *;
SELECT last_value FROM number_seq;
SELECT last_value FROM old_seq;
DROP TABLE parts;

DROP EXTENSION idgen;
DROP SEQUENCE old_seq, begins_seq, one_seq, cached_seq, down_seq, short_seq, single_seq, cycle_seq,
	number_seq, zero_seq, wide_seq, max_seq, bigint_seq, beyond_seq, negative_seq;
DROP FUNCTION draw(text, integer);
