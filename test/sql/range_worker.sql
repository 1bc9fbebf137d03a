--
-- Ranges with refill = 'worker': what is cached if there are that many in a
-- row, else the worker brings them
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE TABLE drawn (n serial, first_id bigint, last_id bigint);
CREATE VIEW check_drawn AS
	SELECT count(*), min(first_id), max(last_id), sum(last_id - first_id + 1) AS ids,
		array_agg(first_id ORDER BY n) = array_agg(first_id ORDER BY first_id) AS ascending,
		(SELECT count(*) FROM drawn a JOIN drawn b ON a.n < b.n AND a.first_id <= b.last_id AND b.first_id <= a.last_id) AS overlapping
	FROM drawn;

-- from the first block
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 20, 'worker');
SELECT * FROM idgen_next_range('gen', 7);
SELECT next_block_start FROM id_sequences;

-- larger than a block, at the first call and later
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('large', 1, 20, 'worker');
SELECT * FROM idgen_next_range('large', 1000);
SELECT first_id, last_id - first_id FROM idgen_next_range('large', 100000);
SELECT ids_lost FROM idgen_stats WHERE name = 'large';

-- 2^62
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('most', 1, 20, 'worker');
SELECT * FROM idgen_next_range('most', 4611686018427387904);
SELECT * FROM idgen_next_range('most', 4611686018427387905);
\echo :SQLSTATE

-- one that does not fit leaves the row alone, however often it is tried; but
-- for a block, if nothing is cached for those who want less
INSERT INTO id_sequences (name, next_block_start, block_size, refill, max_value) VALUES ('short', 1, 20, 'worker', 100000);
CREATE FUNCTION try_in_vain(times integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		BEGIN
			PERFORM idgen_next_range('short', 100001);
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT try_in_vain(30);
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'short';
SELECT * FROM idgen_next_range('short', 99980);
DROP FUNCTION try_in_vain;

-- the transaction writes nothing, and its rollback undoes nothing
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('own', 1, 20, 'worker');
BEGIN;
SELECT * FROM idgen_next_range('own', 50);
SELECT pg_current_xact_id_if_assigned() IS NULL AS not_written;
ROLLBACK;
SELECT first_id > 50 AS not_again, last_id - first_id FROM idgen_next_range('own', 50);

-- 7 by 7: ascending, one after the other, nothing is lost
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('seven', 1, 20, 'worker');
DO $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('seven', 7);
	END LOOP;
END $$;
SELECT count, min, ids, ascending, overlapping FROM check_drawn;
SELECT ids_lost FROM idgen_stats WHERE name = 'seven';

-- any sizes, and single ids
TRUNCATE drawn;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('any', 1, 20, 'worker');
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		INSERT INTO drawn (first_id, last_id) SELECT * FROM idgen_next_range('any', i * i % 211 + 1);
		INSERT INTO drawn (first_id, last_id) SELECT id, id FROM idgen_next('any') AS id;
		COMMIT;
	END LOOP;
END $$;
SELECT count, ids, overlapping FROM check_drawn;
SELECT count(*) AS issued_but_cached
	FROM drawn d JOIN idgen_cache c ON c.name = 'any' AND d.first_id <= c.last_id AND c.first_id <= d.last_id;

-- more than there are: no id is lost
\set VERBOSITY sqlstate
INSERT INTO id_sequences (name, next_block_start, block_size, refill, max_value) VALUES ('end', 1, 20, 'worker', 50);
SELECT * FROM idgen_next_range('end', 51);
SELECT idgen_next('end'), idgen_peek('end');
SELECT * FROM idgen_next_range('end', 50);
SELECT idgen_peek('end');
SELECT * FROM idgen_next_range('end', 30);
SELECT * FROM idgen_next_range('end', 19);
SELECT ids_lost FROM idgen_stats WHERE name = 'end';
SELECT * FROM idgen_next_range('end', 2);

\set VERBOSITY default

-- the exact fit, beside what is cached
INSERT INTO id_sequences (name, next_block_start, block_size, refill, max_value) VALUES ('exact', 1, 2, 'worker', 50);
SELECT idgen_next('exact'), next_block_start FROM id_sequences WHERE name = 'exact';
SELECT * FROM idgen_next_range('exact', 48);

-- that is no reason to take more of the row than for a single id
INSERT INTO id_sequences (name, next_block_start, block_size, refill, max_value) VALUES ('much', 1, 20, 'worker', 1000000);
SELECT * FROM idgen_next_range('much', 4611686018427387904);
\echo :SQLSTATE
SELECT next_block_start, exhausted FROM id_sequences WHERE name = 'much';
SELECT idgen_next('much');

-- block_size 1
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('single', 1, 1, 'worker');
SELECT * FROM idgen_next_range('single', 5);
SELECT last_id - first_id FROM idgen_next_range('single', 500);

-- native sequences
CREATE SEQUENCE native_seq INCREMENT BY 20;
INSERT INTO id_sequences (name, next_block_start, source, refill) VALUES ('native', 1, 'sequence', 'worker');
SELECT * FROM idgen_next_range('native', 7);
SELECT last_id - first_id FROM idgen_next_range('native', 1000);
SELECT * FROM idgen_next_range('native', 2000001);
\echo :SQLSTATE
CREATE SEQUENCE down_seq INCREMENT BY -1 MINVALUE -1000;
INSERT INTO id_sequences (name, next_block_start, source, refill) VALUES ('down', 1, 'sequence', 'worker');
SELECT * FROM idgen_next_range('down', 300);
\set VERBOSITY sqlstate
SELECT * FROM idgen_next_range('down', 1001);
SELECT idgen_next('down'), last_value > -1000 AS some_left FROM down_seq;

DROP VIEW check_drawn;
DROP TABLE drawn;
DROP SEQUENCE native_seq, down_seq;
DROP EXTENSION idgen;
