-- docs/security.md

CREATE ROLE pu;
CREATE ROLE powner;

-- claim: To who may change the row and not see it, it does not exist.
CREATE ROLE rl1;
GRANT UPDATE ON id_sequences TO rl1;
SELECT idgen_create('rl1.a');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON id_sequences FOR SELECT USING (name LIKE current_user||'.%');
SET ROLE rl1;
SELECT idgen_next('rl1.a');
-- gives: 1
SELECT idgen_restart('rl1.a', 5);
-- gives: ERROR 42704
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- claim: idgen_create takes INSERT on id_sequences.
SET ROLE rl1;
SELECT idgen_create('qq');
-- gives: ERROR 42501
RESET ROLE;

-- claim: What PUBLIC may execute.
SELECT bool_and(has_function_privilege('pu', oid, 'execute')) FROM pg_proc WHERE proname ~ '^idgen_(next|next_big|next_range|peek|last|create|restart|adopt|release|parts|unique_id|unique_id_parts|unique_id_min|unique_uuid|unique_uuid_min|unique_uuid_created_at|entries|blocks|server_state)$';
-- gives: t

-- claim: What PUBLIC may not; and nothing else.
SELECT DISTINCT proname COLLATE "C" FROM pg_proc WHERE proname LIKE 'idgen\_%' AND NOT has_function_privilege('pu', oid, 'execute') ORDER BY 1;
-- gives: idgen_by_last_id
-- gives: idgen_check_row
-- gives: idgen_columns_dropped
-- gives: idgen_fdw_validator
-- gives: idgen_lease_node
-- gives: idgen_mark_inserted
-- gives: idgen_next_support
-- gives: idgen_refuse
-- gives: idgen_renamed
-- gives: idgen_reserve_node
-- gives: idgen_row_changed
-- gives: idgen_stats_reset

-- claim: PUBLIC has SELECT on id_sequences, and nothing else.
SELECT has_table_privilege('pu', 'id_sequences', 'select'), has_table_privilege('pu', 'id_sequences', 'insert'), has_table_privilege('pu', 'id_sequences', 'update'), has_table_privilege('pu', 'id_sequences', 'delete'), has_table_privilege('pu', 'id_sequences', 'truncate'), has_table_privilege('pu', 'id_sequences', 'trigger');
-- gives: t|f|f|f|f|f

-- claim: PUBLIC cannot use the wrapper.
SELECT has_foreign_data_wrapper_privilege('pu', 'idgen_fdw', 'usage');
-- gives: f

-- claim: PUBLIC can read the views.
SELECT bool_and(has_table_privilege('pu', c, 'select')) FROM unnest('{idgen_stats,idgen_cache,idgen_server,idgen_columns}'::regclass[]) c;
-- gives: t

-- claim: One function is SECURITY DEFINER.
SELECT proname FROM pg_proc WHERE proname LIKE 'idgen%' AND prosecdef;
-- gives: idgen_lease_node

-- claim: The views are security_invoker.
SELECT bool_and('security_invoker=true' = any(reloptions)) FROM pg_class WHERE relname IN ('idgen_stats', 'idgen_cache', 'idgen_server', 'idgen_columns');
-- gives: t

-- claim: Only a superuser can create the extension.
SET ROLE pu;
DROP EXTENSION idgen;
-- gives: ERROR 42501
RESET ROLE;
CREATE DATABASE claims_other;
GRANT CREATE ON DATABASE claims_other TO pu;
\at claims_other SET ROLE pu; CREATE EXTENSION idgen;
-- gives: ERROR 42501
DROP DATABASE claims_other;

-- claim: Nobody needs UPDATE for drawing.
SELECT idgen_create('a');
SET ROLE pu;
SELECT idgen_next('a');
-- gives: 1
RESET ROLE;

-- claim: Without SELECT on id_sequences there is no drawing.
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE pu;
SELECT idgen_next('a');
-- gives: ERROR 42501
RESET ROLE;

-- claim: Who has it may draw.
GRANT SELECT ON id_sequences TO pu;
SET ROLE pu;
SELECT idgen_next('a')+1;
-- gives: 3
RESET ROLE;

-- claim: Taking it away is noticed by the next statement.
REVOKE SELECT ON id_sequences FROM pu;
SET ROLE pu;
SELECT idgen_next('a');
-- gives: ERROR 42501
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- claim: Row by row: to a role that does not see the row, it does not exist.
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
SET ROLE pu;
SELECT idgen_next('a');
-- gives: ERROR 42704
RESET ROLE;

