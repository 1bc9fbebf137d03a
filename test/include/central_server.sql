-- the central server is this one
DO $$
BEGIN
	EXECUTE format('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, schema_name ''centre'')',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user %L)', current_user);
END$$;
CREATE SCHEMA centre;
CREATE TABLE centre.id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
