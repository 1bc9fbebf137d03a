--
-- As whom the central server is used decides what there is to see. Ids that a
-- transaction draws with a user mapping that it has made or altered itself, or
-- as an owner that it has made, are nobody else's, if it is rolled back
--
-- needs roles that can connect
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

-- the central server is this one; each user has a table of their own
CREATE ROLE regress_idgen_a LOGIN PASSWORD 'of both';
CREATE ROLE regress_idgen_b LOGIN PASSWORD 'of both';
ALTER ROLE regress_idgen_a SET search_path = centre_a;
ALTER ROLE regress_idgen_b SET search_path = centre_b;
DO $$
BEGIN
	EXECUTE format('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L)',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
END$$;
CREATE SCHEMA centre_a AUTHORIZATION regress_idgen_a
	CREATE TABLE id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
CREATE SCHEMA centre_b AUTHORIZATION regress_idgen_b
	CREATE TABLE id_sequences (name text, next_block_start bigint, block_size integer, exhausted smallint DEFAULT 0);
ALTER TABLE centre_a.id_sequences OWNER TO regress_idgen_a;
ALTER TABLE centre_b.id_sequences OWNER TO regress_idgen_b;
INSERT INTO centre_a.id_sequences VALUES ('gen', 1, 5);
INSERT INTO centre_b.id_sequences VALUES ('gen', 1001, 5);
SELECT idgen_create('gen', source => 'server', source_name => 'central');
CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (user 'regress_idgen_a', password 'of both');

-- made
BEGIN;
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'regress_idgen_b', password 'of both');
SELECT idgen_next('gen');
ROLLBACK;
SELECT idgen_next('gen');
BEGIN;
SAVEPOINT a;
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'regress_idgen_b', password 'of both');
SELECT max(idgen_next('gen')) FROM generate_series(1, 5);
ROLLBACK TO a;
SELECT idgen_next('gen') < 1000 AS by_a;
COMMIT;
SELECT max(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 10);

-- altered, the one for everybody
BEGIN;
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (SET user 'regress_idgen_b');
SELECT max(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 10);
ROLLBACK;
SELECT max(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 10);

-- committed
ALTER USER MAPPING FOR PUBLIC SERVER central OPTIONS (SET user 'regress_idgen_b');
SELECT max(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 10);

-- dropped, so that it is the one for everybody that counts
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'regress_idgen_a', password 'of both');
SELECT idgen_accept_centre('central');
SELECT count(idgen_next('gen')) FROM generate_series(1, 10);
BEGIN;
DROP USER MAPPING FOR CURRENT_USER SERVER central;
SELECT max(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 10);
ROLLBACK;
SELECT max(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 10);
DROP USER MAPPING FOR CURRENT_USER SERVER central;

-- another owner of id_sequences, whose mapping counts then
CREATE ROLE regress_idgen_c SUPERUSER;
CREATE USER MAPPING FOR regress_idgen_c SERVER central OPTIONS (user 'regress_idgen_a', password 'of both');
SELECT count(idgen_next('gen')) FROM generate_series(1, 10);
BEGIN;
ALTER TABLE id_sequences OWNER TO regress_idgen_c;
SELECT max(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 3);
ROLLBACK;
SELECT min(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 10);
BEGIN;
SAVEPOINT a;
ALTER TABLE id_sequences OWNER TO regress_idgen_c;
SELECT max(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 3);
ROLLBACK TO a;
SELECT min(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 3);
COMMIT;
SELECT min(idgen_next('gen')) > 1000 AS by_b FROM generate_series(1, 10);
ALTER TABLE id_sequences OWNER TO regress_idgen_c;
SELECT idgen_accept_centre('central');
SELECT min(idgen_next('gen')) < 1000 AS by_a FROM generate_series(1, 10);
ALTER TABLE id_sequences OWNER TO CURRENT_USER;

-- a server that cannot be reached, as long as that is not committed
BEGIN;
SET LOCAL idgen.server_timeout = '100ms';
ALTER SERVER central OPTIONS (SET port '1');
\set VERBOSITY sqlstate
SELECT idgen_next('gen');
\set VERBOSITY default
ROLLBACK;
SELECT count(*) FROM idgen_health WHERE problem LIKE '%has not answered%';

DROP USER MAPPING FOR regress_idgen_c SERVER central;
DROP USER MAPPING FOR PUBLIC SERVER central;
DROP SERVER central;
DROP EXTENSION idgen;
DROP TABLE centre_a.id_sequences, centre_b.id_sequences;
DROP SCHEMA centre_a, centre_b;
DROP ROLE regress_idgen_a, regress_idgen_b, regress_idgen_c;
