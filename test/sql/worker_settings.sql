--
-- The worker's settings: their bounds, and who may change them
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- they are the worker's, so they are changed for the server
SET idgen.prefetch_threshold = 10;
\echo :SQLSTATE
SET idgen.max_prefetch_blocks = 10;
\echo :SQLSTATE
SET idgen.worker_idle_timeout = 10;
\echo :SQLSTATE
ALTER DATABASE :"DBNAME" SET idgen.prefetch_threshold = 10;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.prefetch_threshold = -1;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.prefetch_threshold = 101;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.max_prefetch_blocks = 0;
\echo :SQLSTATE
ALTER SYSTEM SET idgen.max_prefetch_blocks = 1000001;
\echo :SQLSTATE
-- (in the messages, the unit differs between versions)
\set VERBOSITY sqlstate
ALTER SYSTEM SET idgen.worker_idle_timeout = -1;
\echo :SQLSTATE

-- how long to wait is everybody's own business
CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SET idgen.worker_timeout = 0;
\echo :SQLSTATE
\set VERBOSITY default
SET idgen.worker_timeout = '1min';
SHOW idgen.worker_timeout;
SET idgen.worker_timeout = 1;
SHOW idgen.worker_timeout;
RESET idgen.worker_timeout;
RESET ROLE;

-- it counts only for those who have to wait
INSERT INTO id_sequences (name, next_block_start, refill) VALUES ('gen', 1, 'worker');
SELECT idgen_next('gen');
SET idgen.worker_timeout = 1;
SELECT array_agg(idgen_next('gen')) FROM generate_series(2, 20);
RESET idgen.worker_timeout;

DROP ROLE regress_idgen_user;
DROP EXTENSION idgen;
