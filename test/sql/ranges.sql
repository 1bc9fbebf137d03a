--
-- idgen_next_range: consecutive ids in one call
--

--
-- idgen_next_range: n ids in a row, from what is cached if there are that many
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache;
CREATE VIEW counters AS
	SELECT ids_issued, ids_cached, ids_lost, blocks_taken, refills, next_block_start
	FROM idgen_stats JOIN id_sequences USING (name);

-- one block serves single ids and ranges
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 5);
SELECT idgen_next('gen'), idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 1);
SELECT * FROM idgen_next_range('gen', 2);
TABLE blocks;
TABLE counters;

-- the last id of a range is the one drawn last
SELECT idgen_last('gen');

-- all that is left of the block
SELECT * FROM idgen_next_range('gen', 10);
TABLE blocks;
TABLE counters;

-- one whole block, then the next one
SELECT * FROM idgen_next_range('gen', 20);
TABLE blocks;
TABLE counters;
SELECT idgen_next('gen');

-- within a transaction: from what is cached, then from what it has allocated
BEGIN;
SELECT * FROM idgen_next_range('gen', 18);
SELECT * FROM idgen_next_range('gen', 6);
SELECT idgen_next('gen'), idgen_last('gen'), idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 3);
TABLE blocks;
COMMIT;
TABLE blocks;
TABLE counters;

-- a smaller block in front of one with that many ids is kept
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('pieces', 1, 10);
SELECT count(idgen_next('pieces')) FROM generate_series(1, 7);
UPDATE id_sequences SET next_block_start = 101 WHERE name = 'pieces';
SELECT * FROM idgen_next_range('pieces', 4);
SELECT first_id, last_id FROM idgen_cache WHERE name = 'pieces' ORDER BY first_id;
SELECT * FROM idgen_next_range('pieces', 4);
SELECT idgen_peek('pieces');
SELECT * FROM idgen_next_range('pieces', 3);
SELECT first_id, last_id FROM idgen_cache WHERE name = 'pieces' ORDER BY first_id;

-- negative ids, and across zero
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('below', -25, 20);
SELECT * FROM idgen_next_range('below', 3);
SELECT * FROM idgen_next_range('below', 30);
SELECT idgen_next('below');

DROP VIEW blocks, counters;
DROP EXTENSION idgen;

\c -
--
-- A range larger than a block: whole blocks are allocated, in one refill, and
-- what is left over of them is kept. The most is 2^62 ids.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW state AS
	SELECT name, next_block_start, blocks_taken, refills, ids_issued, ids_cached, ids_lost,
		(SELECT array_agg(first_id || '-' || last_id ORDER BY first_id) FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats USING (name);

SELECT * FROM idgen_next_range('gen', 21);
TABLE state;
SELECT * FROM idgen_next_range('gen', 100);
TABLE state;
SELECT * FROM idgen_next_range('gen', 1000000);
TABLE state;
SELECT idgen_next('gen');

-- in a transaction
BEGIN;
SELECT * FROM idgen_next_range('gen', 45);
SELECT * FROM idgen_next_range('gen', 1000);
SELECT idgen_next('gen');
COMMIT;
TABLE state;

-- not a number of ids
SELECT * FROM idgen_next_range('gen', 0);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', -1);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 4611686018427387905);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 9223372036854775807);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', -9223372036854775808);
\echo :SQLSTATE
SELECT * FROM state WHERE name = 'gen';

-- what it needs, and no block more
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('exact', 1, 20);
SELECT * FROM idgen_next_range('exact', 60);
SELECT * FROM idgen_next_range('exact', 61);
SELECT * FROM idgen_next_range('exact', 59);
SELECT * FROM state WHERE name = 'exact';

-- 2^62 of them; the range has 2^63 - 1 ids from 1
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('large', 1, 20);
SELECT * FROM idgen_next_range('large', 4611686018427387904);
SELECT * FROM state WHERE name = 'large';
SELECT idgen_next('large');
SELECT * FROM idgen_next_range('large', 4611686018427387904);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('large', 4611686018427387903);
\echo :SQLSTATE
SELECT * FROM state WHERE name = 'large';
SELECT * FROM idgen_next_range('large', 4611686018427387887);
SELECT * FROM idgen_next_range('large', 15);
SELECT * FROM state WHERE name = 'large';
SELECT idgen_next('large');
\echo :SQLSTATE

