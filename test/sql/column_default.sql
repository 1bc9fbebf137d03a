--
-- idgen_next as the default of a column
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('orders', 1);
CREATE TABLE orders (
	id bigint PRIMARY KEY DEFAULT idgen_next('orders'),
	what text UNIQUE
);

INSERT INTO orders (what) VALUES ('a') RETURNING id;
INSERT INTO orders (what) VALUES ('b'), ('c') RETURNING id, what;
INSERT INTO orders VALUES (DEFAULT, 'd') RETURNING id;
INSERT INTO orders (what) SELECT 'e' || i FROM generate_series(1, 3) AS i RETURNING id, what;
INSERT INTO orders VALUES (1000, 'f') RETURNING id;
INSERT INTO orders DEFAULT VALUES RETURNING id;
UPDATE orders SET id = DEFAULT WHERE what = 'f' RETURNING id;

-- an id that meets a conflict is gone, as with nextval
INSERT INTO orders (what) VALUES ('a') ON CONFLICT (what) DO NOTHING RETURNING id;
INSERT INTO orders (what) VALUES ('a') ON CONFLICT (what) DO UPDATE SET what = 'a again' RETURNING id, what;
INSERT INTO orders (what) VALUES ('b') ON CONFLICT (what) DO UPDATE SET id = excluded.id RETURNING id, what;

-- MERGE
MERGE INTO orders o USING (VALUES ('b'), ('g')) AS s (what) ON o.what = s.what
	WHEN MATCHED THEN DELETE
	WHEN NOT MATCHED THEN INSERT (what) VALUES (s.what);
SELECT id, what FROM orders WHERE what IN ('b', 'g');

-- COPY
COPY orders (what) FROM stdin;
h
i
\.
SELECT id, what FROM orders WHERE what IN ('h', 'i') ORDER BY what;

-- many rows
INSERT INTO orders (what) SELECT 'bulk ' || i FROM generate_series(1, 3000) AS i;
SELECT count(*), count(DISTINCT id), max(id) - min(id) + 1 AS range FROM orders WHERE what LIKE 'bulk %';

-- a statement that fails gives back what it has allocated
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE invoices (id bigint PRIMARY KEY DEFAULT idgen_next('gapless'), amount int CHECK (amount > 0));
INSERT INTO invoices (amount) VALUES (10), (20), (30);
\set VERBOSITY terse
INSERT INTO invoices (amount) VALUES (10), (20), (-1);
\set VERBOSITY default
INSERT INTO invoices (amount) VALUES (40);
COPY invoices (amount) FROM stdin;
50
0
\.
COPY invoices (amount) FROM stdin;
50
60
\.
SELECT * FROM invoices ORDER BY id;

-- a column added to a table that has rows
CREATE TABLE old (what text);
INSERT INTO old SELECT FROM generate_series(1, 5);
ALTER TABLE old ADD COLUMN id bigint DEFAULT idgen_next('gapless');
SELECT id FROM old ORDER BY id;

-- partitions draw from the parent's sequence or from their own
INSERT INTO id_sequences (name, next_block_start) VALUES ('parts', 1), ('part two', 1000), ('view', 1000000);
CREATE TABLE parts (id bigint NOT NULL DEFAULT idgen_next('parts'), kind int) PARTITION BY LIST (kind);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts2 PARTITION OF parts (id DEFAULT idgen_next('part two')) FOR VALUES IN (2);
INSERT INTO parts (kind) VALUES (1), (2), (1) RETURNING tableoid::regclass, id;
INSERT INTO parts1 (kind) VALUES (1) RETURNING id;
INSERT INTO parts2 (kind) VALUES (2) RETURNING id;

-- partition key itself
CREATE TABLE ranges (id bigint DEFAULT idgen_next('parts')) PARTITION BY RANGE (id);
CREATE TABLE ranges1 PARTITION OF ranges FOR VALUES FROM (1) TO (6);
CREATE TABLE ranges2 PARTITION OF ranges FOR VALUES FROM (6) TO (100);
INSERT INTO ranges SELECT FROM generate_series(1, 3) RETURNING tableoid::regclass, id;

-- defaults of a view's column, of a domain, and one inherited
CREATE VIEW orders_view AS SELECT * FROM orders;
ALTER VIEW orders_view ALTER COLUMN id SET DEFAULT idgen_next('view');
INSERT INTO orders_view (what) VALUES ('through a view') RETURNING id;
CREATE DOMAIN part_id AS bigint DEFAULT idgen_next('parts') CHECK (VALUE > 0);
CREATE TABLE of_domain (id part_id, n int);
INSERT INTO of_domain (n) VALUES (1), (2) RETURNING id;
CREATE TABLE child () INHERITS (invoices);
INSERT INTO child (amount) VALUES (1) RETURNING id;

-- a default keeps the extension from being dropped
DROP TABLE child, old, parts, ranges;
DROP DOMAIN part_id CASCADE;
DROP VIEW orders_view;
DROP TABLE of_domain, invoices;
DROP EXTENSION idgen;
\echo :SQLSTATE
DROP TABLE orders;
DROP EXTENSION idgen;
