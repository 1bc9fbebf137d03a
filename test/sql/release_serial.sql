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
