/* sql/idgen--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION idgen" to load this file. \quit

-- One row for each id sequence. The first four columns are shared with other
-- programs; src/catalog/row.h knows the numbers of all.
--
-- Every operator in this script has exactly the argument types that it is
-- given, and functions of the server are qualified. So no operator or function
-- of the target schema can take their place.
--
-- Rows are small and updated often, so pages are left mostly empty: an update
-- then stays on its page and touches no index. The number of updates decides
-- when vacuum comes, however many rows there are. There is little to analyze.
CREATE TABLE id_sequences (
	name varchar(255) COLLATE "C" PRIMARY KEY
		CONSTRAINT id_sequences_name_check CHECK (name::text OPERATOR(pg_catalog.<>) ''::text),
	next_block_start bigint NOT NULL,
	block_size integer NOT NULL DEFAULT 20
		CONSTRAINT id_sequences_block_size_check CHECK (block_size > 0),
	exhausted smallint NOT NULL DEFAULT 0
		CONSTRAINT id_sequences_exhausted_check CHECK (exhausted IN (0, 1)),
	max_value bigint NOT NULL DEFAULT 9223372036854775807,
	source text NOT NULL DEFAULT 'table',
	source_name text,
	refill text NOT NULL DEFAULT 'transaction',
	layout text NOT NULL DEFAULT 'plain',
	big_base numeric(38,0) NOT NULL DEFAULT 0
		CONSTRAINT id_sequences_big_base_check CHECK (big_base <> 'NaN'::numeric),
	start_value bigint
) WITH (
	fillfactor = 25,
	autovacuum_vacuum_scale_factor = 0,
	autovacuum_vacuum_threshold = 500,
	autovacuum_analyze_scale_factor = 0,
	autovacuum_analyze_threshold = 100000
);

COMMENT ON TABLE id_sequences IS 'id sequences: where the next block of ids begins';
COMMENT ON COLUMN id_sequences.name IS 'name of the id sequence';
COMMENT ON COLUMN id_sequences.next_block_start IS 'the next id that no block holds yet';
COMMENT ON COLUMN id_sequences.block_size IS 'ids per block; 1 makes the id sequence gapless';
COMMENT ON COLUMN id_sequences.exhausted IS '1 once no id is left';
COMMENT ON COLUMN id_sequences.max_value IS 'the last id that may be issued';
COMMENT ON COLUMN id_sequences.source IS 'where blocks come from: table, sequence, function or server';
COMMENT ON COLUMN id_sequences.source_name IS 'the native sequence, function or server that blocks come from; null for the usual one';
COMMENT ON COLUMN id_sequences.refill IS 'where a refill runs: transaction (in the calling transaction) or worker (in a background worker)';
COMMENT ON COLUMN id_sequences.layout IS 'how an id is composed: plain, prefixed, session, prefixed_reversed or session_reversed';
COMMENT ON COLUMN id_sequences.big_base IS 'the number that idgen_next_big adds to the sequence value';
COMMENT ON COLUMN id_sequences.start_value IS 'where the id sequence began; percentages of its range are counted from here';

SELECT pg_catalog.pg_extension_config_dump('id_sequences'::regclass, ''::text);

-- A role that may read a row may draw from it.
REVOKE ALL ON id_sequences FROM PUBLIC;
GRANT SELECT ON id_sequences TO PUBLIC;

--
-- Triggers. They fire "always", so also for rows that arrive by replication.
--

CREATE FUNCTION idgen_check_row() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_check_row' LANGUAGE C;
CREATE FUNCTION idgen_row_changed() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_row_changed' LANGUAGE C;

COMMENT ON FUNCTION idgen_check_row() IS 'internal: trigger that checks a row of id_sequences';
COMMENT ON FUNCTION idgen_row_changed() IS 'internal: trigger that tells the cache of changes of id_sequences';

REVOKE ALL ON FUNCTION idgen_check_row() FROM PUBLIC;
REVOKE ALL ON FUNCTION idgen_row_changed() FROM PUBLIC;

CREATE TRIGGER idgen_check_row
	BEFORE INSERT OR UPDATE ON id_sequences
	FOR EACH ROW EXECUTE FUNCTION idgen_check_row();
CREATE TRIGGER idgen_row_changed
	AFTER INSERT OR UPDATE OR DELETE ON id_sequences
	FOR EACH ROW EXECUTE FUNCTION idgen_row_changed();
CREATE TRIGGER idgen_truncated
	AFTER TRUNCATE ON id_sequences
	FOR EACH STATEMENT EXECUTE FUNCTION idgen_row_changed();

ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_check_row;
ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_truncated;

--
-- Drawing ids
--

CREATE FUNCTION idgen_next(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_next(name text, source text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_from'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_next_big(name text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_next_big(name text, source text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big_from'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_next_range(name text, n bigint, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_next_range(name text, n bigint, source text, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_last(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_last'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_last(name text, source text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_last'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_last_big(name text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_last_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_last_big(name text, source text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_last_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_peek(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_peek'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_peek(name text, source text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_peek'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_peek_big(name text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_peek_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_peek_big(name text, source text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_peek_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION idgen_next(text) IS 'next id of an id sequence';
COMMENT ON FUNCTION idgen_next(text, text) IS 'next id of an id sequence with that source';
COMMENT ON FUNCTION idgen_next_big(text) IS 'next id of an id sequence, plus its big_base';
COMMENT ON FUNCTION idgen_next_big(text, text) IS 'next id of an id sequence with that source, plus its big_base';
COMMENT ON FUNCTION idgen_next_range(text, bigint) IS 'next n ids of an id sequence, consecutive';
COMMENT ON FUNCTION idgen_next_range(text, bigint, text) IS 'next n ids of an id sequence with that source, consecutive';
COMMENT ON FUNCTION idgen_last(text) IS 'the id that this session drew last from an id sequence';
COMMENT ON FUNCTION idgen_last(text, text) IS 'the id that this session drew last from an id sequence with that source';
COMMENT ON FUNCTION idgen_last_big(text) IS 'the id that this session drew last from an id sequence, plus its big_base';
COMMENT ON FUNCTION idgen_last_big(text, text) IS 'the id that this session drew last from an id sequence with that source, plus its big_base';
COMMENT ON FUNCTION idgen_peek(text) IS 'the id that would be issued next, without drawing it';
COMMENT ON FUNCTION idgen_peek(text, text) IS 'the id that would be issued next from that source, without drawing it';
COMMENT ON FUNCTION idgen_peek_big(text) IS 'the id that idgen_next_big would return next, without drawing it';
COMMENT ON FUNCTION idgen_peek_big(text, text) IS 'the id that idgen_next_big would return next from that source, without drawing it';

GRANT EXECUTE ON FUNCTION idgen_next(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_next(text, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_next_big(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_next_big(text, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_next_range(text, bigint) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_next_range(text, bigint, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_last(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_last(text, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_last_big(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_last_big(text, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_peek(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_peek(text, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_peek_big(text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_peek_big(text, text) TO PUBLIC;

--
-- Taking composed ids apart. A literal id may be an integer. Without a function
-- for integer, the server could not tell whether bigint or numeric is meant.
--

CREATE FUNCTION idgen_parts(id bigint, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value bigint
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION idgen_parts(id numeric, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value numeric
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts_big'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION idgen_parts(id integer, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value bigint
) RETURNS record
	LANGUAGE SQL STRICT IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT * FROM idgen_parts(id::bigint, layout);
	END;

COMMENT ON FUNCTION idgen_parts(bigint, text) IS 'fields of an id as idgen_next composes it';
COMMENT ON FUNCTION idgen_parts(numeric, text) IS 'fields of an id as idgen_next_big composes it';
COMMENT ON FUNCTION idgen_parts(integer, text) IS 'fields of an id as idgen_next composes it';

GRANT EXECUTE ON FUNCTION idgen_parts(bigint, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_parts(numeric, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_parts(integer, text) TO PUBLIC;

--
-- Creating and restarting: with the caller's own privileges
--

CREATE FUNCTION idgen_create(
	name text,
	next_block_start bigint DEFAULT 1,
	block_size integer DEFAULT NULL,
	exhausted integer DEFAULT 0,
	max_value bigint DEFAULT 9223372036854775807,
	source text DEFAULT 'table',
	source_name text DEFAULT NULL,
	refill text DEFAULT 'transaction',
	layout text DEFAULT 'plain',
	big_base numeric DEFAULT 0
) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_create'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_restart(name text, start bigint) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_restart'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_restart(name text, start bigint, source text) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_restart'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION idgen_create(text, bigint, integer, integer, bigint, text, text, text, text, numeric)
	IS 'create an id sequence';
COMMENT ON FUNCTION idgen_restart(text, bigint) IS 'start an id sequence again at a given id';
COMMENT ON FUNCTION idgen_restart(text, bigint, text) IS 'start an id sequence with that source again at a given id';

GRANT EXECUTE ON FUNCTION idgen_create(text, bigint, integer, integer, bigint, text, text, text, text, numeric) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_restart(text, bigint) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_restart(text, bigint, text) TO PUBLIC;

--
-- Moving columns over: with the caller's own privileges
--

CREATE FUNCTION idgen_adopt(relation regclass, column_name name, name text DEFAULT NULL) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_adopt'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_release(relation regclass, column_name name) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_release'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION idgen_adopt(regclass, name, text) IS 'have a column draw from a new id sequence';
COMMENT ON FUNCTION idgen_release(regclass, name) IS 'have a column draw from a native sequence again, as an identity column';

GRANT EXECUTE ON FUNCTION idgen_adopt(regclass, name, text) TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_release(regclass, name) TO PUBLIC;

--
-- Time-ordered ids: no table, no privilege
--

CREATE FUNCTION idgen_unique_id() RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unique_id'
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
CREATE FUNCTION idgen_unique_id_parts(
	id bigint,
	OUT created_at timestamptz,
	OUT node integer,
	OUT counter integer
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_unique_id_parts'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION idgen_unique_id() IS 'next time-ordered id of this server';
COMMENT ON FUNCTION idgen_unique_id_parts(bigint) IS 'what a time-ordered id is composed of';

GRANT EXECUTE ON FUNCTION idgen_unique_id() TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_unique_id_parts(bigint) TO PUBLIC;

--
-- Servers that have an id_sequences to draw blocks from. The wrapper has no
-- handler, as there are no foreign tables. Nobody needs the privilege to call
-- the validator: CREATE SERVER and CREATE USER MAPPING call it without.
--

CREATE FUNCTION idgen_fdw_validator(options text[], catalog oid) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_fdw_validator'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

REVOKE ALL ON FUNCTION idgen_fdw_validator(text[], oid) FROM PUBLIC;

CREATE FOREIGN DATA WRAPPER idgen_fdw VALIDATOR idgen_fdw_validator;

COMMENT ON FUNCTION idgen_fdw_validator(text[], oid) IS 'internal: checks the options of servers and user mappings';
COMMENT ON FOREIGN DATA WRAPPER idgen_fdw IS 'servers that id sequences allocate blocks from';

--
-- Looking inside. The functions and views show what the role that calls or
-- reads them may draw from. The functions also bring the columns of
-- id_sequences: they read the newest rows, whatever the snapshot says, and a
-- serializable transaction gets no conflict from that.
--

CREATE FUNCTION idgen_entries(
	OUT name text,
	OUT source text,
	OUT sequence oid,
	OUT cache text,
	OUT ids_issued bigint,
	OUT ids_cached bigint,
	OUT ids_lost bigint,
	OUT ids_lost_changed bigint,
	OUT ids_lost_prepared bigint,
	OUT ids_lost_crowded bigint,
	OUT blocks_taken bigint,
	OUT refills bigint,
	OUT waits bigint,
	OUT last_refill timestamptz,
	OUT prefetch_blocks integer,
	OUT percent_left double precision,
	OUT source_name text,
	OUT refill text,
	OUT next_block_start bigint,
	OUT exhausted smallint,
	OUT max_value bigint,
	OUT start_value bigint
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_entries'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

CREATE FUNCTION idgen_blocks(
	OUT name text,
	OUT sequence oid,
	OUT first_id bigint,
	OUT last_id bigint,
	OUT state text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_blocks'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

CREATE FUNCTION idgen_totals(
	OUT cache text,
	OUT max_sequences integer,
	OUT sequences integer,
	OUT evictions bigint,
	OUT ids_evicted bigint,
	OUT ids_lost bigint,
	OUT ids_uncached bigint
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_totals'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION idgen_stats_reset() RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_stats_reset'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

COMMENT ON FUNCTION idgen_entries() IS 'internal: what view idgen_stats shows of the cache';
COMMENT ON FUNCTION idgen_blocks() IS 'internal: what view idgen_cache shows';
COMMENT ON FUNCTION idgen_totals() IS 'internal: what view idgen_cache_totals shows';
COMMENT ON FUNCTION idgen_stats_reset() IS 'set the counters in idgen_stats to zero';

CREATE VIEW idgen_stats WITH (security_invoker = true) AS
	SELECT name COLLATE "C" AS name, source,
		CASE WHEN sequence IS NULL THEN source_name
		ELSE sequence::regclass::text END AS source_name,
		coalesce(refill, 'transaction'::text) AS refill, cache,
		ids_issued, ids_cached,
		ids_lost, ids_lost_changed, ids_lost_prepared, ids_lost_crowded,
		blocks_taken, refills, waits, last_refill,
		CASE WHEN refill OPERATOR(pg_catalog.=) 'worker'::text THEN prefetch_blocks END AS prefetch_blocks,
		CASE
		WHEN source OPERATOR(pg_catalog.=) 'table'::text THEN
			CASE WHEN exhausted = 1 OR next_block_start > max_value THEN 0::numeric
			ELSE pg_catalog.round(100::numeric *
				(max_value::numeric - next_block_start::numeric + 1::numeric) /
				(max_value::numeric - least(start_value, next_block_start)::numeric + 1::numeric), 2)
			END
		ELSE pg_catalog.round(percent_left::numeric, 2)
		END AS percent_left
	FROM idgen_entries()
	ORDER BY name, cache;

CREATE VIEW idgen_cache WITH (security_invoker = true) AS
	SELECT name COLLATE "C" AS name, first_id, last_id, state FROM idgen_blocks()
	ORDER BY name, first_id;

CREATE VIEW idgen_cache_totals WITH (security_invoker = true) AS
	SELECT * FROM idgen_totals();

COMMENT ON VIEW idgen_stats IS 'id sequences that the cache knows, with counters';
COMMENT ON VIEW idgen_cache IS 'cached blocks of ids';
COMMENT ON VIEW idgen_cache_totals IS 'the cache as a whole';

COMMENT ON COLUMN idgen_stats.name IS 'name of the id sequence';
COMMENT ON COLUMN idgen_stats.source IS 'where blocks come from: table, sequence, function or server';
COMMENT ON COLUMN idgen_stats.source_name IS 'the native sequence that blocks come from, or source_name of the row';
COMMENT ON COLUMN idgen_stats.refill IS 'where a refill runs: transaction or worker';
COMMENT ON COLUMN idgen_stats.cache IS 'which cache: that of the server, or of this session';
COMMENT ON COLUMN idgen_stats.ids_issued IS 'ids returned, including those of transactions that were rolled back';
COMMENT ON COLUMN idgen_stats.ids_cached IS 'ids that any session can draw from memory now';
COMMENT ON COLUMN idgen_stats.ids_lost IS 'ids that became a gap: the sum of the next three columns';
COMMENT ON COLUMN idgen_stats.ids_lost_changed IS 'cached ids that became a gap because the row was changed';
COMMENT ON COLUMN idgen_stats.ids_lost_prepared IS 'ids that became a gap because their transaction was prepared';
COMMENT ON COLUMN idgen_stats.ids_lost_crowded IS 'ids that became a gap because there was no room for another block in the cache';
COMMENT ON COLUMN idgen_stats.blocks_taken IS 'blocks that refills brought';
COMMENT ON COLUMN idgen_stats.refills IS 'number of refills';
COMMENT ON COLUMN idgen_stats.waits IS 'how often a session waited for a refill of another session, or of the worker';
COMMENT ON COLUMN idgen_stats.last_refill IS 'time of the last refill';
COMMENT ON COLUMN idgen_stats.prefetch_blocks IS 'number of blocks that the worker asked for last; null if it does not refill';
COMMENT ON COLUMN idgen_stats.percent_left IS 'percentage of the ids from start_value to max_value that no block holds yet; null if not known';
COMMENT ON COLUMN idgen_cache.name IS 'name of the id sequence';
COMMENT ON COLUMN idgen_cache.first_id IS 'the id that is drawn from the block next';
COMMENT ON COLUMN idgen_cache.last_id IS 'the last id of the block';
COMMENT ON COLUMN idgen_cache.state IS 'published: for all sessions; pending: for the current transaction only';
COMMENT ON COLUMN idgen_cache_totals.cache IS 'which cache: that of the server, or of this session';
COMMENT ON COLUMN idgen_cache_totals.max_sequences IS 'number of id sequences that it has room for';
COMMENT ON COLUMN idgen_cache_totals.sequences IS 'number of id sequences that it holds';
COMMENT ON COLUMN idgen_cache_totals.evictions IS 'how often an id sequence gave way to another one';
COMMENT ON COLUMN idgen_cache_totals.ids_evicted IS 'cached ids that became a gap because their id sequence gave way';
COMMENT ON COLUMN idgen_cache_totals.ids_lost IS 'ids_lost of the id sequences that gave way';
COMMENT ON COLUMN idgen_cache_totals.ids_uncached IS 'ids that became a gap because the cache had no room for their id sequence';

GRANT EXECUTE ON FUNCTION idgen_entries() TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_blocks() TO PUBLIC;
GRANT EXECUTE ON FUNCTION idgen_totals() TO PUBLIC;
REVOKE ALL ON FUNCTION idgen_stats_reset() FROM PUBLIC;
GRANT SELECT ON idgen_stats, idgen_cache, idgen_cache_totals TO PUBLIC;
