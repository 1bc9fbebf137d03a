--
-- The worker refills by the pooling that the row says
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE FUNCTION draw(name text, n integer) RETURNS text LANGUAGE sql
	AS $$ SELECT string_agg(idgen_next($1)::text, ' ') FROM generate_series(1, n) $$;

CREATE SEQUENCE hi_seq INCREMENT BY 5;
CREATE SEQUENCE number_seq;
SELECT idgen_create('hi', source => 'sequence', refill => 'worker', pooling => 'pooled'),
	idgen_create('number', source => 'sequence', refill => 'worker', pooling => 'hilo', block_size => 5);
SELECT draw('hi', 7), draw('number', 7);
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('hi') AS id FROM generate_series(8, 1000)) AS s;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('number') AS id FROM generate_series(8, 1000)) AS s;
SELECT * FROM idgen_next_range('hi', 100);

-- when it changes, with what is cached and what the worker is about to bring.
-- By then it has drawn values that nobody needs.
UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'hi';
SELECT last_value FROM hi_seq \gset
SELECT idgen_next('hi') > :last_value, idgen_next('hi') % 5 IN (1, 2);
UPDATE id_sequences SET block_size = 7 WHERE name = 'number';
SELECT last_value FROM number_seq \gset
SELECT idgen_next('number') > 7 * :last_value, idgen_next('number') % 7 IN (1, 2);

-- at the end
UPDATE id_sequences SET max_value = (SELECT 7 * (last_value + 100) FROM number_seq) + 3 WHERE name = 'number';
\set VERBOSITY terse
DO $$ BEGIN FOR i IN 1 .. 1000 LOOP PERFORM idgen_next('number'); END LOOP; END $$;
\echo :SQLSTATE
SELECT idgen_next('number');
\echo :SQLSTATE
SELECT idgen_last('number') = max_value FROM id_sequences WHERE name = 'number';

DROP EXTENSION idgen;
DROP SEQUENCE hi_seq, number_seq;
DROP FUNCTION draw(text, integer);
