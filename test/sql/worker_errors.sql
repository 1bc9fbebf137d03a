--
-- What goes wrong in the worker is raised in the session that waits for it:
-- SQLSTATE, message, detail and hint; the next call works
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 4, 'worker'), ('other', 1, 4, 'worker'), ('slow', 1, 4, 'worker');

-- the expression of an index is computed when the row is written
CREATE TABLE fault (message text, detail text, hint text);
CREATE FUNCTION fail(name text, next_block_start bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	f public.fault;
BEGIN
	IF name = 'slow' AND next_block_start > 5 THEN
		PERFORM pg_sleep(1);
	END IF;
	SELECT * INTO f FROM public.fault;
	IF FOUND AND name = 'gen' THEN
		RAISE EXCEPTION USING ERRCODE = 'XY123', MESSAGE = f.message, DETAIL = coalesce(f.detail, ''), HINT = coalesce(f.hint, '');
	END IF;
	RETURN next_block_start;
END $$;
GRANT SELECT ON fault TO PUBLIC;
CREATE INDEX ON id_sequences (fail(name, next_block_start));

SELECT idgen_next('gen');
INSERT INTO fault VALUES ('it is broken: 100%', 'It says %s.', 'Mend it.');
SELECT array_agg(idgen_next('gen')) FROM generate_series(2, 4);
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen');
\echo :SQLSTATE

-- only that one id sequence is concerned
SELECT array_agg(idgen_next('other')) FROM generate_series(1, 9);

-- without detail and hint
UPDATE fault SET detail = NULL, hint = NULL;
SELECT idgen_next('gen');
\echo :SQLSTATE

-- a text that is too long is cut, between characters
UPDATE fault SET message = repeat('ä', 1000), detail = 'a' || repeat('ä', 1000), hint = 'a' || repeat('日', 1000);
DO $$
DECLARE
	m text;
	d text;
	h text;
BEGIN
	PERFORM idgen_next('gen');
EXCEPTION WHEN SQLSTATE 'XY123' THEN
	GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
	RAISE NOTICE '% % %', m ~ '^ä{50,}$', d ~ '^aä{50,}$', h ~ '^a日{50,}$';
	RAISE NOTICE '% % %', octet_length(m) % 2, octet_length(d) % 2, octet_length(h) % 3;
END $$;

-- what is mended while the worker refills another one is mended
SELECT array_agg(idgen_next('slow')) FROM generate_series(1, 4);
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep');
		PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
	END LOOP;
END $$;
DELETE FROM fault;
SELECT idgen_next('gen');

-- nothing is lost or doubled by that
SELECT array_agg(idgen_next('gen')) FROM generate_series(6, 9);

-- a bad row that was written behind the back of the checks
ALTER TABLE id_sequences DISABLE TRIGGER USER, DROP CONSTRAINT id_sequences_block_size_check;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('bad', 1, 0, 'worker');
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('bad');
\echo :SQLSTATE
UPDATE id_sequences SET block_size = 4 WHERE name = 'bad';
SELECT idgen_next('bad');

-- no primary key, by which the worker finds rows
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey CASCADE;
SELECT idgen_next('other') FROM generate_series(1, 1000);
\echo :SQLSTATE
ALTER TABLE id_sequences ADD PRIMARY KEY (name);
SELECT idgen_next('other') > 9 AS drawn;

DROP EXTENSION idgen;
DROP FUNCTION fail;
DROP TABLE fault;
