-- docs/multi-server.md, docs/foreign-servers.md, docs/high-availability.md,
-- docs/node-numbers.md

-- Sessions ask the centre themselves, unless refill is worker: so nothing is
-- refilled ahead.
SET idgen.worker_start_timeout = -1;

CREATE ROLE app2;
CREATE ROLE app3;
CREATE ROLE claims_node LOGIN PASSWORD 'secret';
CREATE DATABASE ids;
\at ids CREATE TABLE id_sequences (name varchar(255) PRIMARY KEY, next_block_start bigint NOT NULL, block_size integer NOT NULL, exhausted smallint NOT NULL DEFAULT 0);
\at ids GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO claims_node;
\at ids INSERT INTO id_sequences VALUES ('so', 1, 10, 0), ('so_w', 1, 10, 0), ('ex', 1, 10, 1), ('bs0', 1, 0, 0);
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname 'ids');

-- claim: To refill, the owner of id_sequences needs a user mapping.
SELECT idgen_create('so', source => 'server', source_name => 'central');
SELECT idgen_next('so');
-- gives: ERROR 42704: user mapping not found
CREATE USER MAPPING FOR current_user SERVER central OPTIONS (user 'claims_node', password 'secret');

-- claim: A node draws a block of the centre's, where it is seen as idgen.
SELECT idgen_next('so');
-- gives: 1
SELECT last_id FROM idgen_cache WHERE name = 'so';
-- gives: 10
SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = 'ids';
-- gives: idgen

-- claim: The row's next_block_start and max_value do not count on the node; percent_left is null.
UPDATE id_sequences SET next_block_start = 999, max_value = 3 WHERE name = 'so';
SELECT percent_left IS NULL FROM idgen_stats WHERE name = 'so';
-- gives: t

-- claim: idgen_next_range and idgen_peek work.
SELECT * FROM idgen_next_range('so', 3);
-- gives: 11|13
SELECT idgen_peek('so');
-- gives: 14

-- claim: A rollback takes nothing back.
BEGIN;
SELECT idgen_next('so') AS b \gset
ROLLBACK;
SELECT idgen_next('so') > :b;
-- gives: t

-- claim: A server that does not exist.
SELECT idgen_create('s2', source => 'server', source_name => 'nix');
-- gives: ERROR 42704: server "nix" does not exist

-- claim: No source_name, and no server of the name of the id sequence.
SELECT idgen_create('s3', source => 'server');
-- gives: ERROR 42704: there is no server for id sequence "s3"

-- claim: The centre has no such row.
SELECT idgen_create('s4', source => 'server', source_name => 'central');
SELECT idgen_next('s4');
-- gives: ERROR 42704: id sequence "s4" does not exist on server "central"

-- claim: Without source_name: the server called LIKE the id sequence, else idgen_default.
CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname 'ids', remote_name 'so');
CREATE USER MAPPING FOR PUBLIC SERVER idgen_default OPTIONS (user 'claims_node', password 'secret');
SELECT idgen_create('s3', source => 'server');
SELECT idgen_next('s3') > 0;
-- gives: t

-- claim: schema_name says where the table is at the centre.
ALTER SERVER idgen_default OPTIONS (ADD schema_name 'nix');
SELECT idgen_next_range('s3', 50);
-- gives: ERROR 42P01
ALTER SERVER idgen_default OPTIONS (DROP schema_name);

-- claim: client_encoding is not allowed.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (client_encoding 'utf8');
-- gives: ERROR HV00D

-- claim: fallback_application_name is not allowed.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (fallback_application_name 'utf8');
-- gives: ERROR HV00D

-- claim: replication is not allowed.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (replication 'true');
-- gives: ERROR HV00D

-- claim: user is not an option of a server.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (user 'a');
-- gives: ERROR HV00D

-- claim: The hint lists the options.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (nonsense 'a');
-- gives: ERROR HV00D

-- claim: host is not an option of a user mapping.
CREATE USER MAPPING FOR app2 SERVER central OPTIONS (host 'x');
-- gives: ERROR HV00D

-- claim: remote_name must not be empty.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (remote_name '');
-- gives: ERROR 22023

-- claim: schema_name must not be empty.
CREATE SERVER b1 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (schema_name '');
-- gives: ERROR 22023

-- claim: What is wrong with a value of libpq's shows when connecting, not before.
CREATE SERVER b2 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (sslmode 'nonsense');

