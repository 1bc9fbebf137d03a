--
-- idgen_grant() gives a role what it needs for what it is to do, and
-- idgen_revoke() takes it back
--
CREATE SCHEMA idgen;
CREATE EXTENSION idgen SCHEMA idgen;
REVOKE SELECT ON idgen.id_sequences FROM PUBLIC;
CREATE ROLE regress_idgen_app;
CREATE ROLE "Regress idgen's migrator";
CREATE SCHEMA regress_idgen_shop AUTHORIZATION "Regress idgen's migrator";
GRANT USAGE ON SCHEMA regress_idgen_shop TO regress_idgen_app;
SELECT idgen.idgen_create('orders', block_size => 1);

-- a role that draws: every error names the call that helps
SET ROLE regress_idgen_app;
SELECT idgen.idgen_next('orders');
RESET ROLE;
GRANT USAGE ON SCHEMA idgen TO regress_idgen_app;
SET ROLE regress_idgen_app;
SELECT idgen.idgen_next('orders');
RESET ROLE;
SELECT idgen.idgen_grant('regress_idgen_app', 'draw');
SET ROLE regress_idgen_app;
SELECT idgen.idgen_next('orders');
SELECT idgen.idgen_create('mine');
SELECT idgen.idgen_restart('orders', 1);
SELECT idgen.idgen_drop_children('orders', now());
SELECT count(*) FROM idgen.idgen_stats;
RESET ROLE;

-- a role that migrates needs no more than its own tables
SELECT idgen.idgen_grant('"Regress idgen''s migrator"');
SET ROLE "Regress idgen's migrator";
CREATE TABLE regress_idgen_shop.orders (id serial PRIMARY KEY, item text);
INSERT INTO regress_idgen_shop.orders (item) VALUES ('a'), ('b');
SELECT idgen.idgen_adopt('regress_idgen_shop.orders', 'id', refill => 'transaction');
INSERT INTO regress_idgen_shop.orders (id, item) VALUES (1000, 'imported');
SELECT idgen.idgen_sync('regress_idgen_shop.orders', 'id');
INSERT INTO regress_idgen_shop.orders (item) VALUES ('c') RETURNING id;
SELECT idgen.idgen_restart('regress_idgen_shop.orders.id', 2000);
INSERT INTO regress_idgen_shop.orders (item) VALUES ('d') RETURNING id;
SELECT idgen.idgen_release('regress_idgen_shop.orders', 'id');
SELECT * FROM idgen.idgen_adopt_columns('{regress_idgen_shop.orders}', '{id}', refill => 'transaction');
SELECT * FROM idgen.idgen_release_columns('{regress_idgen_shop.orders}', '{id}', 'serial');
-- ... with id sequences that belong to its columns
SELECT idgen.idgen_create('parcels', owned_by => 'regress_idgen_shop.orders.id');
UPDATE idgen.id_sequences SET owned_by = NULL WHERE name = 'parcels';
UPDATE idgen.id_sequences SET owned_by = 'regress_idgen_shop.orders.id' WHERE name = 'parcels';
SELECT name, owned_by FROM idgen.id_sequences ORDER BY name;
ALTER TABLE regress_idgen_shop.orders ALTER id TYPE bigint;
DROP TABLE regress_idgen_shop.orders;
SELECT name, owned_by FROM idgen.id_sequences ORDER BY name;
-- ... and templates
SELECT idgen.idgen_create('t/*');
SELECT idgen.idgen_next('t/a');
UPDATE idgen.id_sequences SET block_size = 50 WHERE name = 't/*';
SELECT idgen.idgen_apply_template('t/*'), idgen.idgen_drop_children('t/*', now() + interval '1 day');
-- ... but runs nobody's code, and grants nothing
SELECT idgen.idgen_create('f', source => 'function', source_name => 'generate_series');
INSERT INTO idgen.id_sequences (name, next_block_start, source, source_name) VALUES ('f', 1, 'function', 'pg_catalog.f');
SELECT idgen.idgen_grant('regress_idgen_app');
SELECT idgen.idgen_revoke('regress_idgen_app');
RESET ROLE;

