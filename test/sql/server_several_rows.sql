--
-- Two rows of one name at the central server, whose table has no key: nothing is allocated
--
CREATE EXTENSION idgen;

-- the central server is this one
DO $$
BEGIN
	EXECUTE format('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, schema_name ''centre'')',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user %L)', current_user);
END$$;
CREATE SCHEMA centre;
CREATE TABLE centre.id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
INSERT INTO centre.id_sequences VALUES ('gen', 1, 20), ('gen', 1000, 20);
SELECT idgen_create('gen', source => 'server', source_name => 'central');

SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next_range('gen', 100);
\echo :SQLSTATE
SELECT next_block_start FROM centre.id_sequences ORDER BY next_block_start;
DELETE FROM centre.id_sequences WHERE next_block_start = 1;
SELECT idgen_next('gen');

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
