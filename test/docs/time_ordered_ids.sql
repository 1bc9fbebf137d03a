-- README.md, "Time-ordered ids"

-- claim: The node is idgen.node_id.
SELECT node FROM idgen_unique_id_parts(idgen_unique_id());
-- gives: 2

-- claim: idgen_unique_id needs no privilege.
CREATE ROLE nop;
SET ROLE nop;
SELECT idgen_unique_id() > 0;
-- gives: t
RESET ROLE;

-- claim: Until 2093-09-06 15:47:35.551 UTC.
SET timezone = 'UTC';
SELECT created_at FROM idgen_unique_id_parts(9223372036854775807);
-- gives: 2093-09-06 15:47:35.551+00

-- claim: Since 2024-01-01 00:00 UTC.
SELECT created_at FROM idgen_unique_id_parts(0);
-- gives: 2024-01-01 00:00:00+00

-- claim: The counter is 0 to 4095.
SELECT counter FROM idgen_unique_id_parts(4095);
-- gives: 4095

-- claim: The node has 10 bits.
SELECT node FROM idgen_unique_id_parts(1023*4096);
-- gives: 1023

-- claim: Ids ascend.
SELECT bool_and(b > a) FROM (SELECT a, lead(a) OVER (ORDER BY g) b FROM (SELECT g, idgen_unique_id() a FROM generate_series(1, 10000) g OFFSET 0) x) y;
-- gives: t

-- claim: 4096 ids a millisecond at most.
SELECT max(created_at)-min(created_at) >= '24 ms' FROM (SELECT (idgen_unique_id_parts(idgen_unique_id())).created_at FROM generate_series(1, 100000)) x;
-- gives: t

-- claim: What is reserved is in the file pg_stat/idgen.unique_id.
SELECT * FROM pg_ls_dir('pg_stat') d WHERE d LIKE 'idgen%';
-- gives: idgen.unique_id
