--
-- Anybody can make a table whose default draws from the id sequence of somebody
-- else: it moves, exhausts, alarms and blocks nothing
--
-- needs test/idgen.conf
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_app;
CREATE ROLE regress_idgen_migrator;
CREATE ROLE regress_idgen_stranger;
CREATE SCHEMA app AUTHORIZATION regress_idgen_app;
CREATE SCHEMA stranger AUTHORIZATION regress_idgen_stranger;
GRANT USAGE ON SCHEMA stranger TO PUBLIC;
SET ROLE regress_idgen_app;
CREATE TABLE app.orders (id serial PRIMARY KEY);
CREATE TABLE app.copies (id bigint PRIMARY KEY);
INSERT INTO app.orders SELECT FROM generate_series(1, 3);
RESET ROLE;
SELECT idgen_adopt('app.orders', 'id', 'orders');
GRANT UPDATE ON id_sequences TO regress_idgen_app;
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.small (id smallint PRIMARY KEY DEFAULT idgen_next('orders'));
CREATE TABLE stranger.huge (id bigint PRIMARY KEY DEFAULT idgen_next('orders'));
CREATE DOMAIN stranger.domain AS bigint DEFAULT idgen_next('orders');
INSERT INTO stranger.huge VALUES (9223372036854775800);
INSERT INTO stranger.small VALUES (32767);
RESET ROLE;

-- health names them, and does not mind them
SELECT columns, limit_value, problem_kind FROM idgen_health WHERE name = 'orders';

-- neither does anybody's idgen_sync
SELECT idgen_sync('app.orders', 'id');
SELECT idgen_sync('app.orders');
SELECT idgen_sync();
SET ROLE regress_idgen_app;
SELECT idgen_sync('app.orders', 'id');
RESET ROLE;
SELECT next_block_start < 1000 AS stayed FROM id_sequences WHERE name = 'orders';

-- other tables of the owner count, and those of roles that act for it
SET ROLE regress_idgen_app;
ALTER TABLE app.copies ALTER id SET DEFAULT idgen_next('orders');
INSERT INTO app.copies VALUES (5000);
RESET ROLE;
SELECT idgen_sync('app.orders', 'id');
GRANT regress_idgen_app TO regress_idgen_migrator;
ALTER TABLE app.copies OWNER TO regress_idgen_migrator;
INSERT INTO app.copies VALUES (6000);
SELECT columns, problem_kind FROM idgen_health WHERE name = 'orders';
SELECT idgen_sync('app.orders', 'id');
SELECT columns, problem_kind FROM idgen_health WHERE name = 'orders';

-- so does a role that may delete the row; and who names a table answers for it
REVOKE regress_idgen_app FROM regress_idgen_migrator;
INSERT INTO app.copies VALUES (7000);
SELECT idgen_sync('app.orders', 'id');
GRANT DELETE ON id_sequences TO regress_idgen_migrator;
SELECT idgen_sync('app.orders', 'id');
BEGIN;
SELECT idgen_sync('stranger.small', 'id');
ROLLBACK;
DROP TABLE app.copies;

-- a native sequence: the columns of roles that may set it
SET ROLE regress_idgen_app;
CREATE SEQUENCE app.numbers_seq INCREMENT BY 10;
GRANT USAGE ON SCHEMA app TO regress_idgen_stranger;
GRANT USAGE ON SEQUENCE app.numbers_seq TO regress_idgen_stranger;
CREATE TABLE app.numbers (id bigint PRIMARY KEY DEFAULT idgen_next('app.numbers', 'sequence'));
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.numbers (id bigint PRIMARY KEY DEFAULT idgen_next('app.numbers', 'sequence'));
INSERT INTO stranger.numbers VALUES (9223372036854775800);
RESET ROLE;
INSERT INTO app.numbers VALUES (70);
SELECT idgen_sync('app.numbers', 'id');
SELECT idgen_sync();
DROP TABLE app.numbers;

-- it keeps no column from being moved back
SELECT idgen_release('app.orders', 'id');

-- a row that is missing
SET ROLE regress_idgen_app;
ALTER TABLE app.orders ALTER id DROP IDENTITY, ALTER id SET DEFAULT idgen_next('orders');
CREATE TABLE app.adopted (id bigint DEFAULT idgen_next('app.adopted.id'));
SET ROLE regress_idgen_stranger;
CREATE TABLE stranger.adopted (id bigint DEFAULT idgen_next('app.adopted.id'));
INSERT INTO stranger.adopted VALUES (9223372036854775800);
RESET ROLE;
SELECT idgen_sync();
SELECT idgen_sync('app.orders');
SELECT name, next_block_start, max_value, owned_by FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP SCHEMA app, stranger CASCADE;
DROP ROLE regress_idgen_app, regress_idgen_migrator, regress_idgen_stranger;
