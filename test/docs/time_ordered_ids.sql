-- docs/id-formats.md, "Time-ordered ids"

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
SELECT * FROM pg_ls_dir('pg_stat') d WHERE d LIKE 'idgen.unique%';
-- gives: idgen.unique_id

-- claim: UUIDs have version 7 and the variant of the RFC.
SELECT idgen_unique_uuid()::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
-- gives: t

-- claim: 48 bits of milliseconds since 1970-01-01 00:00 UTC.
SELECT idgen_unique_uuid_created_at('00000000-0000-7000-8000-000000000000'), idgen_unique_uuid_created_at('ffffffff-ffff-7000-8000-000000000000');
-- gives: 1970-01-01 00:00:00+00|10889-08-02 05:31:50.655+00

-- claim: UUIDs ascend over sessions.
SELECT idgen_unique_uuid() AS mine \gset
CREATE TABLE others AS SELECT NULL::uuid AS id;
\other UPDATE others SET id = idgen_unique_uuid()
SELECT :'mine' < id AND id < idgen_unique_uuid() FROM others;
-- gives: t

-- claim: uuidv7() ascends in one session only, and has the same fraction. [from 18]
SELECT abs(extract(epoch FROM idgen_unique_uuid_created_at(uuidv7()) - clock_timestamp())) < 1;
-- gives: t

-- claim: idgen_unique_uuid_created_at is null for any other UUID.
SELECT idgen_unique_uuid_created_at(gen_random_uuid()) IS NULL;
-- gives: t

-- claim: An id that is drawn at a time or later is not smaller than the smallest one of that time.
SELECT idgen_unique_id_min(clock_timestamp()) <= idgen_unique_id(), idgen_unique_uuid_min(clock_timestamp()) <= idgen_unique_uuid();
-- gives: t|t

-- claim: What is behind the milliseconds is cut off.
SELECT idgen_unique_uuid_min('2026-11-22 00:00:00.123999+00') = idgen_unique_uuid_min('2026-11-22 00:00:00.123+00');
-- gives: t

-- claim: They can stand in CHECK constraints and in predicates of indexes.
CREATE TABLE checked (id uuid CHECK (id >= idgen_unique_uuid_min('2026-01-01 00:00+00')));
CREATE INDEX ON checked (id) WHERE id >= idgen_unique_uuid_min('2026-11-01 00:00+00');

-- claim: A time that ids cannot have is an error, 22008.
SELECT idgen_unique_id_min('2023-12-31 23:59:59.999+00');
SELECT idgen_unique_uuid_min('infinity');
-- gives: ERROR 22008: timestamp out of range
-- gives: ERROR 22008: timestamp out of range: "infinity"