-- claim: Creating a server takes USAGE on the wrapper.
SET ROLE app2;
CREATE SERVER mine FOREIGN DATA WRAPPER idgen_fdw;
-- gives: ERROR 42501
RESET ROLE;

-- claim: Who has USAGE on the wrapper may create one.
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO app2;
SET ROLE app2;
CREATE SERVER mine FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname 'ids');
SELECT 'ok';
-- gives: ok
RESET ROLE;

-- claim: Making one's own mapping takes USAGE on the server.
SET ROLE app2;
CREATE USER MAPPING FOR app2 SERVER central OPTIONS (user 'claims_node', password 'x');
-- gives: ERROR 42501
RESET ROLE;

-- claim: Who has USAGE on the server may make it.
GRANT USAGE ON FOREIGN SERVER central TO app2;
SET ROLE app2;
CREATE USER MAPPING FOR app2 SERVER central OPTIONS (user 'claims_node', password 'secret');
SELECT 'ok';
-- gives: ok
RESET ROLE;

-- claim: A mapping of a role that does not own id_sequences is not used.
SET ROLE app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (SET user 'nobody at all');
SELECT * FROM idgen_next_range('so', 50);
-- gives: 31|80
RESET ROLE;

-- claim: An owner who is no superuser must not be reached by a socket with a password.
ALTER TABLE id_sequences OWNER TO app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (SET user 'claims_node');
SELECT idgen_next_range('so', 50);
-- gives: ERROR 2F003: server "central" must not be reached by a Unix-domain socket where a password is required

-- claim: The mapping must have a password.
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (DROP password);
SELECT idgen_next_range('so', 50);
-- gives: ERROR 2F003: password is required

-- claim: Only a superuser may set password_required to false.
SET ROLE app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (ADD password_required 'false');
-- gives: ERROR 42501
RESET ROLE;

-- claim: A superuser may.
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (ADD password_required 'false');
SELECT * FROM idgen_next_range('so', 50);
-- gives: 81|130

-- claim: Only superusers can alter that mapping then ...
SET ROLE app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (SET user 'postgres');
-- gives: ERROR 42501
RESET ROLE;

-- claim: ... unless they take the option out again.
SET ROLE app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (DROP password_required);
SELECT 'ok';
-- gives: ok
RESET ROLE;

ALTER TABLE id_sequences OWNER TO CURRENT_USER;

-- claim: Only a superuser may set options of a server that may do harm.
SET ROLE app2;
ALTER SERVER mine OPTIONS (ADD options '-c post_auth_delay=2000');
-- gives: ERROR 42501: permission denied to set option options of a server
ALTER SERVER mine OPTIONS (ADD sslrootcert '/dev/zero');
-- gives: ERROR 42501
RESET ROLE;

-- claim: password_required is a boolean.
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (ADD password_required 'maybe');
-- gives: ERROR 42601

-- claim: Only a superuser may set sslcert in a mapping.
SET ROLE app2;
ALTER USER MAPPING FOR app2 SERVER central OPTIONS (ADD sslcert 'x');
-- gives: ERROR 42501
RESET ROLE;

-- claim: Drawing takes USAGE on the server, also while ids are cached.
SET ROLE app3;
SELECT idgen_next('so');
-- gives: ERROR 42501
RESET ROLE;

-- claim: Drawing cached ids takes no mapping.
GRANT USAGE ON FOREIGN SERVER central TO app3;
SELECT ids_cached > 0 FROM idgen_stats WHERE name = 'so';
-- gives: t
SET ROLE app3;
SELECT idgen_next('so') > 0;
-- gives: t
RESET ROLE;

-- claim: idgen_restart on a node is refused.
SELECT idgen_restart('so', 1);
-- gives: ERROR 0A000

-- claim: A centre that cannot be reached is tried again for idgen.server_timeout.
SET idgen.server_timeout = '500ms';
CREATE SERVER dead FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port '1', dbname 'x');
CREATE USER MAPPING FOR current_user SERVER dead OPTIONS (user 'a', password 'b');
SELECT idgen_create('sd', source => 'server', source_name => 'dead');
SELECT idgen_next('sd');
-- gives: ERROR 08001: could not connect to server "dead"
RESET idgen.server_timeout;

