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