-- three times, from the least one on, in one transaction
INSERT INTO id_sequences (name, next_block_start, block_size)
	VALUES ('whole', -9223372036854775808, 2147483647);
BEGIN;
SELECT * FROM idgen_next_range('whole', 4611686018427387904);
SELECT * FROM idgen_next_range('whole', 4611686018427387903);
SELECT * FROM idgen_next_range('whole', 4611686018427387904);
COMMIT;
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'whole';
SELECT * FROM idgen_next_range('whole', 4611686014132420613);
SELECT * FROM idgen_next_range('whole', 4294967292);
SELECT * FROM idgen_next_range('whole', 1);
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'whole';
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'whole';

DROP VIEW state;
DROP EXTENSION idgen;

\c -
--
-- More ids than there are: nothing is taken, and nothing changes
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gen', 1, 20, 50);
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, exhausted, idgen_peek(s.name),
		coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached, coalesce(ids_lost, 0) AS ids_lost,
		coalesce(blocks_taken, 0) AS blocks_taken, coalesce(refills, 0) AS refills,
		(SELECT array_agg(first_id || '-' || last_id || ' ' || state ORDER BY first_id)
			FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;

-- nothing was drawn yet
INSERT INTO before TABLE state;
SELECT * FROM idgen_next_range('gen', 51);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- part of them is cached
SELECT idgen_next('gen');
TRUNCATE before;
INSERT INTO before TABLE state;
SELECT * FROM idgen_next_range('gen', 50);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 4611686018427387904);
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;

-- part of them is pending: in a savepoint, and the transaction goes on
BEGIN;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 20);
TRUNCATE before;
INSERT INTO before TABLE state;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 29);
\echo :SQLSTATE
ROLLBACK TO a;
TABLE before EXCEPT TABLE state;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- the exact fit, beside what is cached
SELECT first_id, last_id FROM idgen_cache;
SELECT * FROM idgen_next_range('gen', 31);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 30);
SELECT * FROM idgen_next_range('gen', 16);

-- the end
SELECT next_block_start, exhausted FROM id_sequences;
SELECT * FROM idgen_next_range('gen', 1);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 2);
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT ids_issued, ids_lost, ids_cached FROM idgen_stats;

-- the exact fit, all of it from the row, and with leftovers in front of it
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES
	('exact', 1, 20, 50), ('cached', 1, 20, 50), ('pending', 1, 20, 50);
SELECT * FROM idgen_next_range('exact', 50);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'exact';
SELECT * FROM idgen_next_range('cached', 7);
SELECT * FROM idgen_next_range('cached', 31);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('cached', 30);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'cached';
SELECT ids_issued, ids_lost, ids_cached FROM idgen_stats WHERE name = 'cached';
BEGIN;
SELECT * FROM idgen_next_range('pending', 7);
SAVEPOINT a;
SELECT * FROM idgen_next_range('pending', 31);
\echo :SQLSTATE
ROLLBACK TO a;
SELECT * FROM idgen_next_range('pending', 30);
COMMIT;
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'pending';

-- behind a gap
INSERT INTO id_sequences (name, next_block_start, block_size, max_value) VALUES ('gap', 1, 20, 100);
SELECT * FROM idgen_next_range('gap', 7);
UPDATE id_sequences SET next_block_start = 81 WHERE name = 'gap';
SELECT * FROM idgen_next_range('gap', 21);
\echo :SQLSTATE
SELECT idgen_peek('gap'), next_block_start, exhausted FROM id_sequences WHERE name = 'gap';
SELECT * FROM idgen_next_range('gap', 20);
SELECT * FROM idgen_next_range('gap', 14);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gap', 13);