-- claim: A centre that the worker cannot reach.
UPDATE id_sequences SET refill = 'worker' WHERE name = 'sd';
SELECT idgen_next('sd');
-- gives: ERROR 08001: could not connect to server "dead"

-- claim: A row that somebody has locked at the centre.
\at ids BEGIN; UPDATE id_sequences SET block_size = 10 WHERE name = 'so_w'; PREPARE TRANSACTION 'locks so_w';
SELECT idgen_create('so_w', source => 'server', source_name => 'central');
SET idgen.server_timeout = '5s';
SELECT idgen_next('so_w');
-- gives: ERROR 08006: server "central" did not answer in time
RESET idgen.server_timeout;
\at ids ROLLBACK PREPARED 'locks so_w';

-- claim: An id sequence that is exhausted at the centre.
SELECT idgen_create('ex', source => 'server', source_name => 'central');
SELECT idgen_next('ex');
-- gives: ERROR 2200H: id sequence "ex" is exhausted

-- claim: A block_size below 1 at the centre.
SELECT idgen_create('bs0', source => 'server', source_name => 'central');
SELECT idgen_next('bs0');
-- gives: ERROR 22023: block_size of id sequence "bs0" on server "central" must be greater than zero

-- claim: A server of another wrapper.
CREATE FOREIGN DATA WRAPPER other;
CREATE SERVER osrv FOREIGN DATA WRAPPER other;
SELECT idgen_create('os', source => 'server', source_name => 'osrv');
-- gives: ERROR 42809

-- claim: No server has a name of more than 63 bytes.
SELECT idgen_create('ol', source => 'server', source_name => repeat('z', 70));
-- gives: ERROR 42704
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('ol', 1, 'server', repeat('z', 70));
-- gives: ERROR 42622

-- claim: The empty name for a server.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('oe', 1, 'server', '');
-- gives: ERROR 22023

-- claim: What fails at the centre carries the name of the server in the context.
SELECT idgen_create('s5', source => 'server', source_name => 'central');
ALTER SERVER central OPTIONS (ADD schema_name 'nix');
SELECT idgen_next('s5');
-- gives: ERROR 42P01
ALTER SERVER central OPTIONS (DROP schema_name);

-- claim: A row at the centre whose source is not "table".
\at postgres INSERT INTO id_sequences(name, next_block_start, source) VALUES ('rs', 1, 'sequence');
CREATE SERVER cen2 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname 'postgres');
CREATE USER MAPPING FOR current_user SERVER cen2 OPTIONS (user :'USER', password 'secret');
SELECT idgen_create('rs', source => 'server', source_name => 'cen2');
SELECT idgen_next('rs');
-- gives: ERROR 22023: id sequence "rs" on server "cen2" has source "sequence", not "table"

-- claim: An option in the wrong place.
CREATE USER MAPPING FOR app3 SERVER central OPTIONS (dbname 'x');
-- gives: ERROR HV00D

-- claim: Several rows of one name at the centre.
\at ids CREATE SCHEMA nopk; CREATE TABLE nopk.id_sequences(name text, next_block_start bigint, block_size int, exhausted smallint); INSERT INTO nopk.id_sequences VALUES ('dup', 1, 1, 0), ('dup', 1, 1, 0);
CREATE SERVER cen3 FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port :'port', dbname 'ids', schema_name 'nopk');
CREATE USER MAPPING FOR current_user SERVER cen3 OPTIONS (user :'USER', password 'secret');
SELECT idgen_create('dup', source => 'server', source_name => 'cen3');
SELECT idgen_next('dup');
-- gives: ERROR 21000

-- claim: A trigger at the centre that is in the way.
\at ids TRUNCATE nopk.id_sequences; INSERT INTO nopk.id_sequences VALUES ('dup', 1, 1, 0); CREATE OR REPLACE FUNCTION nopk.tn() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER r BEFORE UPDATE ON nopk.id_sequences FOR EACH ROW EXECUTE FUNCTION nopk.tn();
SELECT idgen_next('dup');
-- gives: ERROR 55000: id sequence "dup" on server "cen3" was not updated as expected

-- claim: A null in the row at the centre.
\at ids DROP TRIGGER r ON nopk.id_sequences; UPDATE nopk.id_sequences SET block_size = NULL;
SELECT idgen_next('dup');
-- gives: ERROR 22004: block_size of id sequence "dup" on server "cen3" is null