-- claim: To one that does, it does.
SELECT idgen_create('pu.x');
SET ROLE pu;
SELECT idgen_next('pu.x');
-- gives: 1
RESET ROLE;

-- claim: idgen_stats shows what one may draw from.
SET ROLE pu;
SELECT name FROM idgen_stats;
-- gives: pu.x
RESET ROLE;

-- claim: A hidden row does not exist in all functions.
SET ROLE pu;
SELECT idgen_peek('a');
-- gives: ERROR 42704
SELECT idgen_last('a');
-- gives: ERROR 42704
SELECT idgen_restart('a', 1);
-- gives: ERROR 42704
SELECT idgen_next_range('a', 1);
-- gives: ERROR 42704
RESET ROLE;

-- claim: idgen_create takes a policy that lets one.
GRANT INSERT ON id_sequences TO pu;
SET ROLE pu;
SELECT idgen_create('pu.y');
-- gives: ERROR 42501
RESET ROLE;

-- claim: With one, it works.
CREATE POLICY ins ON id_sequences FOR INSERT WITH CHECK (name LIKE 'pu.%');
SET ROLE pu;
SELECT idgen_create('pu.y');
RESET ROLE;

-- claim: idgen_restart takes UPDATE on id_sequences.
SET ROLE pu;
SELECT idgen_restart('pu.y', 5);
-- gives: ERROR 42501
RESET ROLE;

-- claim: idgen_restart takes a policy for UPDATE: without one, the row does not exist.
GRANT UPDATE ON id_sequences TO pu;
SET ROLE pu;
SELECT idgen_restart('pu.y', 5);
-- gives: ERROR 42704
RESET ROLE;

-- claim: Without row security, UPDATE is enough.
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
SET ROLE pu;
SELECT idgen_restart('pu.y', 5);
SELECT idgen_next('pu.y');
-- gives: 5
RESET ROLE;

-- claim: Nobody takes millions with one call.
REVOKE EXECUTE ON FUNCTION idgen_next_range(text, bigint), idgen_next_range(text, bigint, text) FROM PUBLIC;
SET ROLE pu;
SELECT idgen_next_range('a', 5);
-- gives: ERROR 42501
RESET ROLE;

-- claim: pg_read_all_data can draw.
REVOKE SELECT ON id_sequences FROM PUBLIC;
CREATE ROLE rad IN ROLE pg_read_all_data;
SET ROLE rad;
SELECT idgen_next('a');
-- gives: 3
RESET ROLE;

-- claim: pg_write_all_data can write rows.
CREATE ROLE wad IN ROLE pg_write_all_data;
GRANT SELECT ON id_sequences TO wad;
SET ROLE wad;
INSERT INTO id_sequences VALUES ('wad', 1) RETURNING 'WR';
-- gives: WR
RESET ROLE;

-- claim: pg_monitor can see all id sequences in idgen_stats, but no cached ids,
-- and draw from none.
CREATE ROLE pm IN ROLE pg_monitor;
SET ROLE pm;
SELECT count(*) > 0 FROM idgen_stats;
-- gives: t
SELECT count(*) FROM idgen_cache;
-- gives: 0
SELECT idgen_next('a');
-- gives: ERROR 42501
RESET ROLE;
REVOKE pg_monitor FROM pm;

-- claim: idgen_columns takes nothing; members of pg_monitor see how far each has got.
CREATE TABLE watched (a serial);
SELECT nextval('watched_a_seq');
-- gives: 1
CREATE ROLE watcher;
SET ROLE watcher;
SELECT draws_from, last_value FROM idgen_columns WHERE relation = 'watched'::regclass;
-- gives: public.watched_a_seq|
RESET ROLE;
GRANT pg_monitor TO watcher;
SET ROLE watcher;
SELECT draws_from, last_value FROM idgen_columns WHERE relation = 'watched'::regclass;
-- gives: public.watched_a_seq|1
RESET ROLE;

-- claim: idgen_server takes nothing.
SET ROLE pm;
SELECT cache FROM idgen_server;
-- gives: server
RESET ROLE;

-- claim: idgen_stats takes SELECT on id_sequences, but not of members of pg_monitor.
CREATE ROLE stranger;
SET ROLE stranger;
SELECT * FROM idgen_stats;
-- gives: ERROR 42501
RESET ROLE;

