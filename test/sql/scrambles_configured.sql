--
-- Scrambled ids
--
-- needs test/idgen.conf
--

--
-- Layout "scrambled": every id of the range once, in an order that only the key
-- tells
--
-- A cache of the session's own is emptied by a change of a row.
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
-- a secret and a salt that are known, so that the ids are
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);
INSERT INTO id_sequences (name, next_block_start, max_value, layout, salt) VALUES
	('ten', 1, 10, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f'),
	('orders', 1, 9223372036854775807, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('ten') FROM generate_series(1, 3);
SELECT idgen_peek('ten'), idgen_next('ten'), idgen_last('ten');
SELECT array_agg(id ORDER BY id) FROM (SELECT 3 UNION ALL SELECT 7 UNION ALL SELECT 10 UNION ALL SELECT idgen_last('ten')
	UNION ALL SELECT idgen_next('ten') FROM generate_series(1, 6)) ids(id);
SELECT array_agg(idgen_unscramble('ten', id)) FROM generate_series(1, 10) id;
SELECT idgen_next('ten');
\echo :SQLSTATE
SELECT idgen_next('orders') FROM generate_series(1, 3);

-- every range of few values, whole, by a salt made at random
DO $$
BEGIN
	FOR n IN 1 .. 150 LOOP
		PERFORM idgen_create('range', max_value => n, block_size => 40, layout => 'scrambled');
		ASSERT (SELECT array_agg(id ORDER BY id) = array_agg(i::bigint ORDER BY i) AND bool_and(idgen_unscramble('range', id) = i)
			FROM (SELECT i, idgen_next('range') AS id FROM generate_series(1, n) i) ids), n;
		DELETE FROM id_sequences WHERE name = 'range';
	END LOOP;
END $$;
-- and a wide one
SELECT idgen_create('wide', max_value => 9007199254740991, layout => 'scrambled');
SELECT count(DISTINCT id), bool_and(id BETWEEN 1 AND 9007199254740991), bool_and(idgen_unscramble('wide', id) = i)
FROM (SELECT i, idgen_next('wide') AS id FROM generate_series(1, 10000) i) ids;

-- one that takes more rounds, and one that takes still more
INSERT INTO id_sequences (name, next_block_start, max_value, layout, salt) VALUES
	('medium', 1, 2147483647, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f'),
	('narrow', 1, 1000000, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
SELECT idgen_next('medium'), idgen_next('narrow') FROM generate_series(1, 3);

-- two salts, two orders
SELECT idgen_create('other', layout => 'scrambled');
SELECT idgen_unscramble('other', idgen_last('orders')) = 3 AS same;

-- the other functions
SELECT idgen_next_big('orders') = idgen_last('orders') AS same, idgen_unscramble('orders', idgen_last('orders'));
UPDATE id_sequences SET big_base = 10000000000000000000 WHERE name = 'orders';
SELECT idgen_next_big('orders') - idgen_last('orders') AS big_base,
	idgen_unscramble('orders', idgen_last('orders'));
SELECT idgen_next('orders', 'table') = idgen_last('orders') AS same;
SELECT next_block_start, ids_issued, percent_left
FROM idgen_stats JOIN id_sequences USING (name) WHERE name = 'wide';
SELECT first_id, last_id FROM idgen_cache WHERE name = 'orders';
SELECT idgen_next_range('orders', 2);
\echo :SQLSTATE
SELECT idgen_parts(42::bigint, 'scrambled');
\echo :SQLSTATE
SELECT idgen_unscramble('orders', idgen_next('orders'));

-- idgen_restart takes a sequence value, and ids are issued once more
SELECT idgen_restart('orders', 2);
SELECT idgen_next('orders'), idgen_next('orders');
SELECT idgen_restart('orders', 1000);
SELECT idgen_unscramble('orders', idgen_next('orders'));
SELECT idgen_restart('orders', 0);
\echo :SQLSTATE
SELECT idgen_restart('ten', 11);
\echo :SQLSTATE

-- ids that are none
SELECT idgen_unscramble('ten', 0);
\echo :SQLSTATE
SELECT idgen_unscramble('ten', 11);
\echo :SQLSTATE
SELECT idgen_unscramble('nobody', 1);
\echo :SQLSTATE
SELECT idgen_create('plain');
SELECT idgen_unscramble('plain', 1);
\echo :SQLSTATE

-- a column default, in COPY as well, and in PL/pgSQL
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('wide'), what text);
COPY orders (what) FROM stdin;
a
b
c
\.
INSERT INTO orders (what) VALUES ('d') RETURNING idgen_unscramble('wide', id);
SELECT array_agg(idgen_unscramble('wide', id) ORDER BY what) FROM orders;
-- what no id sequence can go behind
SELECT idgen_sync('orders', 'id');
\echo :SQLSTATE
SELECT idgen_release('orders', 'id');
\echo :SQLSTATE
DROP TABLE orders;

-- as with other layouts: transactions, savepoints, gapless ids
SELECT idgen_create('gapless', block_size => 1, layout => 'scrambled');
BEGIN;
SELECT idgen_unscramble('gapless', idgen_next('gapless'));
SAVEPOINT a;
SELECT idgen_unscramble('gapless', idgen_next('gapless')) FROM generate_series(1, 3);
ROLLBACK TO a;
SELECT idgen_unscramble('gapless', idgen_next('gapless'));
COMMIT;
BEGIN;
SELECT idgen_unscramble('gapless', idgen_next('gapless'));
ROLLBACK;
SELECT idgen_unscramble('gapless', idgen_next('gapless'));
SELECT next_block_start FROM id_sequences WHERE name = 'gapless';

-- sequence values out of the range, of which only replication writes low ones
SELECT idgen_create('low', layout => 'scrambled');
SET session_replication_role = replica;
UPDATE id_sequences SET next_block_start = -1 WHERE name = 'low';
RESET session_replication_role;
SELECT idgen_next('low');
\echo :SQLSTATE
SELECT idgen_next('low');
SELECT idgen_restart('low', 1);
SELECT idgen_unscramble('low', idgen_next('low'));
CREATE SEQUENCE few_seq START 4;
SELECT idgen_create('few', source => 'sequence', max_value => 5, layout => 'scrambled');
SELECT idgen_unscramble('few', idgen_next('few')) FROM generate_series(1, 2);
SELECT idgen_next('few');
\echo :SQLSTATE
SELECT idgen_next('few');
SELECT last_value FROM few_seq;
SELECT idgen_create('none', max_value => 0, layout => 'scrambled');
\echo :SQLSTATE

DROP SEQUENCE few_seq;
DROP EXTENSION idgen;
\set SHOW_CONTEXT errors

\c -
--
-- Each child of a template that scrambles has a salt of its own, whoever makes
-- the child
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_drawer;
INSERT INTO id_sequences (name, next_block_start, max_value, refill, layout) VALUES
	('key/*', 1, 1000, 'transaction', 'scrambled'), ('worker/*', 1, 1000, 'worker', 'scrambled'), ('auto/*', 1, 1000, 'auto', 'scrambled');
SELECT count(salt) FROM id_sequences;
SET ROLE regress_idgen_drawer;
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('key/a') FROM generate_series(1, 300)) ids(id);
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('worker/a') FROM generate_series(1, 300)) ids(id);
SELECT count(DISTINCT id), min(id) >= 1 AND max(id) <= 1000 AS in_range FROM (SELECT idgen_next('auto/a') FROM generate_series(1, 300)) ids(id);
SELECT idgen_next(parent || '/b') > 0 AS id FROM unnest('{key,worker,auto}'::text[]) parent;
-- nobody knows the id of a child that is not there
SELECT idgen_peek('key/c');
\echo :SQLSTATE
SELECT idgen_peek('worker/c');
\echo :SQLSTATE
BEGIN;
SELECT idgen_next('key/rolled_back') > 0 AS id;
ROLLBACK;
RESET ROLE;
SELECT name FROM id_sequences WHERE salt IS NOT NULL ORDER BY name;
SELECT count(DISTINCT salt) FROM id_sequences;
SELECT count(*) FROM idgen_secrets;

-- a change of the template does not get to children that are in use
UPDATE id_sequences SET max_value = 2000 WHERE name = 'key/*';
\set VERBOSITY sqlstate
SELECT idgen_apply_template('key/*');
\set VERBOSITY default
SELECT idgen_next('key/d') BETWEEN 1 AND 2000 AS id;
SELECT name, max_value FROM id_sequences WHERE name LIKE 'key/%' ORDER BY name;
DELETE FROM id_sequences WHERE template = 'key/*';

-- numbers by year: the same numbers each year, in another order
SELECT idgen_create('yearly', max_value => 50, layout => 'scrambled', period => 'year', format => '{YYYY}-{id:2}');
SELECT count(DISTINCT t), min(t) LIKE '2025-%' AS of_year FROM (SELECT idgen_next_text('yearly', at => '2025-05-05') FROM generate_series(1, 50)) texts(t);
SELECT count(DISTINCT t), min(t) LIKE '2024-%' AS of_year FROM (SELECT idgen_next_text('yearly', at => '2024-05-05') FROM generate_series(1, 50)) texts(t);
SELECT count(DISTINCT salt) FROM id_sequences WHERE name LIKE 'yearly%';
SELECT count(DISTINCT id), max(id) <= 50 AS in_range FROM (SELECT idgen_next('yearly') FROM generate_series(1, 50)) ids(id);
SELECT idgen_last('yearly') <= 50 AS in_range;
\set VERBOSITY sqlstate
SELECT idgen_unscramble('yearly', 1);
\set VERBOSITY default
SELECT idgen_unscramble('yearly/2025', idgen_text_value('yearly/2025', '2025-07')) BETWEEN 1 AND 50 AS value;

-- a template of nodes: a child would need the salt that it has on the others
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw;
INSERT INTO id_sequences (name, next_block_start, source, layout) VALUES ('central/*', 1, 'server', 'scrambled');
SELECT idgen_next('central/a');
\echo :SQLSTATE

DROP EXTENSION idgen CASCADE;
DROP ROLE regress_idgen_drawer;

\c -
--
-- Who draws scrambled ids neither sees a secret nor unscrambles; who may write
-- the row does the latter
--
-- A cache of the session's own is emptied by a change of a row.
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_drawer;
CREATE ROLE regress_idgen_writer;
INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 48), 'hex') || '\x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f') AS v(s);
INSERT INTO id_sequences (name, next_block_start, layout, salt) VALUES ('orders', 1, 'scrambled', '\x76e89190844a7b92000102030405060708090a0b0c0d0e0f');
GRANT INSERT, UPDATE, DELETE ON id_sequences TO regress_idgen_writer;

