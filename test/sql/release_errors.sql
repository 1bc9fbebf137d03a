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
