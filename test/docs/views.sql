-- docs/views.md

-- claim: A row of idgen_stats.
SELECT idgen_create('ins');
SELECT idgen_next('ins');
-- gives: 1
SELECT source, source_name, refill, cache, ids_issued, ids_cached, ids_lost FROM idgen_stats WHERE name = 'ins';
-- gives: table||transaction|server|1|19|0

-- claim: source_name is the native sequence that blocks come from.
CREATE SEQUENCE vs_seq;
SELECT idgen_next('vs', 'sequence');
-- gives: 1
SELECT source, source_name FROM idgen_stats WHERE name = 'vs';
-- gives: sequence|vs_seq

-- claim: ids_issued: also in transactions that were rolled back.
SELECT idgen_create('ii');
SELECT idgen_next('ii');
-- gives: 1
BEGIN;
SELECT idgen_next('ii') FROM generate_series(1, 2);
-- gives: 2
-- gives: 3
ROLLBACK;
SELECT ids_issued FROM idgen_stats WHERE name = 'ii';
-- gives: 3

-- claim: counted_since; how long refills and waits took.
SELECT counted_since <= last_refill, refill_ms_total > 0, wait_ms_total FROM idgen_stats WHERE name = 'ii';
-- gives: t|t|0

-- claim: ids_lost is the sum of the next three.
SELECT bool_and(ids_lost = ids_lost_changed+ids_lost_prepared+ids_lost_crowded) FROM idgen_stats;
-- gives: t

-- claim: ids_lost_changed: cached ids that a restart made a gap.
INSERT INTO id_sequences VALUES ('lc', 1);
SELECT idgen_next('lc');
-- gives: 1
SELECT idgen_restart('lc', 500);
SELECT ids_lost_changed FROM idgen_stats WHERE name = 'lc';
-- gives: 19

-- claim: ids_lost_prepared: the rest of the block of a prepared transaction.
INSERT INTO id_sequences VALUES ('lp', 1);
BEGIN;
SELECT idgen_next('lp');
-- gives: 1
PREPARE TRANSACTION 'lp';
COMMIT PREPARED 'lp';
SELECT ids_lost_prepared FROM idgen_stats WHERE name = 'lp';
-- gives: 19

-- claim: blocks_taken and refills.
INSERT INTO id_sequences VALUES ('bt', 1);
SELECT max(idgen_next('bt')) FROM generate_series(1, 21);
-- gives: 21
SELECT blocks_taken, refills FROM idgen_stats WHERE name = 'bt';
-- gives: 2|2

-- claim: session_refills: those that a session did itself.
SELECT idgen_create('sr', refill => 'worker');
SELECT idgen_next('sr');
-- gives: 1
SELECT name, session_refills, refills FROM idgen_stats WHERE name IN ('bt', 'sr');
-- gives: bt|2|2
-- gives: sr|0|1

-- claim: prefetch_blocks is null if refill is not "worker".
SELECT prefetch_blocks IS NULL FROM idgen_stats WHERE name = 'bt';
-- gives: t

-- claim: percent_left: of the ids from start_value to max_value, those that no block holds yet.
INSERT INTO id_sequences(name, next_block_start, max_value) VALUES ('pl', 1, 100);
SELECT idgen_next('pl');
-- gives: 1
SELECT percent_left FROM idgen_stats WHERE name = 'pl';
-- gives: 80.00

-- claim: percent_left of a native sequence: from START to its end.
CREATE SEQUENCE pls_seq MAXVALUE 100;
SELECT idgen_next('pls', 'sequence');
-- gives: 1
SELECT percent_left FROM idgen_stats WHERE name = 'pls';
-- gives: 99.00

-- claim: idgen_cache: a published block.
SELECT * FROM idgen_cache WHERE name = 'pl';
-- gives: pl|2|20|published

-- claim: idgen_cache: the pending block of the transaction that asks.
BEGIN;
SELECT max(idgen_next('pl')) FROM generate_series(1, 20);
-- gives: 21
SELECT * FROM idgen_cache WHERE name = 'pl';
-- gives: pl|22|40|pending
ROLLBACK;

-- claim: idgen_cache: not that of another one.
BEGIN;
SELECT idgen_next('pl') FROM generate_series(1, 21) OFFSET 20;
-- gives: 41
\other SELECT * FROM idgen_cache WHERE name = 'pl';
ROLLBACK;

-- claim: The columns of idgen_server.
SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'idgen_server'::regclass AND attnum > 0;
-- gives: cache,max_sequences,sequences,evictions,ids_evicted,ids_lost,node_setting,node_id,node_leased_until,node_renewed_at,node_failing_since,node_problem

-- claim: idgen_server has one row.
SELECT cache, max_sequences FROM idgen_server;
-- gives: server|65536

-- claim: The columns of idgen_stats.
SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'idgen_stats'::regclass AND attnum > 0;
-- gives: name,source,source_name,refill,cache,ids_issued,ids_cached,ids_lost,ids_lost_changed,ids_lost_prepared,ids_lost_crowded,blocks_taken,refills,waits,last_refill,prefetch_blocks,percent_left,session_refills,counted_since,refill_ms_total,wait_ms_total

-- claim: The columns of idgen_health.
SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'idgen_health'::regclass AND attnum > 0;
-- gives: name,source,source_name,refill,columns,limit_value,limited_by,percent_left,ids_per_second,counted_since,used_up_on,worker,problem_kind,problem

-- claim: idgen_health: on a server that has preloaded the library, each row is about an id sequence.
SELECT count(*) FROM idgen_health WHERE name IS NULL OR problem_kind = 'not_preloaded';
-- gives: 0

