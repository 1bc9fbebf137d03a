--
-- idgen_restart, and an extension that is made anew
--
-- needs test/idgen.conf
--

--
-- idgen_restart: start again at another id, without those that are cached
--
-- A cache per session is emptied by restarts that are rolled back.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10), ('gapless', 1, 1), ('other', 1, 10);
SELECT idgen_next('gen'), idgen_next('gapless'), idgen_next('other');

-- forward and back
SELECT idgen_restart('gen', 100);
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 50);
SELECT idgen_next('gen'), idgen_next('gen');
SELECT idgen_restart('gen', 52);
SELECT idgen_next('gen');
SELECT idgen_restart('gapless', 10);
SELECT idgen_next('gapless'), idgen_next('gapless');
SELECT name, next_block_start, start_value, exhausted FROM id_sequences ORDER BY name;
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name;

-- the transaction itself draws from the new start at once
BEGIN;
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 200);
SELECT idgen_next('gen'), idgen_next('gen');
SELECT name, first_id, last_id, state FROM idgen_cache WHERE name = 'gen' ORDER BY first_id;
COMMIT;
SELECT name, first_id, last_id, state FROM idgen_cache WHERE name = 'gen';
SELECT idgen_next('gen');

-- two in one transaction
BEGIN;
SELECT idgen_restart('gen', 300);
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 250);
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- rolled back: as if nothing had been
BEGIN;
SELECT idgen_restart('gen', 1);
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- a savepoint rolled back: the pending block goes on
SELECT idgen_restart('gen', 1);
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_restart('gen', 100);
SELECT idgen_next('gen');
SAVEPOINT b;
SELECT idgen_restart('gen', 200);
SELECT idgen_next('gen');
ROLLBACK TO b;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- with nothing drawn before: the published block does
BEGIN;
SAVEPOINT a;
SELECT idgen_restart('gen', 100);
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;

-- a savepoint released
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_restart('gen', 100);
RELEASE a;
SELECT idgen_next('gen');
COMMIT;
SELECT idgen_next('gen');

-- gapless ids reserved before the restart do not come back
BEGIN;
SELECT max(idgen_next('gapless')) FROM generate_series(1, 100);
SELECT idgen_restart('gapless', 50);
SELECT max(idgen_next('gapless')) FROM generate_series(1, 100);
COMMIT;
SELECT idgen_next('gapless');

-- not even when it starts right behind them
BEGIN;
SELECT max(idgen_next('gapless')) FROM generate_series(1, 100);
SELECT next_block_start AS start FROM id_sequences WHERE name = 'gapless' \gset
SELECT idgen_restart('gapless', :start);
SELECT idgen_next('gapless') - :start AS right_there;
ROLLBACK;

-- the ids that were dropped count as lost, those of the others stay
SELECT name, ids_lost, ids_lost_changed FROM idgen_stats WHERE name = 'other';
SELECT idgen_next('other');
SELECT idgen_restart('other', 100);
SELECT name, ids_lost, ids_lost_changed FROM idgen_stats WHERE name = 'other';

-- it revives
UPDATE id_sequences SET next_block_start = 1, max_value = 3 WHERE name = 'gen';
SELECT idgen_next('gen') FROM generate_series(1, 3);
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_restart('gen', 3);
SELECT idgen_next('gen');
SELECT idgen_next('gen');
\echo :SQLSTATE

-- errors
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 4);
\echo :SQLSTATE
SELECT idgen_restart('no such', 4);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
SELECT idgen_restart('gen', NULL);
SELECT idgen_peek('gen');
\echo :SQLSTATE
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
\set SHOW_CONTEXT never
SELECT idgen_restart('gen', 1);
\set SHOW_CONTEXT errors
\echo :SQLSTATE
RESET ROLE;
GRANT UPDATE ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_restart('gen', 1);
RESET ROLE;
SELECT idgen_next('gen');

REVOKE UPDATE ON id_sequences FROM regress_idgen_user;
DROP ROLE regress_idgen_user;
DROP EXTENSION idgen;

\c -
--
-- The extension dropped and created again: nothing of the old one's ids
-- remains, unless that is rolled back
--
-- A cache per session is emptied by a change that is rolled back.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT idgen_next('gen') FROM generate_series(1, 3);

-- twice in a session
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_next('gen');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 100);
SELECT idgen_next('gen');

-- in one transaction, where both have drawn
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 200);
SELECT idgen_next('gen');
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');

-- with a pending block of the old one
SELECT count(idgen_next('gen')) FROM generate_series(1, 18);
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 300);
SELECT idgen_next('gen');
COMMIT;
SELECT * FROM idgen_cache;
SELECT idgen_next('gen');

-- rolled back
BEGIN;
SELECT idgen_next('gen');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 1);
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
DROP EXTENSION idgen;
ROLLBACK;
SELECT idgen_next('gen');

-- rolled back to a savepoint: the same ids need not, but must not twice
BEGIN;
SELECT idgen_next('gen') AS before \gset
SAVEPOINT a;
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('gen', 1);
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen') AS within \gset
COMMIT;
SELECT idgen_next('gen') AS after \gset
SELECT :before < :within AND :within < :after AS ascending;

-- draws of the new one do not look for the row where the old one's was
INSERT INTO id_sequences (name, next_block_start) SELECT 'n' || i, 1 FROM generate_series(1, 300) AS i;
BEGIN;
SELECT idgen_next('n300');
DROP EXTENSION idgen;
CREATE EXTENSION idgen;
SELECT idgen_create('n300', 100);
SELECT idgen_next('n300');
COMMIT;
SELECT idgen_next('n300');

DROP EXTENSION idgen;

\c -
--
-- To start an allocator's id sequence again: set back what its ids come from,
-- and delete and insert the row to drop what is cached
--
-- A cache per session is emptied by changes that are rolled back.
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 5 RETURNING next_id - 5, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
SELECT idgen_next('gen');

-- in one transaction, which draws from the new start at once
BEGIN;
UPDATE counter SET next_id = 1;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;
COMMIT;
SELECT idgen_next('gen');
SELECT first_id, last_id, state FROM idgen_cache ORDER BY first_id;

-- rolled back
BEGIN;
UPDATE counter SET next_id = 100;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');

-- the rest of a block of the transaction's own is dropped, too
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(4, 5);
BEGIN;
SELECT idgen_next('gen');
UPDATE counter SET next_id = 200;
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');
COMMIT;
SELECT first_id, last_id, state FROM idgen_cache;

-- one step after the other
UPDATE counter SET next_id = 300;
SELECT idgen_next('gen');
DELETE FROM id_sequences;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
SELECT idgen_next('gen');

-- another function does as well, but not the same one again, or another
-- block_size
UPDATE id_sequences SET source_name = 'public.allocate', block_size = 2;
SELECT idgen_next('gen');
CREATE FUNCTION allocate_other(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$SELECT 1000, 1004$$;
BEGIN;
UPDATE id_sequences SET source_name = 'public.allocate_other';
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'public.allocate_other';
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'public.allocate';
SELECT idgen_next('gen');

DROP FUNCTION allocate, allocate_other;
DROP TABLE counter;
DROP EXTENSION idgen;