-- claim: What the remote role may not do there.
\at ids REVOKE UPDATE ON id_sequences FROM claims_node; REVOKE UPDATE(next_block_start) ON id_sequences FROM claims_node;
SELECT * FROM idgen_next_range('s3', 100);
-- gives: ERROR 42501
\at ids GRANT UPDATE(next_block_start, exhausted) ON id_sequences TO claims_node;

-- claim: The worker uses the mapping of the owner of id_sequences, too.
UPDATE id_sequences SET refill = 'worker' WHERE name = 'so';
GRANT USAGE ON FOREIGN SERVER central TO app3;
SET ROLE app3;
SELECT count(*) FROM (SELECT idgen_next('so') FROM generate_series(1, 300)) q(a) WHERE a > 0;
-- gives: 300
RESET ROLE;

-- claim: Options of a mapping are shown only to superusers and its user.
SET ROLE app3;
SELECT umoptions FROM pg_user_mappings WHERE srvname = 'central' AND usename = :'USER';
RESET ROLE;

-- claim: There must be a row on the node.
SELECT idgen_next('norow', 'server');
-- gives: ERROR 42704

-- claim: At a centre, a policy for one role hides the rows from all others.
\at ids ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY; CREATE ROLE second_node LOGIN; GRANT SELECT, UPDATE ON id_sequences TO second_node; CREATE POLICY node ON id_sequences TO claims_node USING (name = 'so');
\at ids SET ROLE claims_node; SELECT name FROM id_sequences;
-- gives: so
\at ids SET ROLE second_node; SELECT count(*) FROM id_sequences;
-- gives: 0
\at ids ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- claim: A centre that has gone back is refused, idgen_peek included, until the row is raised there.
\at ids INSERT INTO id_sequences VALUES ('wb', 20001, 5000, 0);
SELECT idgen_create('wb', source => 'server', source_name => 'central');
SELECT * FROM idgen_next_range('wb', 5000);
-- gives: 20001|25000
\at ids UPDATE id_sequences SET next_block_start = 10001 WHERE name = 'wb';
SELECT idgen_next('wb');
-- gives: ERROR 55000: server "central" has gone back with id sequence "wb"
SELECT idgen_peek('wb');
-- gives: ERROR 55000: server "central" has gone back with id sequence "wb"
SELECT last_id, went_back FROM idgen_centre_marks WHERE name = 'wb';
-- gives: 25000|It would go on at 10001, and has given 25000 before.
SELECT problem_kind FROM idgen_health WHERE name = 'wb';
-- gives: went_back
\at ids UPDATE id_sequences SET next_block_start = 30001 WHERE name = 'wb';
SELECT idgen_next('wb');
-- gives: 30001
SELECT count(*) FROM idgen_health WHERE name = 'wb' AND problem IS NOT NULL;
-- gives: 0

-- claim: Where it begins anew on purpose, the node is told.
\at ids UPDATE id_sequences SET next_block_start = 1 WHERE name = 'wb';
SELECT idgen_accept_centre('central', 'wb');
-- gives: 1
SELECT idgen_next_range('wb', 5000);
-- gives: (1,5000)

-- claim: Only the owner of the server may accept it.
SET ROLE app3;
SELECT idgen_accept_centre('central', 'wb');
-- gives: ERROR 42501
RESET ROLE;

-- claim: idgen_server shows the number of this server.
SELECT node_setting, node_id, node_leased_until, node_renewed_at, node_failing_since, node_problem FROM idgen_server;
-- gives: 2|2||||

-- claim: A number can be reserved, and released.
SELECT idgen_reserve_node(5, 'the archive');
SELECT number, state, reserved_for FROM idgen_nodes ORDER BY number;
-- gives: 5|reserved|the archive
SELECT idgen_reserve_node(5, NULL);
SELECT state FROM idgen_nodes WHERE number = 5;
-- gives: free

-- claim: A number is not released as long as its lease lasts.
SELECT number FROM idgen_lease_node(gen_random_uuid(), 1, '/data', 1800000000000, 1, 300, 1800000270000, gen_random_uuid(), '{}', '{}', '{}', '{}');
-- gives: 1
SELECT idgen_reserve_node(1, NULL);
-- gives: ERROR 55006
UPDATE idgen_node_numbers SET leased_until = now() WHERE number = 1;
SELECT idgen_reserve_node(1, NULL);