-- claim: idgen_health: a column limits an id sequence, and has ids that it has yet to issue.
SELECT idgen_create('hl');
CREATE TABLE hl (id integer PRIMARY KEY DEFAULT idgen_next('hl'));
INSERT INTO hl VALUES (100);
SELECT columns, limited_by, problem_kind FROM idgen_health WHERE name = 'hl';
-- gives: {public.hl.id}|column public.hl.id (integer)|behind_column
SELECT count(*) FROM idgen_sync('hl', 'id');
-- gives: 1
SELECT problem_kind IS NULL FROM idgen_health WHERE name = 'hl';
-- gives: t
DROP TABLE hl;

-- claim: idgen_health: templates and rows with periods are not shown, their children are.
INSERT INTO id_sequences (name, next_block_start, period) VALUES ('ht/*', 1, NULL), ('hp', 1, 'year');
SELECT idgen_next('ht/a'), idgen_next('hp');
-- gives: 1|1
SELECT name ~ '^(ht/a|hp/....)$' FROM idgen_health WHERE name ~ '^h[tp]';
-- gives: t
-- gives: t

-- claim: idgen_health: before an hour has been counted, there is no forecast.
SELECT count(used_up_on) FROM idgen_health WHERE problem_kind IS DISTINCT FROM 'exhausted';
-- gives: 0

-- claim: idgen_health: one that is exhausted is used up at the time of the look.
SELECT idgen_create('hx', max_value => 20);
SELECT count(idgen_next('hx')) FROM generate_series(1, 20);
-- gives: 20
SELECT used_up_on BETWEEN now() AND clock_timestamp() FROM idgen_health WHERE name = 'hx';
-- gives: t

-- claim: The columns of idgen_columns.
SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'idgen_columns'::regclass AND attnum > 0;
-- gives: relation,column_name,type,kind,draws_from,last_value,limit_value,limited_by,percent_used,adoptable

-- claim: idgen_columns: what limits a column.
CREATE TABLE limited (a serial, b int DEFAULT idgen_next('pl'), c bigint DEFAULT nextval('limited_a_seq'));
SELECT column_name, kind, limited_by FROM idgen_columns WHERE relation = 'limited'::regclass;
-- gives: a|serial|column public.limited.a (integer)
-- gives: b|idgen|max_value
-- gives: c|nextval|sequence public.limited_a_seq

-- claim: idgen_columns: adoptable, if the owner asked.
CREATE ROLE looks_on;
SET ROLE looks_on;
SELECT column_name, adoptable FROM idgen_columns WHERE relation = 'limited'::regclass ORDER BY 1;
-- gives: a|t
-- gives: b|f
-- gives: c|t
RESET ROLE;

-- claim: idgen_columns: time-ordered ids are not seen.
CREATE TABLE not_seen (a bigint DEFAULT idgen_unique_id());
SELECT count(*) FROM idgen_columns WHERE relation = 'not_seen'::regclass;
-- gives: 0

-- claim: idgen_columns: ids in an expression are limited by what they are drawn from.
CREATE TABLE in_expression (a int DEFAULT 1 + nextval('limited_a_seq'));
SELECT limited_by FROM idgen_columns WHERE relation = 'in_expression'::regclass;
-- gives: sequence public.limited_a_seq

-- claim: idgen_columns: nobody waits for it, and it waits for nobody.
BEGIN;
LOCK TABLE limited;
ALTER SEQUENCE limited_a_seq MAXVALUE 100;
\other SELECT column_name, last_value, limit_value FROM idgen_columns WHERE relation = 'in_expression'::regclass
-- gives: a||2147483647
ROLLBACK;

-- claim: idgen_stats takes SELECT on id_sequences.
REVOKE SELECT ON id_sequences FROM PUBLIC;
CREATE ROLE no_rights;
SET ROLE no_rights;
SELECT count(*) FROM idgen_stats;
-- gives: ERROR 42501
RESET ROLE;
GRANT SELECT ON id_sequences TO PUBLIC;

-- claim: idgen_stats_reset: counters begin again.
SELECT idgen_stats_reset();
SELECT sum(ids_issued+refills+blocks_taken+waits) FROM idgen_stats;
-- gives: 0

-- claim: last_refill is null after idgen_stats_reset.
SELECT bool_and(last_refill IS NULL) FROM idgen_stats;
-- gives: t

-- claim: percent_left is null if nobody knows: source function.
CREATE FUNCTION f(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT 1::bigint, 2::bigint $$;
SELECT idgen_create('f', source => 'function', source_name => 'f');
SELECT idgen_next('f');
-- gives: 1
SELECT percent_left IS NULL FROM idgen_stats WHERE name = 'f';
-- gives: t

-- claim: Native sequences without a row have a row in idgen_stats.
CREATE SEQUENCE parts2_seq;
SELECT idgen_next('parts2', 'sequence');
-- gives: 1
SELECT name FROM idgen_stats WHERE name = 'parts2';
-- gives: parts2

-- claim: What comes from the table is that of the newest row, whatever the transaction's snapshot.
SELECT idgen_create('nr', block_size => 10, max_value => 100);
SELECT idgen_next('nr');
-- gives: 1
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT percent_left FROM idgen_stats WHERE name = 'nr';
-- gives: 90.00
\other UPDATE id_sequences SET next_block_start = 51 WHERE name = 'nr'
SELECT percent_left FROM idgen_stats WHERE name = 'nr';
-- gives: 50.00
COMMIT;
