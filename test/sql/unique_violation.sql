--
-- A retry after a unique violation gets another id, as with a native sequence:
-- three tries, three ids
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 4), ('gapless', 1, 1);
CREATE TABLE t (id bigint PRIMARY KEY DEFAULT idgen_next('gen'), what text);
INSERT INTO t SELECT i, 'imported' FROM generate_series(1, 3) i;
CREATE VIEW row_of_gen AS SELECT next_block_start FROM id_sequences WHERE name = 'gen';

-- statements of their own; other sessions would begin there, too
INSERT INTO t (what) VALUES ('first try');
SELECT idgen_peek('gen');
INSERT INTO t (what) VALUES ('second try');
INSERT INTO t (what) VALUES ('third try');
TABLE row_of_gen;
INSERT INTO t (what) VALUES ('fourth try') RETURNING id;
TABLE row_of_gen;

-- any other failure, and a rollback, have the ids issued again
SELECT idgen_next('gen') FROM generate_series(1, 3);
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen') / 0;
SELECT idgen_peek('gen');

-- a transaction block, in which an earlier id did not collide
INSERT INTO t VALUES (9);
BEGIN;
INSERT INTO t (what) VALUES ('eight') RETURNING id;
INSERT INTO t (what) VALUES ('nine');
ROLLBACK;
BEGIN;
INSERT INTO t (what) VALUES ('eight') RETURNING id;
INSERT INTO t (what) VALUES ('nine') RETURNING id;
COMMIT;

-- savepoints: a block of the transaction, then one of the savepoint
SELECT idgen_restart('gen', 101);
INSERT INTO t SELECT i FROM generate_series(102, 110) i;
BEGIN;
INSERT INTO t DEFAULT VALUES RETURNING id;
SAVEPOINT s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
INSERT INTO t DEFAULT VALUES;
ROLLBACK TO s;
SELECT idgen_peek('gen');
ROLLBACK;
-- the row is back at 101: all that was drawn behind it is left out
TABLE row_of_gen;
SELECT idgen_peek('gen');

-- a loop in PL/pgSQL, which catches the error
CREATE FUNCTION insert_until_it_works() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	new_id bigint;
	tries int := 0;
BEGIN
	LOOP
		tries := tries + 1;
		IF tries > 20 THEN
			RAISE 'gave up';
		END IF;
		BEGIN
			INSERT INTO t (what) VALUES ('loop') RETURNING id INTO new_id;
			RETURN new_id;
		EXCEPTION WHEN unique_violation THEN
			RAISE NOTICE 'try % failed', tries;
		END;
	END LOOP;
END $$;
SELECT insert_until_it_works();

-- a deferrable constraint, checked at the end of the statement or at commit
CREATE TABLE late (id bigint DEFAULT idgen_next('gen'), UNIQUE (id) DEFERRABLE);
SELECT idgen_restart('gen', 201);
INSERT INTO late SELECT i FROM generate_series(201, 204) i;
INSERT INTO late DEFAULT VALUES;
DO $$
BEGIN
	INSERT INTO late DEFAULT VALUES;
EXCEPTION WHEN unique_violation THEN
	RAISE NOTICE 'caught';
END $$;
SELECT idgen_peek('gen');
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
INSERT INTO late DEFAULT VALUES;
COMMIT;
SELECT idgen_peek('gen');

-- several rows at once, of several blocks; and COPY
SELECT idgen_restart('gen', 301);
INSERT INTO t VALUES (309);
INSERT INTO t (what) SELECT 'many' FROM generate_series(1, 20);
INSERT INTO t (what) SELECT 'many' FROM generate_series(1, 20);
SELECT min(id), max(id) FROM t WHERE what = 'many';
SELECT idgen_restart('gen', 401);
INSERT INTO t VALUES (401);
COPY t (what) FROM stdin;
copied
\.
COPY t (what) FROM stdin;
copied
\.
SELECT id FROM t WHERE what = 'copied';

-- COPY, too, where errors do not go to the log
CREATE TABLE quiet (id bigint PRIMARY KEY DEFAULT idgen_next('quiet'), what text);
SELECT idgen_create('quiet');
INSERT INTO quiet VALUES (1);
SET log_min_messages = fatal;
COPY quiet (what) FROM stdin;
copied
\.
RESET log_min_messages;
COPY quiet (what) FROM stdin;
copied
\.
SELECT id FROM quiet WHERE what = 'copied';

-- an exclusion constraint that keeps ids unique
CREATE TABLE exclusive (id bigint DEFAULT idgen_next('exclusive'), EXCLUDE (id WITH =));
SELECT idgen_create('exclusive');
INSERT INTO exclusive VALUES (1);
INSERT INTO exclusive DEFAULT VALUES;
INSERT INTO exclusive DEFAULT VALUES RETURNING id;

-- gapless ids leave none out
CREATE TABLE invoices (id bigint PRIMARY KEY DEFAULT idgen_next('gapless'));
INSERT INTO invoices VALUES (1);
INSERT INTO invoices DEFAULT VALUES;
INSERT INTO invoices DEFAULT VALUES;
SELECT idgen_peek('gapless');

-- a lower row starts there, whatever has collided
SELECT idgen_restart('gen', 501);
INSERT INTO t VALUES (501);
INSERT INTO t DEFAULT VALUES;
SELECT idgen_peek('gen');
SELECT idgen_restart('gen', 501);
SELECT idgen_peek('gen');

-- nor does that count after a restart in the same transaction, or for a new row
INSERT INTO t DEFAULT VALUES;
SELECT idgen_peek('gen');
BEGIN;
SELECT idgen_restart('gen', 501);
SELECT idgen_peek('gen'), idgen_next('gen');
ROLLBACK;
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_create('gen', 501, block_size => 4);
SELECT idgen_peek('gen'), idgen_next('gen');
ROLLBACK;
SELECT idgen_restart('gen', 501);

-- up to the last id
UPDATE id_sequences SET max_value = 502 WHERE name = 'gen';
INSERT INTO t VALUES (502);
INSERT INTO t DEFAULT VALUES;
INSERT INTO t DEFAULT VALUES;
INSERT INTO t DEFAULT VALUES;
UPDATE id_sequences SET max_value = 1000 WHERE name = 'gen';
SET client_min_messages = warning; -- a cache of the session's own has forgotten
SELECT insert_until_it_works();
RESET client_min_messages;

-- what a transaction has itself done to the row is undone, too
BEGIN;
UPDATE id_sequences SET next_block_start = 900 WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 4);
INSERT INTO t VALUES (502);
ROLLBACK;
SELECT idgen_next('gen') FROM generate_series(1, 4);

DROP TABLE t, late, invoices, quiet, exclusive;
DROP FUNCTION insert_until_it_works;
DROP VIEW row_of_gen;
DROP EXTENSION idgen;
