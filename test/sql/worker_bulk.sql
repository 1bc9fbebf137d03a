--
-- refill = 'worker': a transaction that draws very many ids has the worker take
-- more and more at once, so that it asks a few times only
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
\getenv inputdir PG_ABS_SRCDIR
\set wait_until :inputdir '/include/wait_until.sql'
\i :wait_until

-- ten times as many ids take few refills more
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES
	('some', 1, 20, 'worker'), ('many', 1, 20, 'worker'), ('short', 1, 20, 'worker');
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('some') AS id FROM generate_series(1, 100000)) AS s;
SELECT count(DISTINCT id), min(id), max(id)
	FROM (SELECT idgen_next('many') AS id FROM generate_series(1, 1000000)) AS s;
CALL wait_until($$ bool_and(next_block_start - 1 = ids_issued + ids_cached)
	FROM id_sequences JOIN idgen_stats USING (name) WHERE name IN ('some', 'many') $$);
SELECT name, ids_issued, refills < 120 AS few_refills, waits < 120 AS few_waits, ids_cached < ids_issued / 4 AS few_left, ids_lost,
	blocks_taken * 20 = ids_issued + ids_cached AS whole_blocks
	FROM idgen_stats WHERE name IN ('some', 'many') ORDER BY name;
SELECT m.refills - s.refills < 50 AS few_more
	FROM idgen_stats AS s, idgen_stats AS m WHERE s.name = 'some' AND m.name = 'many';

-- what is left is for everybody, and a rollback loses none of it
\c -
SELECT idgen_next('many'), idgen_next('some');
SELECT next_block_start - 1 = ids_issued + ids_cached AS all_there FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'many';
BEGIN;
SELECT count(idgen_next('some')) FROM generate_series(1, 100000);
ROLLBACK;
SELECT idgen_next('some');
CALL wait_until($$ next_block_start - 1 = ids_issued + ids_cached FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'some' $$);
SELECT ids_issued, ids_lost FROM idgen_stats WHERE name = 'some';

-- many transactions of a few ids each are no bulk load: no refill takes more
-- than idgen.max_prefetch_blocks
CREATE PROCEDURE draw_and_commit(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM idgen_next('short') FROM generate_series(1, 100);
		COMMIT;
	END LOOP;
END $$;
CALL draw_and_commit(1000);
SELECT ids_issued, blocks_taken <= 64 * refills AS not_more FROM idgen_stats WHERE name = 'short';

-- in ranges, in savepoints, with block_size 1
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('ranges', 1, 20, 'worker'), ('one', 1, 1, 'worker');
CREATE FUNCTION draw_in_subtransactions(n int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		BEGIN
			PERFORM first_id FROM idgen_next_range('ranges', 100);
		EXCEPTION WHEN others THEN
			RAISE;
		END;
	END LOOP;
	RETURN idgen_last('ranges');
END $$;
SELECT draw_in_subtransactions(5000);
SELECT count(DISTINCT idgen_next('one')) FROM generate_series(1, 200000);
SELECT name, ids_issued, refills < 150 AS few_refills FROM idgen_stats WHERE name IN ('ranges', 'one') ORDER BY name;

-- the last ids of a range
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, refill) VALUES ('end', 1, 20, 200000, 'worker');
SELECT count(DISTINCT idgen_next('end')), max(idgen_last('end')) FROM generate_series(1, 200000);
SELECT idgen_next('end');
\echo :SQLSTATE

-- native sequences
CREATE SEQUENCE twenty_seq INCREMENT 20;
CREATE SEQUENCE single_seq;
CREATE SEQUENCE cached_seq INCREMENT -5 CACHE 20;
INSERT INTO id_sequences (name, next_block_start, block_size, source, refill) VALUES
	('twenty', 1, 20, 'sequence', 'worker'), ('single', 1, 20, 'sequence', 'worker'), ('cached', 1, 20, 'sequence', 'worker');
SELECT count(DISTINCT idgen_next('twenty')), max(idgen_last('twenty')) FROM generate_series(1, 300000);
SELECT count(DISTINCT idgen_next('single')), max(idgen_last('single')) FROM generate_series(1, 300000);
SELECT count(DISTINCT idgen_next('cached')), min(idgen_last('cached')) FROM generate_series(1, 300000);
CALL wait_until($$ ids_issued + ids_cached = last_value + 19 FROM twenty_seq, idgen_stats WHERE name = 'twenty' $$);
CALL wait_until($$ ids_issued + ids_cached = last_value FROM single_seq, idgen_stats WHERE name = 'single' $$);
CALL wait_until($$ ids_issued + ids_cached = 4 - last_value FROM cached_seq, idgen_stats WHERE name = 'cached' $$);
SELECT name, ids_issued, refills < 120 AS few_refills, ids_lost FROM idgen_stats WHERE source = 'sequence' ORDER BY name;

-- another server
\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('away', 1, 20);
SELECT idgen_create('away', source => 'server', source_name => 'central', refill => 'worker');
SELECT count(DISTINCT idgen_next('away')), max(idgen_last('away')) FROM generate_series(1, 300000);
SELECT ids_issued, refills < 120 AS few_refills, ids_lost FROM idgen_stats WHERE name = 'away';

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP FUNCTION draw_in_subtransactions;
DROP PROCEDURE draw_and_commit, wait_until;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
DROP SEQUENCE twenty_seq, single_seq, cached_seq;
