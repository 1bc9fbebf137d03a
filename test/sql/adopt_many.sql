--
-- Many columns at once, and back, in one statement each: all of them, or none
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE VIEW rows AS SELECT name, next_block_start, max_value, refill, owned_by FROM id_sequences ORDER BY name;
CREATE SCHEMA shop;
CREATE TABLE shop.customers (id serial PRIMARY KEY);
CREATE TABLE shop.orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line smallserial);
CREATE TABLE shop."Odd, {name}" ("a ""b""" bigserial, "K" text DEFAULT 'none');
CREATE TABLE shop.parted (id bigserial, k int) PARTITION BY LIST (k);
CREATE TABLE shop.part1 PARTITION OF shop.parted FOR VALUES IN (1);
INSERT INTO shop.customers SELECT FROM generate_series(1, 10);
INSERT INTO shop.orders SELECT FROM generate_series(1, 20);

PREPARE adopt AS SELECT idgen_adopt(relation, column_name) FROM
	(SELECT relation, column_name FROM idgen_columns WHERE adoptable ORDER BY relation::text, column_name OFFSET 0) AS c;
-- since PostgreSQL 17, nothing is said of partitions
PREPARE release AS SELECT substring(idgen_release(format('%I.%I', part[1], part[2])::regclass, part[3]::name) FROM '^[^;]*; [^;]*') AS said
	FROM (SELECT parse_ident(owned_by::text) FROM id_sequences WHERE owned_by IS NOT NULL ORDER BY name OFFSET 0) AS owned (part);
EXECUTE adopt;
TABLE rows;
INSERT INTO shop.customers DEFAULT VALUES RETURNING id;
INSERT INTO shop.orders DEFAULT VALUES RETURNING id, line;
EXECUTE release;
TABLE rows;
INSERT INTO shop.customers DEFAULT VALUES RETURNING id > 11 AS behind;

-- the last one fails, and none is moved
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused %', NEW.name; END$$;
CREATE TRIGGER refuse BEFORE INSERT ON id_sequences FOR EACH ROW WHEN (NEW.name = 'shop.parted.id') EXECUTE FUNCTION refuse();
EXECUTE adopt;
\echo :SQLSTATE
TABLE rows;
DROP FUNCTION refuse() CASCADE;

-- a sequence that two of the columns draw from stays until somebody drops it
CREATE TABLE shop.goods (id serial);
CREATE TABLE shop.offers (id bigint DEFAULT nextval('shop.goods_id_seq'));
INSERT INTO shop.goods SELECT FROM generate_series(1, 7);
EXECUTE adopt;
DROP SEQUENCE shop.goods_id_seq;
EXECUTE release;
DROP SCHEMA shop CASCADE;

-- so does one that a view, a domain or a function uses; but that of an identity
-- column cannot
CREATE TABLE t (a serial, b serial, c serial, i integer GENERATED ALWAYS AS IDENTITY);
CREATE VIEW used_a AS SELECT last_value FROM t_a_seq;
CREATE DOMAIN used_b AS bigint DEFAULT nextval('t_b_seq');
CREATE FUNCTION used_c() RETURNS bigint BEGIN ATOMIC SELECT nextval('t_c_seq'); END;
CREATE VIEW used_i AS SELECT last_value FROM t_i_seq;
SELECT column_name, adoptable FROM idgen_columns ORDER BY 1;
SELECT idgen_adopt('t', 'a');
SELECT idgen_adopt('t', 'b');
SELECT idgen_adopt('t', 'c');
SELECT idgen_adopt('t', 'i');
\echo :SQLSTATE
TABLE used_a;
ALTER TABLE t DROP a;
TABLE used_a;
DROP VIEW used_i;
SELECT idgen_adopt('t', 'i');

DROP TABLE t;
DROP SEQUENCE t_a_seq, t_b_seq, t_c_seq CASCADE;
DROP VIEW rows;
DROP EXTENSION idgen;
