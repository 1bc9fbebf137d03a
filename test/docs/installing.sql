-- README.md, "Installing" and the example at the top

-- claim: The example at the top.
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('orders', 1, 20);
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), item text);
INSERT INTO orders(item) VALUES ('a'), ('b');
SELECT max(id) FROM orders;
-- gives: 2
-- claim: An extension on which a default depends cannot be dropped just so.
DROP EXTENSION idgen;
-- gives: ERROR 2BP01

-- claim: After ALTER EXTENSION SET SCHEMA, defaults go on drawing.
CREATE SCHEMA ids;
ALTER EXTENSION idgen SET SCHEMA ids;
INSERT INTO orders (item) VALUES ('c') RETURNING id;
-- gives: 3
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'orders'::regclass;
-- gives: ids.idgen_next('orders'::text)
ALTER EXTENSION idgen SET SCHEMA public;
