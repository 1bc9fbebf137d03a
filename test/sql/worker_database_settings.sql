--
-- The worker does its work whatever the settings of the database say, and
-- leaves when the database is dropped
--
-- needs test/idgen.conf
--
SELECT format('dbname=%s options=''''', current_database()) AS back \gset
CREATE ROLE regress_idgen_nobody;
CREATE DATABASE regress_idgen_worker;
ALTER DATABASE regress_idgen_worker SET default_transaction_read_only = on;
ALTER DATABASE regress_idgen_worker SET default_transaction_isolation = serializable;
ALTER DATABASE regress_idgen_worker SET default_transaction_deferrable = on;
ALTER DATABASE regress_idgen_worker SET statement_timeout = 1;
ALTER DATABASE regress_idgen_worker SET lock_timeout = 1;
ALTER DATABASE regress_idgen_worker SET idle_in_transaction_session_timeout = 1;
ALTER DATABASE regress_idgen_worker SET synchronous_commit = off;
ALTER DATABASE regress_idgen_worker SET session_replication_role = replica;
ALTER DATABASE regress_idgen_worker SET row_security = off;
ALTER DATABASE regress_idgen_worker SET role = regress_idgen_nobody;
ALTER DATABASE regress_idgen_worker SET search_path = nowhere;
ALTER DATABASE regress_idgen_worker SET idgen.auto_create = on;
ALTER DATABASE regress_idgen_worker SET client_min_messages = error;
ALTER DATABASE regress_idgen_worker CONNECTION LIMIT 1;

-- this session has some of its own
\c "dbname=regress_idgen_worker options='-c default_transaction_read_only=off -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c session_replication_role=origin -c role=none -c search_path=public'"
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 3, 'worker');
CREATE SEQUENCE native_seq INCREMENT 3;
SELECT idgen_create('native', source => 'sequence', refill => 'worker');
SELECT max(idgen_next('gen')), max(idgen_next('native')) FROM generate_series(1, 100);

-- or whether new sessions are let in
UPDATE pg_database SET datallowconn = false WHERE datname = 'regress_idgen_worker';
SELECT count(pg_terminate_backend(pid, 60000)) >= 0 AS gone FROM pg_stat_activity
	WHERE backend_type = 'idgen worker' AND datname = 'regress_idgen_worker';
SELECT max(idgen_next('gen')), max(idgen_next('native')) FROM generate_series(101, 1000);

\c :back
DROP DATABASE regress_idgen_worker;
DROP ROLE regress_idgen_nobody;