-- at the end of bigint
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('last', 9223372036854775798, 4);
SELECT * FROM idgen_next_range('last', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('last', 3);
SELECT * FROM idgen_next_range('last', 7);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('last', 6);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'last';

-- more may come: a raised max_value
UPDATE id_sequences SET max_value = 60, exhausted = 0 WHERE name = 'exact';
SELECT * FROM idgen_next_range('exact', 11);
\echo :SQLSTATE
SELECT * FROM idgen_next_range('exact', 10);

DROP TABLE before;
DROP VIEW state;
DROP EXTENSION idgen;

\c -
--
-- Ranges with block_size 1: no gap among what is committed, however ranges and
-- single ids, rollbacks and savepoints come
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE TABLE issued (n serial, id bigint PRIMARY KEY);
CREATE VIEW check_issued AS
	SELECT count(*), min(id), max(id), next_block_start = max(id) + 1 AS row_agrees,
		array_agg(id ORDER BY n) = array_agg(id ORDER BY id) AS ascending,
		(SELECT count(*) FROM idgen_cache) AS cached
	FROM issued, id_sequences GROUP BY next_block_start;
CREATE FUNCTION issue(n int) RETURNS text LANGUAGE sql AS $$
	WITH r AS MATERIALIZED (SELECT * FROM idgen_next_range('gapless', n)),
	i AS (INSERT INTO issued (id) SELECT generate_series(first_id, last_id) FROM r)
	SELECT first_id || ' - ' || last_id FROM r
$$;

-- nothing is cached
SELECT issue(5);
TABLE check_issued;
SELECT issue(1);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
TABLE check_issued;

-- rolled back, they are issued again
BEGIN;
SELECT issue(1000);
ROLLBACK;
SELECT issue(10);
TABLE check_issued;

-- single ids before, between and after
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SELECT issue(3);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SELECT issue(4);
SELECT issue(40);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
COMMIT;
TABLE check_issued;

-- the same, of ids that a long transaction reserves ahead
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 1000);
SELECT issue(20);
SELECT issue(3000);
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 10);
SELECT issue(7);
COMMIT;
TABLE check_issued;
SELECT issue(2);
TABLE check_issued;

-- savepoints that are rolled back
BEGIN;
SELECT issue(3);
SAVEPOINT a;
SELECT issue(30);
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
ROLLBACK TO a;
SELECT issue(2);
SAVEPOINT b;
SELECT issue(5);
SAVEPOINT c;
SELECT issue(6);
RELEASE c;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
ROLLBACK TO b;
INSERT INTO issued (id) SELECT idgen_next('gapless') RETURNING id;
SAVEPOINT d;
SELECT issue(4);
RELEASE d;
COMMIT;
TABLE check_issued;

-- with ids reserved before the savepoint
BEGIN;
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 998);
SAVEPOINT a;
SELECT issue(10);
SELECT issue(10000);
ROLLBACK TO a;
SELECT issue(50);
INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, 2);
SAVEPOINT a;
SELECT issue(11);
ROLLBACK TO a;
COMMIT;
TABLE check_issued;

-- as it comes
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		BEGIN
			PERFORM issue(i % 10 + 1);
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
			BEGIN
				INSERT INTO issued (id) SELECT idgen_next('gapless') FROM generate_series(1, i % 4);
				PERFORM issue(i % 23 + 1);
				IF i % 5 = 0 THEN
					RAISE division_by_zero;
				END IF;
			EXCEPTION WHEN division_by_zero THEN
				NULL;
			END;
			IF i % 7 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
		IF i % 50 = 0 THEN
			COMMIT;
			ASSERT (SELECT count(*) = max(id) FROM issued), 'there is a gap';
		END IF;
	END LOOP;
END $$;
TABLE check_issued;

-- does not fit
UPDATE id_sequences SET max_value = next_block_start + 9;
SELECT issue(11);
\echo :SQLSTATE
BEGIN;
SELECT issue(4);
SAVEPOINT a;
SELECT issue(7);
\echo :SQLSTATE
ROLLBACK TO a;
SELECT issue(5);
COMMIT;
TABLE check_issued;
SELECT issue(1);
SELECT exhausted FROM id_sequences;

