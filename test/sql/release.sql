--
-- idgen_release: a column that idgen lets go
--

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
\set SHOW_CONTEXT errors

\c -
--
-- idgen_release of kind serial: the column is as one that was made with a type
-- of serial
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SET idgen.default_block_size = 1;
\t on

-- a column of the same table is the model; so is the table that it is in
CREATE TABLE orders (id serial PRIMARY KEY, model serial, item text);
INSERT INTO orders (item) VALUES ('a');
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('b') RETURNING id;
SELECT idgen_release('orders', 'id', 'serial');
\d orders
\d orders_id_seq
\d orders_model_seq
SELECT pg_get_serial_sequence('orders', 'id');
SELECT count(*) FROM id_sequences;
INSERT INTO orders (item) VALUES ('c') RETURNING id;
SELECT currval('orders_id_seq');

-- there and back again, under the same name
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders (item) VALUES ('d') RETURNING id;
SELECT idgen_release('orders', 'id', kind => 'serial');
INSERT INTO orders (item) VALUES ('e') RETURNING id;
SELECT idgen_adopt('orders', 'id');

-- undone
BEGIN;
SELECT idgen_release('orders', 'id', 'serial');
INSERT INTO orders (item) VALUES ('in vain') RETURNING id;
ROLLBACK;
INSERT INTO orders (item) VALUES ('f') RETURNING id;
SELECT to_regclass('orders_id_seq');

-- it belongs to the column
SELECT idgen_release('orders', 'id', 'serial');
ALTER TABLE orders DROP COLUMN id;
SELECT to_regclass('orders_id_seq');
\t off

-- each type; negative ids, below which it does not restart; nulls
SELECT idgen_create('small', next_block_start => -30), idgen_create('big', next_block_start => 5000000000);
CREATE TABLE types (s smallint DEFAULT idgen_next('small'), b bigint DEFAULT idgen_next('big'));
INSERT INTO types DEFAULT VALUES RETURNING s, b;
SELECT idgen_release('types', 's', 'serial');
SELECT idgen_release('types', 'b', 'serial');
SELECT sequencename, data_type, start_value, min_value, max_value, increment_by, cache_size
	FROM pg_sequences WHERE sequencename ~ '^types' ORDER BY sequencename;
INSERT INTO types DEFAULT VALUES RETURNING s, b;
TRUNCATE types RESTART IDENTITY;
INSERT INTO types DEFAULT VALUES RETURNING s, b;
CREATE TABLE nulls (id integer);
INSERT INTO nulls VALUES (NULL);
SELECT idgen_adopt('nulls', 'id');
SELECT idgen_release('nulls', 'id', 'serial');
\echo :SQLSTATE
SELECT to_regclass('nulls_id_seq') IS NULL AS nothing_is_left;

-- of a domain, of which there are no identity columns
CREATE DOMAIN order_id AS integer CHECK (VALUE > 0);
CREATE TABLE of_domain (id order_id);
SELECT idgen_adopt('of_domain', 'id');
SELECT idgen_release('of_domain', 'id', 'serial');
INSERT INTO of_domain DEFAULT VALUES RETURNING id;
SELECT data_type FROM pg_sequences WHERE sequencename = 'of_domain_id_seq';

-- the server chooses the name: one that is not taken, and not too long
CREATE TABLE taken (id integer);
CREATE TABLE taken_id_seq ();
SELECT idgen_adopt('taken', 'id');
SELECT idgen_release('taken', 'id', 'serial');
CREATE TABLE a_table_with_a_name_of_more_than_thirty_characters (a_column_with_such_a_name_as_well_of_course integer, model serial);
SELECT idgen_adopt('a_table_with_a_name_of_more_than_thirty_characters', 'a_column_with_such_a_name_as_well_of_course', 'long');
SELECT idgen_release('a_table_with_a_name_of_more_than_thirty_characters', 'a_column_with_such_a_name_as_well_of_course', 'serial');
CREATE SCHEMA "Regress ""Schema""";
CREATE TABLE "Regress ""Schema"""."It's a \ ""Table""" ("The "" column's" integer);
SELECT idgen_adopt('"Regress ""Schema"""."It''s a \ ""Table"""', 'The " column''s', 'odd');
SELECT idgen_release('"Regress ""Schema"""."It''s a \ ""Table"""', 'The " column''s', 'serial');
INSERT INTO "Regress ""Schema"""."It's a \ ""Table""" DEFAULT VALUES RETURNING *;
SELECT pg_get_serial_sequence('"Regress ""Schema"""."It''s a \ ""Table"""', 'The " column''s');

-- like its table it is unlogged, and has that table's owner, whoever calls; who
-- inserts needs what default privileges give
CREATE ROLE regress_idgen_owner;
CREATE ROLE regress_idgen_user;
CREATE UNLOGGED TABLE unlogged (id integer);
ALTER TABLE unlogged OWNER TO regress_idgen_owner;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_idgen_owner GRANT USAGE ON SEQUENCES TO regress_idgen_user;
SELECT idgen_adopt('unlogged', 'id');
SELECT idgen_release('unlogged', 'id', 'serial');
SELECT relpersistence, relowner::regrole, has_sequence_privilege('regress_idgen_user', oid, 'USAGE') AS usage
	FROM pg_class WHERE oid = 'unlogged_id_seq'::regclass;

-- partitions and inheritance children draw from it, too
CREATE TABLE parted (id bigserial, k integer) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF parted FOR VALUES IN (1);
SELECT idgen_adopt('parted', 'id');
SELECT idgen_release('parted', 'id', 'serial');
INSERT INTO parted (k) VALUES (1) RETURNING id;
INSERT INTO part1 (k) VALUES (1) RETURNING id;
CREATE TABLE parent (id serial);
CREATE TABLE child () INHERITS (parent);
SELECT idgen_adopt('parent', 'id');
SELECT idgen_release('parent', 'id');
\echo :SQLSTATE
SELECT idgen_release('parent', 'id', 'serial');
INSERT INTO parent DEFAULT VALUES RETURNING id;
INSERT INTO child DEFAULT VALUES RETURNING id;

