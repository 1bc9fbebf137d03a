--
-- Slips of a user, which would go unnoticed until ids are drawn, or later
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never

-- a start that the layout can never issue
SELECT idgen_create('scrambled', 0, layout => 'scrambled');
\echo :SQLSTATE
SELECT idgen_create('scrambled/*', 0, layout => 'scrambled');
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('scrambled', -5, 'scrambled');
INSERT INTO id_sequences (name, next_block_start) VALUES ('plain', 0);
UPDATE id_sequences SET layout = 'scrambled' WHERE name = 'plain';
SELECT idgen_create('composed', -1, layout => 'prefixed');
\echo :SQLSTATE
SELECT idgen_create('composed', -1, layout => 'session_reversed', big_base => 0);
UPDATE id_sequences SET layout = 'session', next_block_start = -1 WHERE name = 'plain';

-- one that it can
UPDATE id_sequences SET layout = 'session' WHERE name = 'plain';
SELECT idgen_create('scrambled', 1, layout => 'scrambled');
SELECT idgen_create('big', -1, layout => 'prefixed', big_base => 1);
SELECT idgen_create('wide', 1000000000000000, layout => 'prefixed');
CREATE SEQUENCE elsewhere_seq;
SELECT idgen_create('elsewhere', 0, source => 'sequence', layout => 'scrambled');
SELECT name, next_block_start, layout FROM id_sequences ORDER BY name;

-- of a row that has a bad one, all else can be changed
SET session_replication_role = replica;
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('bad', -1, 'prefixed');
RESET session_replication_role;
UPDATE id_sequences SET block_size = 50 WHERE name = 'bad' RETURNING next_block_start;

-- a big_base that would be rounded
SELECT idgen_create('half', big_base => 0.5);
\echo :SQLSTATE
SELECT idgen_create('half', big_base => -1e20 + 0.01);
SELECT idgen_create('whole', big_base => 2.00);
SELECT big_base FROM id_sequences WHERE name = 'whole';

-- a column of the system's
SELECT idgen_create('oids', owned_by => 'pg_class.oid');
\echo :SQLSTATE
SELECT idgen_create('oids', owned_by => 'information_schema.sql_features.feature_id');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('oids', 1, 'pg_class.oid') RETURNING owned_by;
UPDATE id_sequences SET owned_by = 'pg_stats.attname' WHERE name = 'oids';
\echo :SQLSTATE

-- a template was meant
SELECT idgen_create('in*');
\echo :SQLSTATE
SELECT idgen_create('bill/%', block_size => 1);
SELECT idgen_create('bill/**');
SELECT idgen_create('bill/*/2026');
SELECT idgen_create('*');
-- names that one may well have
SELECT idgen_create('50%'), idgen_create('a*b'), idgen_create('*a'), idgen_create('in%'), idgen_create('a/%b'), idgen_create('/*'), idgen_create('a%/*');
-- and what draws and programs write
SELECT idgen_next('/a*');
INSERT INTO id_sequences (name, next_block_start) VALUES ('in*', 1), ('bill/%', 1);

-- the name and the refill of a column that is adopted
CREATE TABLE orders (id serial);
SELECT idgen_adopt('orders', 'id', 'worker');
\echo :SQLSTATE
SELECT idgen_adopt('orders', 'id', 'auto', 'transaction');
-- a table of that name, and an id sequence that belongs to the column already
CREATE TABLE transaction (id int);
SELECT idgen_adopt('transaction', 'id', 'transaction');
SELECT idgen_create('worker', owned_by => 'orders.id');
SELECT idgen_adopt('orders', 'id', 'worker');

DROP TABLE orders, transaction;
-- a table that is gone
SELECT idgen_sync(4294967295::regclass);
\echo :SQLSTATE
SELECT idgen_sync(4294967295::regclass, 'id');

-- a restart near the end of the range leaves little of it
SELECT idgen_create('range', max_value => 1000);
SELECT idgen_restart('range', 991);
SELECT start_value, next_block_start FROM id_sequences WHERE name = 'range';
SELECT percent_left FROM idgen_health WHERE name = 'range';
SELECT idgen_restart('range', -999);
SELECT start_value, next_block_start FROM id_sequences WHERE name = 'range';