-- A transaction that itself moves the row away from what it has reserved leaves
-- a gap, and a rollback to a savepoint does not mix up what it has then.
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('moved', 1, 1), ('now gapless', 1, 20);
CREATE VIEW pending AS SELECT name, first_id, last_id FROM idgen_cache WHERE state = 'pending' ORDER BY name, first_id;
BEGIN;
SELECT count(idgen_next('moved')), count(idgen_next('now gapless')) FROM generate_series(1, 181);
TABLE pending;
UPDATE id_sequences SET next_block_start = 10001, block_size = 1;
SELECT * FROM idgen_next_range('moved', 20);
SELECT * FROM idgen_next_range('now gapless', 20);
SAVEPOINT a;
SELECT idgen_next('moved'), idgen_next_range('moved', 15), idgen_next('now gapless'), idgen_next_range('now gapless', 15);
ROLLBACK TO a;
TABLE pending;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('moved') AS id FROM generate_series(1, 60)) AS drawn;
SELECT count(DISTINCT id), min(id), max(id) FROM (SELECT idgen_next('now gapless') AS id FROM generate_series(1, 60)) AS drawn;
COMMIT;
SELECT name, next_block_start FROM id_sequences ORDER BY name;

DROP VIEW pending;
DROP VIEW check_issued;
DROP FUNCTION issue;
DROP TABLE issued;
DROP EXTENSION idgen;

\c -
--
-- A range belongs to the transaction or savepoint that has allocated it: rolled
-- back, its ids are issued again, but none is issued twice
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 20);
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;

-- a transaction that is rolled back
BEGIN;
SELECT * FROM idgen_next_range('gen', 50);
TABLE blocks;
ROLLBACK;
TABLE blocks;
SELECT next_block_start FROM id_sequences;
BEGIN;
SELECT * FROM idgen_next_range('gen', 7);
COMMIT;
TABLE blocks;

-- what was published before stays drawn
BEGIN;
SELECT * FROM idgen_next_range('gen', 5);
ROLLBACK;
SELECT idgen_next('gen');

-- what was published and is too little stays so, the new ids are issued again
SELECT ids_cached, ids_issued FROM idgen_stats;
BEGIN;
SELECT * FROM idgen_next_range('gen', 17);
ROLLBACK;
TABLE blocks;
SELECT idgen_next('gen'), next_block_start FROM id_sequences;

-- a savepoint: only what is allocated in it is issued again
BEGIN;
SELECT * FROM idgen_next_range('gen', 30);
TABLE blocks;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 4);
ROLLBACK TO a;
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
ROLLBACK TO b;
SELECT next_block_start FROM id_sequences;
SELECT * FROM idgen_next_range('gen', 100);
COMMIT;
TABLE blocks;

-- a savepoint that is released
BEGIN;
SELECT * FROM idgen_next_range('gen', 25);
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 25);
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 25);
RELEASE b;
SELECT idgen_next('gen');
RELEASE a;
SELECT idgen_next('gen');
COMMIT;
TABLE blocks;

-- one of two, one in the other
BEGIN;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 50);
SAVEPOINT b;
SELECT * FROM idgen_next_range('gen', 50);
ROLLBACK TO b;
SELECT * FROM idgen_next_range('gen', 50);
RELEASE a;
COMMIT;
TABLE blocks;

-- what was pending before, and has not become a part of the range, is pending
-- still; of that, what was drawn stays drawn
SELECT idgen_create('apart');
BEGIN;
SELECT idgen_next('apart');
UPDATE id_sequences SET next_block_start = 101 WHERE name = 'apart';
SAVEPOINT a;
SELECT * FROM idgen_next_range('apart', 39);
SELECT idgen_next('apart'), idgen_next('apart'), idgen_next('apart');
UPDATE id_sequences SET next_block_start = 201 WHERE name = 'apart';
SAVEPOINT b;
SELECT * FROM idgen_next_range('apart', 30);
SELECT * FROM idgen_next_range('apart', 11);
ROLLBACK TO b;
SELECT idgen_next('apart');
SELECT * FROM idgen_next_range('apart', 30);
RELEASE b;
ROLLBACK TO a;
SELECT idgen_next('apart'), idgen_next_range('apart', 16), idgen_next('apart');
COMMIT;
SELECT first_id, last_id, next_block_start FROM idgen_cache JOIN id_sequences USING (name) WHERE name = 'apart';
DELETE FROM id_sequences WHERE name = 'apart';

