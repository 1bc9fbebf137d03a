-- docs/refill.md, "With and without shared_preload_libraries"

-- claim: The cache belongs to the session.
SELECT idgen_create('a');
SELECT idgen_next('a');
-- gives: 1
SELECT cache FROM idgen_stats WHERE name = 'a';
-- gives: session

-- claim: idgen_health says so, once for the database, after the id sequences.
SELECT idgen_create('a2');
SELECT name, problem_kind, problem FROM idgen_health;
-- gives: a||
-- gives: a2||
-- gives: |not_preloaded|The server has not preloaded idgen, so each session has a cache of its own, and no worker refills. Add idgen to shared_preload_libraries and restart the server.

-- claim: Its cached ids are a gap when it ends.
\other SELECT idgen_next('a');
-- gives: 21

-- claim: The cache of a session has no number of slots.
SELECT cache, max_sequences, sequences FROM idgen_server;
-- gives: session||1

-- claim: refill "worker" does not work.
SELECT idgen_create('w', refill => 'worker');
SELECT idgen_next('w');
-- gives: ERROR 55000: refill "worker" needs a cache in shared memory

-- claim: refill "auto" is as "transaction".
SELECT idgen_create('au', refill => 'auto');
BEGIN;
SELECT idgen_next('au');
-- gives: 1
ROLLBACK;
SELECT idgen_next('au');
-- gives: 1

-- claim: Time-ordered ids do not work.
SELECT idgen_unique_id();
-- gives: ERROR 55000: time-ordered ids need shared memory

SELECT idgen_unique_uuid();
-- gives: ERROR 55000: time-ordered ids need shared memory

-- claim: idgen_unique_id_parts does.
SELECT counter FROM idgen_unique_id_parts(1);
-- gives: 1

-- claim: idgen.max_sequences does not exist.
SHOW idgen.max_sequences;
-- gives: ERROR 42704

-- claim: What another session restarts is noticed at the start of the next transaction.
SELECT idgen_next('a');
-- gives: 41
\other SELECT idgen_restart('a', 1000);
SELECT idgen_next('a');
-- gives: 1000

-- claim: Every change of a row by SQL empties the caches of sessions.
SELECT idgen_next('a');
-- gives: 1001
\other SELECT idgen_create('zz');
SELECT idgen_next('a');
-- gives: 1020

-- claim: What they had is not shown as cached any more.
\other SELECT idgen_create('zz1');
SELECT count(*) FROM idgen_cache WHERE name = 'a';
-- gives: 0

-- claim: A next_block_start that grows does not.
SELECT idgen_next('a');
-- gives: 1040
\other UPDATE id_sequences SET next_block_start = next_block_start + 100 WHERE name = 'a';
SELECT idgen_next('a');
-- gives: 1041

-- claim: ANALYZE of id_sequences does.
\other ANALYZE id_sequences;
SELECT idgen_next('a');
-- gives: 1160

-- claim: What comes from native sequences stays.
CREATE SEQUENCE n_seq INCREMENT 20;
SELECT idgen_next('n', 'sequence');
-- gives: 1
\other SELECT idgen_create('zz2');
SELECT idgen_next('n', 'sequence');
-- gives: 2

-- claim: What another session does to pooling is noticed as well.
CREATE SEQUENCE po_seq INCREMENT 20;
SELECT idgen_create('po', source => 'sequence', pooling => 'pooled');
SELECT max(idgen_next('po')) FROM generate_series(1, 3);
-- gives: 3
\other UPDATE id_sequences SET pooling = 'pooled_lo' WHERE name = 'po';
SELECT idgen_next('po');
-- gives: 41

-- claim: Source server works.
CREATE SERVER d FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host :'host', port '1');
CREATE USER MAPPING FOR current_user SERVER d OPTIONS (user 'a', password 'b');
SELECT idgen_create('sd', source => 'server', source_name => 'd');
SET idgen.server_timeout = '500ms';
SELECT idgen_next('sd');
-- gives: ERROR 08001: could not connect to server "d"
RESET idgen.server_timeout;

-- claim: Composed ids need a node: 0, which is the default, will not do.
SELECT idgen_create('p', layout => 'prefixed');
SELECT idgen_next('p');
-- gives: ERROR 22003

-- claim: The COPY by which a session uses idgen for the first time stores row by row, the next one in batches.
CREATE FUNCTION size_of(name text) RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN pg_relation_size(name::regclass); END $$;
CREATE TABLE loaded(id bigint DEFAULT idgen_next('a'), t text, size bigint DEFAULT size_of('loaded'));
\other COPY loaded(t) FROM PROGRAM 'seq 3'; SELECT count(DISTINCT id), max(size) FROM loaded; TRUNCATE loaded; COPY loaded(t) FROM PROGRAM 'seq 3'; SELECT count(DISTINCT id), max(size) FROM loaded;
-- gives: 3|8192
-- gives: 3|0

-- claim: With session_preload_libraries, the first one, too.
\other ALTER DATABASE claims_without_preload SET session_preload_libraries = 'idgen';
\other TRUNCATE loaded; COPY loaded(t) FROM PROGRAM 'seq 3'; SELECT count(DISTINCT id), max(size) FROM loaded;
-- gives: 3|0

-- claim: The watermark needs the library preloaded.
SELECT idgen_create('watched', watermark => true);
SELECT idgen_next('watched');
-- gives: 1
SELECT idgen_watermark('watched');
-- gives: ERROR 0A000
