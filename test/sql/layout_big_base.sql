--
-- big_base is added to the sequence value before a numeric id is composed; what
-- does not fit then is refused, and stays
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
ALTER SYSTEM SET idgen.node_id = 2;
SELECT pg_reload_conf();
\c -
CREATE FUNCTION field(id numeric, layout text) RETURNS text LANGUAGE sql AS $$
	SELECT length(id::text) || ' digits: ' || substr(id::text, CASE WHEN layout LIKE 'prefixed%' THEN 6 ELSE 5 END)
$$;
CREATE VIEW state AS
	SELECT s.name, s.xmin AS row_version, next_block_start, coalesce(ids_issued, 0) AS ids_issued, coalesce(ids_cached, 0) AS ids_cached,
		coalesce(ids_lost, 0) AS ids_lost,
		(SELECT array_agg(first_id || '-' || last_id ORDER BY first_id) FROM idgen_cache c WHERE c.name = s.name) AS cached
	FROM id_sequences s LEFT JOIN idgen_stats t USING (name);
CREATE TABLE before AS TABLE state WITH NO DATA;

-- added, also beyond what a bigint can hold; idgen_next goes without
INSERT INTO id_sequences (name, next_block_start, layout, big_base)
	SELECT layout, 1, layout, 12345678901234567890123456789000
	FROM unnest(ARRAY['prefixed', 'session', 'prefixed_reversed', 'session_reversed']) AS layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, (idgen_parts(idgen_next_big(layout), layout)).sequence_value, (idgen_parts(idgen_next(layout), layout)).sequence_value
	FROM id_sequences ORDER BY layout;

-- 33 and 34 digits full, and one more
UPDATE id_sequences SET big_base = CASE WHEN layout LIKE 'prefixed%' THEN 1e33 ELSE 1e34 END - 24;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
INSERT INTO before TABLE state;
SELECT idgen_next_big('prefixed');
\echo :SQLSTATE
SELECT idgen_next_big('session_reversed');
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;

-- a sum that is negative, and one that is zero
UPDATE id_sequences SET big_base = -43;
TRUNCATE before;
INSERT INTO before TABLE state;
SELECT idgen_next_big('prefixed');
\echo :SQLSTATE
SELECT idgen_next_big('session_reversed');
\echo :SQLSTATE
TABLE before EXCEPT TABLE state;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;
SELECT layout, (idgen_parts(idgen_next(layout), layout)).sequence_value FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;
SELECT layout, field(idgen_next_big(layout), layout) FROM id_sequences ORDER BY layout;

-- a negative sequence value that big_base lifts
INSERT INTO id_sequences (name, next_block_start, layout, big_base) VALUES
	('lifted', -3, 'session', 3), ('least', -9223372036854775808, 'prefixed', 9223372036854775808),
	('far', -9223372036854775808, 'prefixed', 1e33 - 1), ('too far', 1, 'prefixed', 1e37), ('too low', 1, 'session', -1e37),
	('full', 9223372036854775807, 'session', 1e34 - 1 - 9223372036854775807);
SELECT field(idgen_next_big('lifted'), 'session'), field(idgen_next_big('least'), 'prefixed'), field(idgen_next_big('far'), 'prefixed'),
	field(idgen_next_big('full'), 'session');
SELECT idgen_next('lifted');
\echo :SQLSTATE
SELECT field(idgen_next_big('lifted'), 'session');
SELECT idgen_last('least');
\echo :SQLSTATE
\set VERBOSITY sqlstate
SELECT idgen_next_big('too far');
SELECT idgen_next_big('too low');
SELECT name, next_block_start FROM id_sequences WHERE name LIKE 'too%' ORDER BY name;
-- not even the least and the greatest value, which only replication writes
SET session_replication_role = replica;
UPDATE id_sequences SET next_block_start = CASE name WHEN 'too far' THEN -9223372036854775808 ELSE 9223372036854775807 END
	WHERE name LIKE 'too%';
RESET session_replication_role;
SELECT idgen_next_big('too far');
SELECT idgen_next_big('too low');
\set VERBOSITY default

-- without a layout, there is room for any sum
UPDATE id_sequences SET layout = 'plain', big_base = 99999999999999999999999999999999999999 WHERE name = 'lifted';
SELECT idgen_next_big('lifted'), idgen_next_big('lifted');

ALTER SYSTEM RESET idgen.node_id;
SELECT pg_reload_conf();
DROP VIEW state;
DROP TABLE before;
DROP FUNCTION field;
DROP EXTENSION idgen;