-- many savepoints, of which every third is undone; the outer range of ids goes
-- on
CREATE TABLE issued (id bigint PRIMARY KEY);
DO $$
DECLARE
	r record;
BEGIN
	FOR i IN 1 .. 400 LOOP
		BEGIN
			SELECT * INTO r FROM idgen_next_range('gen', i * 7 % 47 + 1);
			ASSERT r.last_id - r.first_id = i * 7 % 47, 'not as many as were asked for';
			INSERT INTO issued SELECT generate_series(r.first_id, r.last_id);
			IF i % 4 = 0 THEN
				INSERT INTO issued SELECT idgen_next('gen');
			END IF;
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
		IF i % 7 = 0 THEN
			COMMIT;
		ELSIF i % 11 = 0 THEN
			ROLLBACK;
		END IF;
	END LOOP;
END $$;
SELECT count(*) > 3000 AS many, max(id) < next_block_start AS all_allocated
	FROM issued, id_sequences GROUP BY next_block_start;
SELECT count(*) AS issued_but_cached FROM issued, blocks WHERE id BETWEEN first_id AND last_id;
SELECT first_id > (SELECT max(id) FROM issued) AS goes_on FROM idgen_next_range('gen', 7);

DROP TABLE issued;
DROP VIEW blocks;
DROP EXTENSION idgen;

\c -
--
-- Ranges from a user's allocator: it is asked for as many blocks as block_size
-- says they take; what it returns is used as far as it has that many ids in a
-- row
--
CREATE EXTENSION idgen;
CREATE TABLE counter (next_id bigint, block bigint, gap bigint, at_most integer);
CREATE TABLE calls (n serial, blocks integer);
INSERT INTO counter VALUES (1, 20, 0, 1000000);
-- blocks of "block" ids, with "gap" between them, not more than "at_most" at
-- once
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
DECLARE
	c public.counter;
	n bigint;
BEGIN
	INSERT INTO public.calls (blocks) VALUES ($2);
	SELECT * INTO c FROM public.counter FOR UPDATE;
	n := least($2, c.at_most);
	UPDATE public.counter SET next_id = next_id + n * (block + gap);
	RETURN QUERY SELECT s, s + c.block - 1
		FROM generate_series(c.next_id, c.next_id + (n - 1) * (c.block + c.gap), c.block + c.gap) AS s;
END$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- one after the other
SELECT * FROM idgen_next_range('gen', 7);
SELECT * FROM idgen_next_range('gen', 7);
SELECT * FROM idgen_next_range('gen', 7);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
SELECT idgen_next('gen'), idgen_last('gen');
SELECT blocks FROM calls ORDER BY n;
SELECT ids_lost, refills FROM idgen_stats;

-- undone with the transaction, and with the savepoint
BEGIN;
SELECT * FROM idgen_next_range('gen', 100);
ROLLBACK;
SELECT next_id FROM counter;
BEGIN;
SELECT * FROM idgen_next_range('gen', 30);
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 60);
ROLLBACK TO a;
SELECT * FROM idgen_next_range('gen', 40);
TABLE blocks;
COMMIT;
TABLE blocks;

-- blocks with gaps between them: none is long enough
UPDATE counter SET next_id = 10001, gap = 1;
SELECT * FROM idgen_next_range('gen', 30);
\echo :SQLSTATE
SELECT next_id FROM counter;
TABLE blocks;

