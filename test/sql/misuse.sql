--
-- Where the server does not allow a function that changes something
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 1);

CREATE TABLE generated (a int, id bigint GENERATED ALWAYS AS (idgen_next('gen')) STORED);
\echo :SQLSTATE
CREATE TABLE plain (a int);
\set VERBOSITY sqlstate
CREATE INDEX ON plain (idgen_next('gen'));
\set VERBOSITY default
CREATE INDEX ON plain (a) WHERE idgen_next('gen') > 0;
\echo :SQLSTATE
CREATE TABLE partitioned (a text) PARTITION BY LIST (idgen_next(a));
\echo :SQLSTATE

-- none of these has drawn an id
SELECT idgen_peek('gen');

-- no parallel plan, and nothing is computed in advance
INSERT INTO plain SELECT generate_series(1, 1000);
ALTER TABLE plain SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(a) FROM plain;
EXPLAIN (COSTS OFF) SELECT count(idgen_next('gen')) FROM plain;

-- a wrong label comes to light when an id is drawn
SET parallel_leader_participation = off;
ALTER FUNCTION idgen_next(text) PARALLEL SAFE;
\set SHOW_CONTEXT never
SELECT count(idgen_next('gen')) FROM plain;
\echo :SQLSTATE
\set SHOW_CONTEXT errors
ALTER FUNCTION idgen_next(text) PARALLEL UNSAFE;
SELECT count(idgen_next('gen')) FROM plain;

DROP TABLE plain;
DROP EXTENSION idgen;