SET ROLE regress_idgen_drawer;
SELECT idgen_next('orders'), idgen_peek('orders');
SELECT * FROM idgen_secrets;
\echo :SQLSTATE
INSERT INTO idgen_secrets VALUES ('\x00', '\x00');
\echo :SQLSTATE
EXPLAIN SELECT secret FROM idgen_secrets;
\echo :SQLSTATE
COPY idgen_secrets TO stdout;
\echo :SQLSTATE
SELECT idgen_unscramble('orders', 1);
\echo :SQLSTATE

-- a row that scrambles is made, renamed and deleted without a privilege on it
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', idgen_last('orders'));
SELECT idgen_create('mine', layout => 'scrambled');
SELECT idgen_unscramble('mine', idgen_next('mine'));
UPDATE id_sequences SET name = 'renamed', layout = layout, salt = salt WHERE name = 'mine';
SELECT idgen_unscramble('renamed', idgen_next('renamed')) > 1 AS further;
SELECT fingerprint FROM idgen_secrets;
-- but with the salt of another row, its own ids would tell what the other's are
INSERT INTO id_sequences (name, next_block_start, layout, salt) SELECT 'spy', 1, layout, salt FROM id_sequences WHERE name = 'orders';
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, salt) SELECT 'spy', 1, salt FROM id_sequences WHERE name = 'orders';
\echo :SQLSTATE
SELECT idgen_create('spy', layout => 'scrambled');
UPDATE id_sequences SET salt = (SELECT salt FROM id_sequences WHERE name = 'orders') WHERE name = 'spy';
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name IN ('renamed', 'spy');
RESET ROLE;

