--
-- A change of one row has nobody look again at others
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) SELECT n, 1, 100 FROM unnest('{a,b,c,other,another}'::text[]) AS n;

-- how often the row was looked for
CREATE FUNCTION looks(VARIADIC names text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT idx_scan FROM pg_stat_xact_all_tables WHERE relid = 'id_sequences'::regclass);
BEGIN
	PERFORM idgen_next(n) FROM unnest(names) AS n;
	RETURN (SELECT idx_scan FROM pg_stat_xact_all_tables WHERE relid = 'id_sequences'::regclass) - before;
END $$;
SELECT looks('a', 'b', 'c', 'other', 'another') > 0;
SELECT looks('a', 'b', 'c', 'other', 'another');
DELETE FROM id_sequences WHERE name = 'other';
SELECT looks('a', 'b', 'c', 'another');
UPDATE id_sequences SET block_size = 50 WHERE name = 'another';
SELECT looks('a', 'b', 'c');
SELECT looks('another') > 0;
INSERT INTO id_sequences (name, next_block_start) VALUES ('one more', 1);
SELECT looks('a', 'b', 'c');

DROP FUNCTION looks;
DROP EXTENSION idgen;