DROP SCHEMA "Regress ""Schema""" CASCADE;
DROP TABLE orders, types, nulls, of_domain, taken, taken_id_seq, a_table_with_a_name_of_more_than_thirty_characters,
	unlogged, parted, parent, child;
DROP DOMAIN order_id;
DROP OWNED BY regress_idgen_owner;
DROP ROLE regress_idgen_owner, regress_idgen_user;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- idgen_release refuses what it cannot do, and leaves everything as it is
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;

-- what is not a column that draws from an id sequence by name
CREATE TABLE orders (id serial, plain integer, item text DEFAULT 'none');
SELECT idgen_release('orders', 'id');
\echo :SQLSTATE
SELECT idgen_release('orders', 'plain');
\echo :SQLSTATE
SELECT idgen_release('orders', 'item');
\echo :SQLSTATE
SELECT idgen_release('orders', 'no_such_column');
\echo :SQLSTATE
CREATE VIEW orders_view AS SELECT * FROM orders;
SELECT idgen_release('orders_view', 'id');
\echo :SQLSTATE
CREATE TABLE other_ways (
	a integer DEFAULT idgen_next('a') + 1,
	b integer DEFAULT idgen_next(lower('B')),
	c integer DEFAULT idgen_next(NULL::text),
	d integer DEFAULT idgen_next('parts', 'sequence'),
	e integer DEFAULT idgen_last('a'),
	f integer GENERATED ALWAYS AS IDENTITY,
	g text DEFAULT idgen_next('a')
);
SELECT idgen_release('other_ways', 'a');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'b');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'c');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'd');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'e');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'f');
\echo :SQLSTATE
SELECT idgen_release('other_ways', 'g');
\echo :SQLSTATE
DROP TABLE other_ways;

-- no such id sequence, and one that is at its end
CREATE TABLE a (id smallint DEFAULT idgen_next('a'));
SELECT idgen_release('a', 'id');
\echo :SQLSTATE
SELECT idgen_create('a', next_block_start => 32760, max_value => 32767);
INSERT INTO a SELECT FROM generate_series(1, 8);
SELECT idgen_release('a', 'id');
\echo :SQLSTATE
UPDATE id_sequences SET max_value = 40000, exhausted = 0 WHERE name = 'a';
SELECT idgen_release('a', 'id');
\echo :SQLSTATE

-- another column draws from it too, in the same table or elsewhere
SELECT idgen_create('shared');
CREATE TABLE b (id integer DEFAULT idgen_next('shared'));
CREATE TABLE c (id integer DEFAULT idgen_next('shared'));
SELECT idgen_release('b', 'id');
\echo :SQLSTATE
ALTER TABLE c ALTER COLUMN id DROP DEFAULT;
ALTER TABLE b ADD COLUMN id2 bigint DEFAULT idgen_next('shared');
SELECT idgen_release('b', 'id');
\echo :SQLSTATE
-- however it does that
ALTER TABLE b ALTER COLUMN id2 SET DEFAULT idgen_next('shared', 'table');
SELECT idgen_release('b', 'id');
\echo :SQLSTATE
ALTER TABLE b ALTER COLUMN id2 SET DEFAULT coalesce(idgen_next_big('shared'), 0);
SELECT idgen_release('b', 'id');
\echo :SQLSTATE
ALTER TABLE b ALTER COLUMN id2 DROP DEFAULT;

-- composed ids
UPDATE id_sequences SET layout = 'session' WHERE name = 'shared';
SELECT idgen_release('b', 'id');
\echo :SQLSTATE
UPDATE id_sequences SET layout = 'plain' WHERE name = 'shared';

-- nulls
INSERT INTO b VALUES (NULL);
SELECT idgen_release('b', 'id');
\echo :SQLSTATE

-- a type that the server has no identity columns of
CREATE DOMAIN order_id AS integer;
CREATE TABLE of_domain (id order_id);
SELECT idgen_adopt('of_domain', 'id');
SELECT idgen_release('of_domain', 'id');
\echo :SQLSTATE

-- no such kind; nothing is done for a null
SELECT idgen_release('of_domain', 'id', 'sequence');
\echo :SQLSTATE
SELECT idgen_release('of_domain', 'id', kind => '');
\echo :SQLSTATE
SELECT idgen_release('of_domain', 'id', NULL) IS NULL AS nothing;

-- sources that cannot tell what comes next, or would have it come from above
CREATE FUNCTION give(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'VALUES (1::bigint, 20::bigint)';
SELECT idgen_create('function', source => 'function', source_name => 'give');
CREATE TABLE d (id integer DEFAULT idgen_next('function'));
SELECT idgen_release('d', 'id');
\echo :SQLSTATE
CREATE SEQUENCE down INCREMENT BY -10;
SELECT idgen_create('down', source => 'sequence', source_name => 'down');
CREATE TABLE e (id integer DEFAULT idgen_next('down'));
SELECT idgen_release('e', 'id');
\echo :SQLSTATE

-- nothing was done
SELECT name FROM id_sequences ORDER BY name;
\d b
INSERT INTO of_domain DEFAULT VALUES RETURNING id;
INSERT INTO b DEFAULT VALUES RETURNING id;

DROP VIEW orders_view;
DROP TABLE orders, a, b, c, of_domain, d, e;
DROP DOMAIN order_id;
DROP FUNCTION give;
DROP SEQUENCE down;
DROP EXTENSION idgen;