-- a column goes on after an id sequence that is used up
CREATE TABLE used_up (id int, small smallint, counted bigint, big bigint);
SELECT idgen_adopt('used_up', 'id', 'used up'), idgen_adopt('used_up', 'small', 'small'), idgen_adopt('used_up', 'big', 'big end');
UPDATE id_sequences SET max_value = 3, block_size = 2 WHERE name = 'used up';
UPDATE id_sequences SET next_block_start = 32767 WHERE name = 'small';
UPDATE id_sequences SET next_block_start = 9223372036854775807 WHERE name = 'big end';
CREATE SEQUENCE counted MAXVALUE 3;
SELECT idgen_create('counted', source => 'sequence', source_name => 'counted', owned_by => 'used_up.counted', block_size => 10);
ALTER TABLE used_up ALTER counted SET DEFAULT idgen_next('counted');
SELECT idgen_next('used up'), idgen_next('used up'), idgen_next('used up'), idgen_next('small'), idgen_next('big end'), idgen_next('counted');
SELECT idgen_next('used up');
SELECT idgen_release('used_up', 'id', 'serial');
SELECT idgen_release('used_up', 'counted', 'serial');
-- its type has no room
SELECT idgen_release('used_up', 'small', 'serial');
\echo :SQLSTATE
SELECT idgen_release('used_up', 'big', 'serial');
-- one that somebody has stopped goes on
UPDATE id_sequences SET next_block_start = 20, exhausted = 1 WHERE name = 'small';
SELECT idgen_release('used_up', 'small', 'serial');
INSERT INTO used_up (small, big) VALUES (1, 1) RETURNING id, counted;
DROP TABLE used_up;
DROP SEQUENCE counted;

-- a node number that is no digit of composed ids
SELECT idgen_create('digit', layout => 'prefixed'), idgen_create('no digit');
SELECT name, problem_kind, problem FROM idgen_health WHERE name LIKE '%digit' ORDER BY name;
ALTER SYSTEM SET idgen.node_id = 12;
SELECT pg_reload_conf();
\c -
SELECT idgen_next('digit');
SELECT problem_kind, problem FROM idgen_health WHERE name = 'digit';
ALTER SYSTEM SET idgen.node_id = 8;
SELECT pg_reload_conf();
\c -
SELECT problem_kind, problem FROM idgen_health WHERE name = 'digit';
ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();

-- a column that is full: what its type limits, the server says
CREATE TABLE full_up (id int, "Small" smallint, counted int);
SELECT idgen_adopt('full_up', 'id', 'full'), idgen_adopt('full_up', 'Small', 'Small', 'transaction');
CREATE SEQUENCE full_seq AS integer START 2147483647;
SELECT idgen_create('counted', source => 'sequence', source_name => 'full_seq', owned_by => 'full_up.counted');
UPDATE id_sequences SET next_block_start = 2147483647, max_value = 2147483647 WHERE name = 'full';
UPDATE id_sequences SET next_block_start = 40000, max_value = 40000 WHERE name = 'Small';
SELECT idgen_next('full'), idgen_next('Small'), idgen_next('counted');
SELECT idgen_next('full');
SELECT idgen_next('Small');
SELECT idgen_next('counted');
SELECT idgen_release('full_up', 'Small');
-- and of which somebody has inserted the last id
CREATE TABLE jumped (id int);
SELECT idgen_adopt('jumped', 'id', 'jumped');
INSERT INTO jumped VALUES (2147483647);
SELECT idgen_sync('jumped', 'id');
INSERT INTO jumped DEFAULT VALUES;
\echo :SQLSTATE
-- the hint can be followed as it stands
ALTER TABLE public.full_up ALTER COLUMN id TYPE bigint;
UPDATE id_sequences SET max_value = 3000000000, exhausted = 0 WHERE name = 'full';
SELECT idgen_next('full');
DROP TABLE full_up, jumped;
DROP SEQUENCE full_seq;

DROP EXTENSION idgen;
DROP SEQUENCE elsewhere_seq;
