--
-- Layout "scrambled": every id of the range once, in an order that only the key
-- tells
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
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