-- what the owner puts on the table runs with the owner's rights
CREATE TABLE audit (bytes integer, by_owner boolean);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO audit VALUES (length(new.fingerprint), current_user = (SELECT relowner::regrole::text FROM pg_class WHERE oid = 'idgen_secrets'::regclass));
	RETURN new;
END $$;
ALTER FUNCTION note() SET search_path = public;
CREATE TRIGGER note BEFORE INSERT ON idgen_secrets FOR EACH ROW EXECUTE FUNCTION note();
CREATE TABLE secrets AS TABLE idgen_secrets;
DELETE FROM idgen_secrets;
SET ROLE regress_idgen_writer;
SELECT idgen_create('mine', layout => 'scrambled');
DELETE FROM id_sequences WHERE name = 'mine';
RESET ROLE;
TABLE audit;
DROP TRIGGER note ON idgen_secrets;
INSERT INTO idgen_secrets TABLE secrets;

-- row security: the row must be one that the role may write
CREATE POLICY seen ON id_sequences FOR SELECT USING (name <> 'hidden');
CREATE POLICY written ON id_sequences FOR UPDATE USING (name = 'orders');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SELECT idgen_create('seen', layout => 'scrambled'), idgen_create('hidden', layout => 'scrambled');
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('orders', 1) > 0 AS value;
SELECT idgen_next('seen') > 0 AS id;
SELECT idgen_unscramble('seen', 1);
\echo :SQLSTATE
SELECT idgen_unscramble('hidden', 1);
\echo :SQLSTATE
RESET ROLE;
-- a policy that asks a query
CREATE TABLE teams (name text);
INSERT INTO teams VALUES ('seen');
GRANT SELECT ON teams TO regress_idgen_writer;
DROP POLICY written ON id_sequences;
CREATE POLICY written ON id_sequences FOR UPDATE USING (name IN (SELECT teams.name FROM teams));
SET ROLE regress_idgen_writer;
SELECT idgen_unscramble('seen', idgen_next('seen'));
SELECT idgen_unscramble('orders', 1) > 0 AS value;
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen_unscramble('seen', 1) > 0 AS value;
ROLLBACK;
RESET ROLE;

DROP EXTENSION idgen;
DROP TABLE audit, secrets, teams;
DROP FUNCTION note;
DROP ROLE regress_idgen_drawer, regress_idgen_writer;
