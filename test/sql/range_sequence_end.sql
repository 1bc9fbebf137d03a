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
