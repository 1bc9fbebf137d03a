--
-- Which server an id sequence draws from: the one that source_name names,
-- literally; else one named like the id sequence; else "idgen_default"
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('default', 1, 1), ('like', 1001, 1), ('named', 2001, 1), ('odd', 3001, 1);

-- servers that are this one, told from each other by where their ids come from
CREATE PROCEDURE make_server(name text, remote_name text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, remote_name %L)', name,
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database(), remote_name);
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I OPTIONS (user %L)', name, current_user);
END$$;

-- there is none
SELECT idgen_create('gen', source => 'server');
\echo :SQLSTATE
SELECT idgen_create('gen', source => 'server', source_name => 'special');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source) VALUES ('gen', 1, 'server');
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'special' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE

-- servers created later
CALL make_server('idgen_default', 'default');
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';
SELECT idgen_next('gen');
CALL make_server('gen', 'like');
SELECT idgen_next('gen');
CALL make_server('special', 'named');
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'special' WHERE name = 'gen';
SELECT idgen_next('gen');

-- and dropped
SET client_min_messages = warning;
DROP SERVER gen CASCADE;
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = NULL WHERE name = 'gen';
SELECT idgen_next('gen');
DROP SERVER idgen_default CASCADE;
SELECT idgen_next('gen');
\echo :SQLSTATE

-- literally: no folding, no quotes, no schema, nothing is cut
CALL make_server('Odd "Server"', 'odd');
UPDATE id_sequences SET source_name = 'Odd "Server"' WHERE name = 'gen';
SELECT idgen_next('gen');
SELECT name, source_name FROM idgen_stats WHERE name = 'gen';
UPDATE id_sequences SET source_name = 'odd "server"' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'Special' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = '"special"' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = 'public.special' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
UPDATE id_sequences SET source_name = '' WHERE name = 'gen';
\echo :SQLSTATE
SELECT repeat('s', 63) AS longest \gset
CALL make_server(:'longest', 'odd');
UPDATE id_sequences SET source_name = repeat('s', 63) WHERE name = 'gen';
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = repeat('s', 64) WHERE name = 'gen';
\echo :SQLSTATE
UPDATE id_sequences SET source_name = NULL, name = repeat('s', 64) WHERE name = 'gen';
SELECT idgen_next(repeat('s', 64));
\echo :SQLSTATE
DROP SERVER sssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss CASCADE;
UPDATE id_sequences SET name = 'gen' WHERE source = 'server';

-- a server of another wrapper
CREATE FOREIGN DATA WRAPPER regress_other;
CREATE SERVER gen FOREIGN DATA WRAPPER regress_other;
CALL make_server('idgen_default', 'default');
SELECT idgen_next('gen');
UPDATE id_sequences SET source_name = 'gen' WHERE name = 'gen';
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_create('new', source => 'server', source_name => 'gen');
\echo :SQLSTATE

-- by argument, where the row has another source
SELECT idgen_next('default', 'server');
\echo :SQLSTATE
SELECT idgen_next('nothing', 'server');
\echo :SQLSTATE

DROP PROCEDURE make_server;
DROP SERVER gen, idgen_default, special, "Odd ""Server""" CASCADE;
DROP FOREIGN DATA WRAPPER regress_other;
DROP EXTENSION idgen;