-- one of them is long enough: the others are kept, pending and published
UPDATE counter SET block = 30;
TRUNCATE calls;
BEGIN;
SELECT * FROM idgen_next_range('gen', 25);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 25);
TABLE blocks;
SELECT blocks FROM calls ORDER BY n;
COMMIT;
TABLE blocks;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 5);
SELECT count(*) FROM calls;
SELECT ids_lost FROM idgen_stats;

-- fewer blocks than asked for: it is called again, and they are joined
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
UPDATE counter SET next_id = 20001, block = 20, gap = 0, at_most = 1;
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 70);
SELECT count(*) FROM calls;
TABLE blocks;
SELECT idgen_next('gen');
TABLE blocks;

-- that often and no more: ten blocks
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 201);
\echo :SQLSTATE
TABLE blocks;
SELECT idgen_peek('gen');
SELECT * FROM idgen_next_range('gen', 200);
SELECT count(*) FROM calls;
TABLE blocks;

-- smaller blocks than block_size says: it learns how large they are
UPDATE counter SET next_id = 30001, block = 3, at_most = 1000000;
TRUNCATE calls;
SELECT * FROM idgen_next_range('gen', 100);
SELECT count(*) < 5 AS few_calls FROM calls;
SELECT ids_lost FROM idgen_stats;

-- larger ones
UPDATE counter SET next_id = 40001, block = 1000;
SELECT * FROM idgen_next_range('gen', 900);
TABLE blocks;

-- block_size 1
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('single', 1, 1, 'function', 'public.allocate');
UPDATE counter SET next_id = 50001, block = 1;
TRUNCATE calls;
BEGIN;
SELECT * FROM idgen_next_range('single', 5);
SELECT idgen_next('single');
COMMIT;
SELECT * FROM idgen_next_range('single', 5);
SELECT blocks FROM calls ORDER BY n;

-- more than a function can be asked for, and no block at all
SELECT * FROM idgen_next_range('gen', 576460752303423489);
\echo :SQLSTATE
UPDATE counter SET at_most = 0;
SELECT * FROM idgen_next_range('single', 5);
\echo :SQLSTATE

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter, calls;
DROP EXTENSION idgen;

\c -
--
-- A function that returns ids which the same transaction has pending
--
CREATE EXTENSION idgen;
CREATE TABLE answers (n serial, first_id bigint, last_id bigint);
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	DELETE FROM public.answers a WHERE n = (SELECT min(n) FROM public.answers) RETURNING a.first_id, a.last_id
$$;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name)
	VALUES ('gen', 1, 20, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- the block that ids are drawn from, at its end
INSERT INTO answers (first_id, last_id) VALUES (101, 120), (120, 220), (121, 220);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 50);
\echo :SQLSTATE
ROLLBACK TO a;
DELETE FROM answers WHERE first_id = 120;
SELECT * FROM idgen_next_range('gen', 50);
TABLE blocks;
ROLLBACK;

-- one that was kept for later
TRUNCATE answers;
INSERT INTO answers (first_id, last_id) VALUES (101, 120), (201, 300), (90, 300);
BEGIN;
SELECT idgen_next('gen');
SELECT * FROM idgen_next_range('gen', 100);
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 200);
\echo :SQLSTATE
ROLLBACK;

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE answers;
DROP EXTENSION idgen;

\c -
--
-- Ranges from native sequences, with a row or without one
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('down', 1, 1, 'sequence'), ('new', 1, 1, 'sequence');
CREATE VIEW blocks AS SELECT name, first_id, last_id, state FROM idgen_cache ORDER BY name, first_id;

-- INCREMENT BY 20: each value is a block
CREATE SEQUENCE gen_seq INCREMENT BY 20;
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
TABLE blocks;
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
SELECT * FROM idgen_next_range('gen', 45, 'sequence');
SELECT last_value FROM gen_seq;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_last('gen'), idgen_peek('gen');
SELECT refills, blocks_taken, ids_issued, ids_cached, ids_lost FROM idgen_stats;

