--
-- Which changes of a native sequence make cached ids void: those that could
-- make it give the same ids again, or others
--
-- A cache per session is emptied by any change of a sequence, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('row', 1, 'sequence', 'gen_seq');
CREATE VIEW blocks AS SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
TABLE blocks;

-- RESTART, where it started or elsewhere
ALTER SEQUENCE gen_seq RESTART;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
ALTER SEQUENCE gen_seq RESTART WITH 100;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('gen', 'sequence'), idgen_next('row');
ALTER SEQUENCE gen_seq RESTART 102;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');

-- INCREMENT: blocks of another size
ALTER SEQUENCE gen_seq INCREMENT 3;
TABLE blocks;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 3);
SELECT last_value FROM gen_seq;
ALTER SEQUENCE gen_seq INCREMENT -5;
SELECT string_agg(idgen_next('gen', 'sequence')::text, ' ') FROM generate_series(1, 3);
ALTER SEQUENCE gen_seq INCREMENT 10;
SELECT idgen_next('gen', 'sequence');

-- MAXVALUE: nothing beyond it
ALTER SEQUENCE gen_seq MAXVALUE 120;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
ALTER SEQUENCE gen_seq NO MAXVALUE;
SELECT idgen_next('gen', 'sequence');

-- others that may matter to what comes next
ALTER SEQUENCE gen_seq MINVALUE -1000;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq CYCLE;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq START 7;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq CACHE 1;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq AS integer;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq SET UNLOGGED;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq SET LOGGED;
TABLE blocks;
SELECT idgen_next('gen', 'sequence');

-- a change that fails does nothing
ALTER SEQUENCE gen_seq RESTART 9223372036854775807;
ALTER SEQUENCE gen_seq INCREMENT 0;
SELECT idgen_next('gen', 'sequence');

-- what has nothing to do with its values leaves the cache alone
SELECT idgen_next('row');
CREATE TABLE owner (id bigint DEFAULT nextval('gen_seq'));
CREATE ROLE regress_idgen_user;
ALTER SEQUENCE gen_seq OWNED BY owner.id;
SELECT idgen_next('gen', 'sequence');
ALTER SEQUENCE gen_seq OWNER TO CURRENT_USER;
GRANT USAGE ON gen_seq TO regress_idgen_user;
COMMENT ON SEQUENCE gen_seq IS 'for orders';
SELECT idgen_next('gen', 'sequence');
VACUUM owner;
ANALYZE owner;
TRUNCATE owner;
TRUNCATE owner CONTINUE IDENTITY;
ALTER TABLE owner ADD n integer;
SELECT idgen_next('gen', 'sequence');
TABLE blocks;

-- a table's truncation with RESTART IDENTITY
TRUNCATE owner RESTART IDENTITY;
TABLE blocks;
SELECT idgen_next('gen', 'sequence'), idgen_next('row');
TRUNCATE owner RESTART IDENTITY;
INSERT INTO owner DEFAULT VALUES;
SELECT id FROM owner;
SELECT idgen_next('gen', 'sequence');

-- lost ids are counted
SELECT name, ids_lost_changed = ids_lost AND ids_lost > 0 AS lost FROM idgen_stats ORDER BY name;

DROP VIEW blocks;
DROP TABLE owner;
DROP ROLE regress_idgen_user;
DROP EXTENSION idgen;
