-- docs/installation.md

-- claim: A row of three columns is an id sequence, and a default draws from it.
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('orders', 1, 20);
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), item text);
INSERT INTO orders(item) VALUES ('a'), ('b');
SELECT max(id) FROM orders;
-- gives: 2

-- claim: An extension on which a default depends cannot be dropped just so.
DROP EXTENSION idgen;
-- gives: ERROR 2BP01

-- claim: It stays in its schema, which keeps its name.
ALTER EXTENSION idgen SET SCHEMA pg_catalog;
-- gives: ERROR 0A000
ALTER SCHEMA public RENAME TO other;
-- gives: ERROR 0A000
INSERT INTO orders (item) VALUES ('c') RETURNING id;
-- gives: 3

-- claim: DROP EXTENSION CASCADE drops defaults, not columns; views; servers with their user mappings.
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
CREATE USER MAPPING FOR CURRENT_USER SERVER central;
CREATE VIEW low AS SELECT name FROM idgen_stats WHERE percent_left < 10;
CREATE FUNCTION in_sql() RETURNS bigint BEGIN ATOMIC SELECT idgen_next('orders'); END;
CREATE FUNCTION in_text() RETURNS bigint LANGUAGE sql AS $$ SELECT idgen_next('orders') $$;
DROP EXTENSION idgen CASCADE;
INSERT INTO orders (id) VALUES (1000) RETURNING id;
-- gives: 1000
INSERT INTO orders DEFAULT VALUES;
-- gives: ERROR 23502
SELECT count(*) FROM pg_foreign_server;
-- gives: 0
SELECT to_regclass('low') IS NULL, to_regclass('id_sequences') IS NULL, to_regprocedure('in_sql()') IS NULL, to_regprocedure('in_text()') IS NULL;
-- gives: t|t|t|f
SELECT in_text();
-- gives: ERROR 42883