-- 7 by 7, nothing is lost
CREATE TABLE drawn (n serial, first_id bigint, last_id bigint);
CREATE SEQUENCE seven_seq INCREMENT BY 20;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('seven', 7, 'sequence');
		IF i % 4 = 0 THEN COMMIT; END IF;
		ASSERT (SELECT count(*) <= 1 FROM idgen_cache WHERE name = 'seven'), 'more than one piece is left';
	END LOOP;
END $$;
SELECT count(*), bool_and(first_id = 7 * n - 6 AND last_id = 7 * n) AS all_used FROM drawn;
SELECT ids_lost, ids_cached FROM idgen_stats WHERE name = 'seven';
SELECT last_value FROM seven_seq;

-- rolled back, they are a gap
BEGIN;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
ROLLBACK TO a;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');
ROLLBACK;
SELECT * FROM idgen_next_range('gen', 30, 'sequence');

-- a value of somebody else's in between
SELECT nextval('gen_seq');
SELECT * FROM idgen_next_range('gen', 40, 'sequence');
TABLE blocks;

-- INCREMENT BY 1: without a row n values, with one whole blocks of them
CREATE SEQUENCE one_seq;
SELECT * FROM idgen_next_range('one', 5, 'sequence');
SELECT * FROM idgen_next_range('one', 1000, 'sequence');
SELECT last_value FROM one_seq;
SELECT nextval('one_seq'), idgen_next('one', 'sequence');
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('one', 1, 10, 'sequence');
SELECT * FROM idgen_next_range('one', 25);
SELECT last_value FROM one_seq;
SELECT * FROM idgen_next_range('one', 7);
SELECT last_value FROM one_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'one';

