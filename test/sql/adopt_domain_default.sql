--
-- A default can hide in a domain, or in a partition or an inheritance child:
-- idgen_adopt begins behind what was drawn by it, and idgen_release leaves
-- nobody without ids
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SEQUENCE drawn;
SELECT setval('drawn', 1000);

-- a domain's default, whether there are rows or not
CREATE DOMAIN order_id AS bigint DEFAULT nextval('drawn');
CREATE TABLE orders (id order_id, item text);
INSERT INTO orders VALUES (900);
SELECT idgen_adopt('orders', 'id');
INSERT INTO orders DEFAULT VALUES RETURNING id;
CREATE TABLE no_rows (id order_id);
SELECT idgen_adopt('no_rows', 'id');
INSERT INTO no_rows DEFAULT VALUES RETURNING id;

-- a domain over it, which takes the default over, or has one of its own
CREATE DOMAIN part_id AS order_id CHECK (VALUE > 0);
CREATE TABLE parts (id part_id);
SELECT idgen_adopt('parts', 'id');
CREATE SEQUENCE other_drawn START WITH 5000;
CREATE DOMAIN other_id AS order_id DEFAULT nextval('other_drawn');
CREATE TABLE others (id other_id);
SELECT idgen_adopt('others', 'id');

-- a default of the column itself comes first, and be it null
CREATE TABLE own_default (id order_id DEFAULT nextval('other_drawn'));
SELECT idgen_adopt('own_default', 'id');
CREATE TABLE no_default (id order_id DEFAULT NULL);
SELECT idgen_adopt('no_default', 'id');

-- one that draws from no sequence
CREATE DOMAIN zero AS integer DEFAULT 0;
CREATE TABLE zeros (id zero);
INSERT INTO zeros DEFAULT VALUES;
SELECT idgen_adopt('zeros', 'id');
INSERT INTO zeros DEFAULT VALUES RETURNING id;

-- who may not use the sequence may not move the column
CREATE ROLE regress_idgen_owner;
GRANT INSERT ON id_sequences TO regress_idgen_owner;
CREATE TABLE owned (id order_id);
ALTER TABLE owned OWNER TO regress_idgen_owner;
SET ROLE regress_idgen_owner;
SELECT idgen_adopt('owned', 'id');
\echo :SQLSTATE
RESET ROLE;

-- a child that has no default of its own any more, or another one
CREATE TABLE parent (id order_id DEFAULT 7);
CREATE TABLE child () INHERITS (parent);
ALTER TABLE child ALTER COLUMN id DROP DEFAULT;
SELECT idgen_adopt('parent', 'id');
INSERT INTO child DEFAULT VALUES RETURNING id;
CREATE TABLE parent2 (id bigint);
CREATE TABLE child2 () INHERITS (parent2);
ALTER TABLE child2 ALTER COLUMN id SET DEFAULT nextval('other_drawn');
SELECT idgen_adopt('parent2', 'id');
INSERT INTO child2 DEFAULT VALUES RETURNING id;

-- a partition that has
CREATE TABLE events (id bigserial, kind integer) PARTITION BY LIST (kind);
CREATE TABLE events1 PARTITION OF events FOR VALUES IN (1);
ALTER TABLE events1 ALTER COLUMN id SET DEFAULT nextval('drawn');
SELECT idgen_adopt('events', 'id');
INSERT INTO events1 VALUES (DEFAULT, 1) RETURNING id;

-- a sequence that belongs to a column without a default
CREATE TABLE no_use (id bigint);
CREATE SEQUENCE of_no_use START WITH 300 OWNED BY no_use.id;
SELECT idgen_adopt('no_use', 'id');

-- ids of an id sequence that a domain, or a child draws from
SELECT idgen_create('by domain');
CREATE DOMAIN drawing AS bigint DEFAULT idgen_next('by domain');
CREATE TABLE draws (id drawing);
INSERT INTO draws DEFAULT VALUES RETURNING id;
SELECT idgen_adopt('draws', 'id');
\echo :SQLSTATE
SELECT idgen_release('draws', 'id');
\echo :SQLSTATE
CREATE TABLE uses (id bigint DEFAULT idgen_next('by domain'));
SELECT idgen_release('uses', 'id');
\echo :SQLSTATE
CREATE TABLE parent3 (id bigserial);
CREATE TABLE child3 () INHERITS (parent3);
ALTER TABLE child3 ALTER COLUMN id SET DEFAULT idgen_next('by domain');
SELECT idgen_adopt('parent3', 'id');
\echo :SQLSTATE

-- moving back: what a partition draws from otherwise
CREATE TABLE logs (id bigint, kind integer) PARTITION BY LIST (kind);
CREATE TABLE logs1 PARTITION OF logs FOR VALUES IN (1);
SELECT idgen_adopt('logs', 'id');
ALTER TABLE logs1 ALTER COLUMN id SET DEFAULT idgen_next('by domain');
SELECT idgen_release('logs', 'id');
\echo :SQLSTATE
ALTER TABLE logs1 ALTER COLUMN id SET DEFAULT nextval('drawn');
SELECT split_part(idgen_release('logs', 'id'), ';', 1);
INSERT INTO logs VALUES (DEFAULT, 1) RETURNING id;

DROP TABLE orders, no_rows, parts, others, own_default, no_default, zeros, owned, parent, child, parent2, child2,
	events, no_use, draws, uses, parent3, child3, logs;
DROP DOMAIN order_id CASCADE;
DROP DOMAIN zero, drawing;
DROP SEQUENCE drawn, other_drawn;
DROP OWNED BY regress_idgen_owner;
DROP ROLE regress_idgen_owner;
DROP EXTENSION idgen;
