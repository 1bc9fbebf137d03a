--
-- idgen_stats and idgen_cache of id sequences with each source
--
-- A cache per session is emptied by any change of a sequence or of
-- id_sequences, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 10 RETURNING next_id - 10, next_id - 1
$$;
CREATE SCHEMA "Regress A";
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE "Regress A"."Real seq" INCREMENT 10;
CREATE SEQUENCE runs_seq MAXVALUE 300;
CREATE TEMPORARY SEQUENCE temporary_seq INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name) VALUES
	('table', 1, 10, 'table', NULL),
	('table with source_name', 1, 10, 'table', 'whatever'),
	('runs', 1, 10, 'sequence', NULL),
	('row', 1, 10, 'sequence', '"Regress A"."Real seq"'),
	('function', 1, 10, 'function', 'public.allocate');
CREATE VIEW stats AS
	SELECT name, source, source_name, refill, ids_issued, ids_cached, ids_lost, blocks_taken, refills,
		last_refill BETWEEN now() - interval '1 hour' AND clock_timestamp() AS refilled
	FROM idgen_stats ORDER BY name;
CREATE VIEW blocks AS SELECT * FROM idgen_cache ORDER BY name, first_id;

-- known since the first draw
TABLE stats;
SELECT idgen_next('table'), idgen_next('table with source_name'), idgen_next('runs'), idgen_next('row'),
	idgen_next('function'), idgen_next('gen', 'sequence'), idgen_next('temporary', 'sequence');
TABLE stats;
TABLE blocks;
SELECT name FROM idgen_stats WHERE cache = 'session' AND name = 'temporary';

-- one refill for each block, whatever the source
SELECT count(idgen_next('table')), count(idgen_next('runs')), count(idgen_next('row')), count(idgen_next('function')),
	count(idgen_next('gen', 'sequence')), count(idgen_next('temporary', 'sequence')) FROM generate_series(1, 20);
TABLE stats;
TABLE blocks;

-- a transaction's own count when it is over; others at once
BEGIN;
SELECT count(idgen_next('row')), count(idgen_next('function')) FROM generate_series(1, 10);
SELECT name, ids_issued, ids_cached, blocks_taken, refills FROM stats WHERE name IN ('row', 'function');
SELECT * FROM blocks WHERE name IN ('row', 'function');
ROLLBACK;
SELECT name, ids_issued, ids_cached, blocks_taken, refills FROM stats WHERE name IN ('row', 'function');
SELECT * FROM blocks WHERE name IN ('row', 'function');

-- what is cached is lost with a change, and not with a failed draw
ALTER SEQUENCE gen_seq RESTART;
ALTER SEQUENCE "Regress A"."Real seq" MAXVALUE 41;
SELECT name, ids_cached, ids_lost FROM stats WHERE name IN ('row', 'gen');
SELECT idgen_next('row');
SELECT idgen_next('row');
\echo :SQLSTATE
SELECT name, ids_issued, ids_cached, ids_lost, refills FROM stats WHERE name = 'row';

-- a failed refill does not count
UPDATE counter SET next_id = NULL;
SELECT count(idgen_next('function')) FROM generate_series(1, 20);
\echo :SQLSTATE
UPDATE counter SET next_id = 1000;
SELECT name, blocks_taken, refills FROM stats WHERE name = 'function';

-- the name of a native sequence is the one that it has now, as search_path has
-- it
ALTER SEQUENCE gen_seq RENAME TO new_seq;
SET search_path = "Regress A", public;
SELECT name, source_name FROM stats WHERE source = 'sequence';
RESET search_path;

-- one that is dropped goes
DROP SEQUENCE new_seq;
SELECT name FROM stats;

-- a row that now has another source
UPDATE id_sequences SET source = 'table', source_name = NULL WHERE name IN ('row', 'function');
SELECT name, source, source_name, ids_cached FROM stats WHERE name IN ('row', 'function');
SELECT * FROM blocks WHERE name IN ('row', 'function');
SELECT idgen_next('row'), idgen_next('function');
SELECT name, source, source_name, ids_cached FROM stats WHERE name IN ('row', 'function');

-- without its row, a native sequence stays an id sequence
DELETE FROM id_sequences;
SELECT name, source, source_name FROM stats WHERE name IN ('runs', 'table', 'function');

-- reset
SELECT idgen_stats_reset();
SELECT name, ids_issued, blocks_taken, refills, refilled FROM stats WHERE name = 'runs';

-- others see those whose sequence they may use or look at
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT count(*) FROM idgen_stats;
SELECT count(*) FROM idgen_cache;
RESET ROLE;
GRANT SELECT ON runs_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, source_name, percent_left FROM idgen_stats;
SELECT name, first_id, last_id FROM idgen_cache;
RESET ROLE;
REVOKE SELECT ON runs_seq FROM regress_idgen_user;
GRANT UPDATE ON runs_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, source_name, percent_left FROM idgen_stats;
RESET ROLE;
REVOKE UPDATE ON runs_seq FROM regress_idgen_user;
GRANT USAGE ON runs_seq TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, source_name, percent_left FROM idgen_stats;
RESET ROLE;

DROP VIEW stats, blocks;
DROP FUNCTION allocate;
DROP TABLE counter;
DROP SEQUENCE runs_seq, temporary_seq;
SET client_min_messages = warning;
DROP SCHEMA "Regress A" CASCADE;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