-- the most values at a time
CREATE SEQUENCE many_seq;
SELECT * FROM idgen_next_range('many', 100001, 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM many_seq;
SELECT * FROM idgen_next_range('many', 100000, 'sequence');
SELECT last_value FROM many_seq;
SELECT * FROM idgen_next_range('gen', 2000001, 'sequence');
\echo :SQLSTATE
CREATE SEQUENCE large_seq INCREMENT BY 1152921504606846976;
SELECT * FROM idgen_next_range('large', 1152921504606846976, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('large', 576460752303423488, 'sequence');
SELECT last_value FROM large_seq;

-- downwards, first_id is the greatest
CREATE SEQUENCE down_seq INCREMENT BY -20;
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT idgen_last('down'), idgen_next('down', 'sequence');
SELECT * FROM idgen_next_range('down', 100, 'sequence');
SELECT last_value FROM down_seq;
SELECT first_id, last_id FROM idgen_cache WHERE name = 'down';
SELECT ids_lost FROM idgen_stats WHERE name = 'down';
CREATE SEQUENCE down_one_seq INCREMENT BY -1;
SELECT * FROM idgen_next_range('down_one', 50, 'sequence');
SELECT last_value FROM down_one_seq;

-- created in this transaction, and temporary
BEGIN;
CREATE SEQUENCE new_seq INCREMENT BY 10;
SELECT * FROM idgen_next_range('new', 7, 'sequence');
SELECT * FROM idgen_next_range('new', 14, 'sequence');
SAVEPOINT a;
SELECT * FROM idgen_next_range('new', 14, 'sequence');
ROLLBACK TO a;
SELECT * FROM idgen_next_range('new', 14, 'sequence');
COMMIT;
SELECT idgen_next('new', 'sequence');
CREATE TEMPORARY SEQUENCE own_seq INCREMENT BY 10;
SELECT * FROM idgen_next_range('own', 7, 'sequence');
SELECT * FROM idgen_next_range('own', 27, 'sequence');
SELECT last_value FROM own_seq;
SELECT idgen_next('own', 'sequence');

-- restarted, or altered in this transaction
SELECT idgen_restart('new', 1);
SELECT * FROM idgen_next_range('new', 7, 'sequence');
BEGIN;
ALTER SEQUENCE new_seq RESTART 1001 INCREMENT BY 50;
SELECT * FROM idgen_next_range('new', 60, 'sequence');
COMMIT;
SELECT * FROM idgen_next_range('new', 60, 'sequence');

DROP TABLE drawn;
DROP VIEW blocks;
DROP SEQUENCE gen_seq, seven_seq, one_seq, many_seq, large_seq, down_seq, down_one_seq, new_seq, own_seq;
DROP EXTENSION idgen;

\c -
--
-- At the end of a native sequence: a range that does not fit takes no value,
-- one that fits exactly takes the last one; cycles
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('gen', 1, 1, 'sequence'), ('down', 1, 1, 'sequence');
CREATE VIEW blocks AS SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;

-- INCREMENT BY 20, in whole blocks
CREATE SEQUENCE gen_seq INCREMENT BY 20 MAXVALUE 100;
SELECT * FROM idgen_next_range('gen', 101, 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM gen_seq;
SELECT * FROM idgen_next_range('gen', 7, 'sequence');
SELECT * FROM idgen_next_range('gen', 81, 'sequence');
\echo :SQLSTATE
SELECT last_value, idgen_peek('gen') FROM gen_seq;
TABLE blocks;
SELECT ids_issued, ids_lost, refills FROM idgen_stats;
SELECT * FROM idgen_next_range('gen', 80, 'sequence');
SELECT * FROM idgen_next_range('gen', 13, 'sequence');
SELECT last_value FROM gen_seq;
SELECT * FROM idgen_next_range('gen', 1, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('gen', 2, 'sequence');
\echo :SQLSTATE

-- the last block is short
CREATE SEQUENCE short_seq INCREMENT BY 20 MAXVALUE 47;
SELECT * FROM idgen_next_range('short', 48, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('short', 47, 'sequence');

-- INCREMENT BY 1
CREATE SEQUENCE one_seq MAXVALUE 50;
SELECT * FROM idgen_next_range('one', 51, 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM one_seq;
SELECT * FROM idgen_next_range('one', 20, 'sequence');
SELECT * FROM idgen_next_range('one', 31, 'sequence');
\echo :SQLSTATE
SELECT last_value FROM one_seq;
SELECT * FROM idgen_next_range('one', 30, 'sequence');

-- downwards
CREATE SEQUENCE down_seq INCREMENT BY -20 MINVALUE -50;
SELECT * FROM idgen_next_range('down', 51, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('down', 7, 'sequence');
SELECT * FROM idgen_next_range('down', 31, 'sequence');
\echo :SQLSTATE
SELECT last_value, idgen_peek('down') FROM down_seq;
SELECT * FROM idgen_next_range('down', 30, 'sequence');
SELECT * FROM idgen_next_range('down', 13, 'sequence');
SELECT * FROM idgen_next_range('down', 1, 'sequence');
\echo :SQLSTATE

-- at the ends of bigint
CREATE SEQUENCE last_seq INCREMENT BY 4 START 9223372036854775798;
SELECT * FROM idgen_next_range('last', 11, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('last', 3, 'sequence');
SELECT * FROM idgen_next_range('last', 6, 'sequence');
CREATE SEQUENCE least_seq INCREMENT BY -4 START -9223372036854775799;
SELECT * FROM idgen_next_range('least', 11, 'sequence');
\echo :SQLSTATE
SELECT * FROM idgen_next_range('least', 3, 'sequence');
SELECT * FROM idgen_next_range('least', 6, 'sequence');

-- a cycle: no range goes across its end
CREATE SEQUENCE cycle_seq INCREMENT BY 10 MAXVALUE 50 CYCLE;
SELECT * FROM idgen_next_range('cycle', 51, 'sequence');
\echo :SQLSTATE
SELECT last_value, is_called FROM cycle_seq;
SELECT * FROM idgen_next_range('cycle', 35, 'sequence');
SELECT * FROM idgen_next_range('cycle', 30, 'sequence');
SELECT * FROM blocks WHERE name = 'cycle';
SELECT * FROM idgen_next_range('cycle', 15, 'sequence');
SELECT * FROM idgen_next_range('cycle', 50, 'sequence');

DROP VIEW blocks;
DROP SEQUENCE gen_seq, short_seq, one_seq, down_seq, last_seq, least_seq, cycle_seq;
DROP EXTENSION idgen;
