--
-- idgen_release: a column goes on where it was, as an identity column
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SET idgen.default_block_size = 1;
\t on

-- there and back, and there again
CREATE TABLE orders (id bigserial PRIMARY KEY, item text);
INSERT INTO orders (item) VALUES ('a');
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('b') RETURNING id;
SELECT idgen_release('orders', 'id');
\d orders
SELECT count(*) FROM id_sequences;
SELECT idgen_next('public.orders.id');
\echo :SQLSTATE
INSERT INTO orders (item) VALUES ('c') RETURNING id;
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('d') RETURNING id;

-- all in one transaction
BEGIN;
INSERT INTO orders (item) VALUES ('e') RETURNING id;
SELECT idgen_release('orders', 'id');
INSERT INTO orders (item) VALUES ('f') RETURNING id;
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('g') RETURNING id;
SELECT idgen_release('orders', 'id');
INSERT INTO orders (item) VALUES ('h') RETURNING id;
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('i') RETURNING id;
COMMIT;
INSERT INTO orders (item) VALUES ('j') RETURNING id;

-- undone
BEGIN;
SELECT idgen_release('orders', 'id');
INSERT INTO orders (item) VALUES ('in vain') RETURNING id;
ROLLBACK;
INSERT INTO orders (item) VALUES ('k') RETURNING id;
SELECT name FROM id_sequences;
RESET idgen.default_block_size;

-- what was drawn and not inserted, or is cached, is not issued again
CREATE TABLE drawn (id integer);
SELECT idgen_create('drawn', next_block_start => 100, block_size => 50);
ALTER TABLE drawn ALTER COLUMN id SET DEFAULT idgen_next('drawn');
SELECT idgen_next('drawn');
SELECT idgen_release('drawn', 'id');
INSERT INTO drawn DEFAULT VALUES RETURNING id;

-- drawn in this transaction, from a block of its own, or a gapless one
SELECT idgen_create('drawn', next_block_start => 1000, block_size => 50), idgen_create('gapless', block_size => 1);
CREATE TABLE pending (id integer DEFAULT idgen_next('drawn'), gapless integer DEFAULT idgen_next('gapless'));
BEGIN;
INSERT INTO pending DEFAULT VALUES RETURNING id, gapless;
SELECT idgen_release('pending', 'id');
SELECT idgen_release('pending', 'gapless');
INSERT INTO pending DEFAULT VALUES RETURNING id, gapless;
COMMIT;
INSERT INTO pending DEFAULT VALUES RETURNING id, gapless;

-- the rows are ahead
SELECT idgen_create('behind');
CREATE TABLE rows_ahead (id integer DEFAULT idgen_next('behind'));
INSERT INTO rows_ahead VALUES (5000);
SELECT idgen_release('rows_ahead', 'id');

-- negative ids; not null is added; a conversion around the call
SELECT idgen_create('negative', next_block_start => -30);
CREATE TABLE negative (id smallint DEFAULT idgen_next('negative'::varchar)::integer);
INSERT INTO negative DEFAULT VALUES RETURNING id;
SELECT idgen_release('negative', 'id');
\d negative
INSERT INTO negative DEFAULT VALUES RETURNING id;

-- blocks of another source: as the hint says
CREATE SEQUENCE parts_seq INCREMENT BY 20;
SELECT idgen_create('parts', source => 'sequence', source_name => 'parts_seq');
CREATE TABLE parts (id bigint DEFAULT idgen_next('parts'));
INSERT INTO parts DEFAULT VALUES RETURNING id;
SELECT idgen_release('parts', 'id');
\echo :SQLSTATE
UPDATE id_sequences SET source = 'table', next_block_start = nextval('parts_seq') WHERE name = 'parts';
SELECT idgen_release('parts', 'id');
INSERT INTO parts DEFAULT VALUES RETURNING id;

-- the restart of an identity column does not go below 1 unless it began there
TRUNCATE parts RESTART IDENTITY;
INSERT INTO parts DEFAULT VALUES RETURNING id;
\t off

DROP TABLE orders, drawn, pending, rows_ahead, negative, parts;
DROP SEQUENCE parts_seq;
DROP EXTENSION idgen;