-- a part of the privileges
SELECT idgen.idgen_revoke('"Regress idgen''s migrator"', 'migrate');
GRANT INSERT ON idgen.id_sequences TO "Regress idgen's migrator";
SET ROLE "Regress idgen's migrator";
CREATE TABLE regress_idgen_shop.orders (id serial PRIMARY KEY);
SELECT idgen.idgen_adopt('regress_idgen_shop.orders', 'id', refill => 'transaction');
BEGIN;
SELECT idgen.idgen_release('regress_idgen_shop.orders', 'id');
ROLLBACK;
SELECT count(*) FROM idgen.idgen_release_columns('{regress_idgen_shop.orders}', '{id}');
RESET ROLE;
GRANT UPDATE ON idgen.id_sequences TO "Regress idgen's migrator";
SET ROLE "Regress idgen's migrator";
SELECT idgen.idgen_release('regress_idgen_shop.orders', 'id');
UPDATE idgen.id_sequences SET owned_by = 'regress_idgen_shop.orders.id' WHERE name LIKE 'regress%';
UPDATE idgen.id_sequences SET owned_by = NULL WHERE name LIKE 'regress%';
UPDATE idgen.id_sequences SET owned_by = 'regress_idgen_shop.orders.id' WHERE name LIKE 'regress%';
RESET ROLE;
-- ... columns of it alone
REVOKE INSERT, UPDATE ON idgen.id_sequences FROM "Regress idgen's migrator";
GRANT INSERT (name, next_block_start, block_size, max_value, refill, owned_by, start_value), UPDATE (exhausted), DELETE
	ON idgen.id_sequences TO "Regress idgen's migrator";
SET ROLE "Regress idgen's migrator";
SELECT idgen.idgen_release('regress_idgen_shop.orders', 'id');
SELECT idgen.idgen_adopt('regress_idgen_shop.orders', 'id', refill => 'transaction');
SELECT idgen.idgen_create('mine');
RESET ROLE;

-- back: with level migrate the role can still draw; then nothing is left
SELECT idgen.idgen_grant('regress_idgen_app');
SELECT idgen.idgen_revoke('regress_idgen_app', 'migrate');
SET ROLE regress_idgen_app;
SELECT idgen.idgen_next('orders');
RESET ROLE;
SELECT idgen.idgen_revoke('regress_idgen_app');
SELECT idgen.idgen_revoke('regress_idgen_app');
GRANT SELECT ON idgen.id_sequences TO PUBLIC;
SELECT idgen.idgen_grant('regress_idgen_app', 'draw');
SELECT idgen.idgen_revoke('regress_idgen_app');
SELECT idgen.idgen_revoke(CURRENT_USER::regrole) LIKE '%it still has USAGE on schema "idgen"; SELECT, INSERT, UPDATE, DELETE on table "idgen.id_sequences"';

-- an owner of the table alone grants what is missing
ALTER TABLE idgen.id_sequences OWNER TO "Regress idgen's migrator";
SET ROLE "Regress idgen's migrator";
SELECT idgen.idgen_grant('regress_idgen_app');
RESET ROLE;
GRANT USAGE ON SCHEMA idgen TO PUBLIC;
SET ROLE "Regress idgen's migrator";
SELECT idgen.idgen_grant('regress_idgen_app');
SELECT idgen.idgen_revoke('regress_idgen_app');
RESET ROLE;
ALTER TABLE idgen.id_sequences OWNER TO CURRENT_USER;

-- what makes no sense
SELECT idgen.idgen_grant('regress_idgen_app', 'all');
\echo :SQLSTATE
SELECT idgen.idgen_revoke('regress_idgen_app', '');
\echo :SQLSTATE
SELECT idgen.idgen_grant('regress_idgen_nobody');
\echo :SQLSTATE
SELECT idgen.idgen_grant(0);
\echo :SQLSTATE
SELECT idgen.idgen_grant(NULL);
\echo :SQLSTATE
SELECT idgen.idgen_grant('regress_idgen_app', NULL);
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen.idgen_grant('regress_idgen_app');
ROLLBACK;

-- names that need quotes
CREATE SCHEMA "It's Ids";
ALTER EXTENSION idgen SET SCHEMA "It's Ids";
SELECT "It's Ids".idgen_grant('"Regress idgen''s migrator"', level => 'draw');
SET ROLE "Regress idgen's migrator";
SELECT "It's Ids".idgen_restart('orders', 5);
RESET ROLE;

DROP SCHEMA regress_idgen_shop CASCADE;
DROP EXTENSION idgen;
DROP SCHEMA idgen, "It's Ids";
DROP ROLE regress_idgen_app, "Regress idgen's migrator";