-- claim: idgen_health takes it, but not of members of pg_monitor.
SET ROLE stranger;
SELECT count(*) FROM idgen_health;
-- gives: ERROR 42501
RESET ROLE;
SET ROLE watcher;
SELECT count(*) > 0 FROM idgen_health;
-- gives: t
RESET ROLE;

-- claim: idgen_facts() takes it, in the same way.
SET ROLE stranger;
SELECT count(*) FROM idgen_facts(true, true);
-- gives: ERROR 42501
RESET ROLE;

-- claim: idgen_cache takes it.
SET ROLE pm;
SELECT count(*) FROM idgen_cache;
-- gives: ERROR 42501
RESET ROLE;

-- claim: idgen_parts takes nothing.
SET ROLE pm;
SELECT sequence_value FROM idgen_parts(5::bigint, 'plain');
-- gives: 5
RESET ROLE;

-- claim: The owner of id_sequences need not be a superuser, and can switch off triggers.
ALTER TABLE id_sequences OWNER TO powner;
SET ROLE powner;
ALTER TABLE id_sequences DISABLE TRIGGER idgen_row_changed;
ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
SELECT 'ALT';
-- gives: ALT
RESET ROLE;

-- claim: Drawing goes on.
SELECT idgen_next('a');
-- gives: 4

-- claim: Who may create functions in the schema can get in front for a name of another type.
CREATE FUNCTION idgen_next(varchar) RETURNS bigint LANGUAGE sql AS 'select 666::bigint';
SELECT idgen_next('a'::varchar);
-- gives: 666
DROP FUNCTION idgen_next(varchar);

-- claim: Two calls of idgen_next_range use up an id sequence.
GRANT SELECT ON id_sequences TO PUBLIC;
SELECT idgen_create('u', block_size => 4);
SELECT FROM idgen_next_range('u', 4611686018427387904);
SELECT FROM idgen_next_range('u', 4611686018427387903);
SELECT idgen_next('u');
-- gives: ERROR 2200H: id sequence "u" is exhausted

-- claim: Every way to write the name of a sequence is an entry of its own.
CREATE SEQUENCE parts_seq INCREMENT 5;
SELECT idgen_next('parts', 'sequence'), idgen_next('PARTS', 'sequence'), idgen_next(' parts', 'sequence');
-- gives: 1|6|11

-- claim: idgen_peek tells where a native sequence is, without SELECT on it.
GRANT USAGE ON parts_seq TO pm;
SELECT idgen_create('parts', source => 'sequence');
GRANT SELECT ON id_sequences TO pm;
SET ROLE pm;
SELECT idgen_peek('parts');
-- gives: 2
RESET ROLE;

-- claim: A view in the place of id_sequences.
ALTER TABLE id_sequences RENAME TO idx;
CREATE VIEW id_sequences AS SELECT * FROM idx;
SELECT idgen_next('a');
-- gives: ERROR 42809
DROP VIEW id_sequences;
ALTER TABLE idx RENAME TO id_sequences;

-- claim: Nothing in its place.
ALTER TABLE id_sequences RENAME TO idx;
SELECT idgen_next('a');
-- gives: ERROR 42P01
ALTER TABLE idx RENAME TO id_sequences;

-- claim: id_sequences without its primary key.
BEGIN;
ALTER TABLE id_sequences DROP CONSTRAINT id_sequences_pkey;
SELECT idgen_next_range('a', 100);
-- gives: ERROR 55000
ROLLBACK;

-- claim: id_sequences with a column of another type.
BEGIN;
ALTER TABLE id_sequences ALTER block_size TYPE bigint;
SELECT idgen_next_range('a', 100);
-- gives: ERROR 55000
ROLLBACK;

-- claim: The name of a server of more than 63 bytes.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('ol', 1, 'server', repeat('z', 70));
-- gives: ERROR 42622

-- claim: A row may name a server that is not there.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('om', 1, 'server', 'nix') RETURNING 'OKINS';
-- gives: OKINS

-- claim: A big_base of more than 38 digits.
INSERT INTO id_sequences(name, next_block_start, big_base) VALUES ('bb', 1, 1e38);
-- gives: ERROR 22003

-- claim: A name of more than 255 characters.
INSERT INTO id_sequences VALUES (repeat('x', 256), 1);
-- gives: ERROR 22001
