/* sql/idgen--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION idgen" to load this file. \quit

-- Nothing of the target schema, or of another one, can take the place of the
-- server's own operators and functions. What belongs to the extension is named
-- with its schema, here and in the bodies of its functions.
SET LOCAL search_path = pg_catalog, pg_temp;

-- First, so that a server which has loaded the library of an older version says
-- which one it lacks, in the name of the function that it does not find.
CREATE FUNCTION @extschema@.idgen_version() RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_version_1_0'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.idgen_version() IS 'version of the library that is loaded';

--
-- Columns, as regclass is for tables. The type is that of owned_by below. It
-- has operators because the table would else have no equality: audit triggers
-- compare its rows, and logical replication looks for them.
--

CREATE TYPE @extschema@.idgen_column;

CREATE FUNCTION @extschema@.idgen_column_in(cstring) RETURNS @extschema@.idgen_column
	AS 'MODULE_PATHNAME', 'idgen_column_in'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_out(@extschema@.idgen_column) RETURNS cstring
	AS 'MODULE_PATHNAME', 'idgen_column_out'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_recv(internal) RETURNS @extschema@.idgen_column
	AS 'MODULE_PATHNAME', 'idgen_column_recv'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_send(@extschema@.idgen_column) RETURNS bytea
	AS 'MODULE_PATHNAME', 'idgen_column_send'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;

CREATE TYPE @extschema@.idgen_column (
	INPUT = @extschema@.idgen_column_in,
	OUTPUT = @extschema@.idgen_column_out,
	RECEIVE = @extschema@.idgen_column_recv,
	SEND = @extschema@.idgen_column_send,
	LIKE = int8
);

CREATE FUNCTION @extschema@.idgen_column_eq(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8eq' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_ne(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8ne' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_lt(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8lt' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_le(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8le' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_gt(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8gt' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_ge(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS boolean
	AS 'int8ge' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION @extschema@.idgen_column_cmp(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS integer
	AS 'btint8cmp' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;

CREATE OPERATOR @extschema@.= (FUNCTION = @extschema@.idgen_column_eq, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>), RESTRICT = eqsel, JOIN = eqjoinsel, MERGES);
CREATE OPERATOR @extschema@.<> (FUNCTION = @extschema@.idgen_column_ne, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=), RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR @extschema@.< (FUNCTION = @extschema@.idgen_column_lt, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR @extschema@.<= (FUNCTION = @extschema@.idgen_column_le, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR @extschema@.> (FUNCTION = @extschema@.idgen_column_gt, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR @extschema@.>= (FUNCTION = @extschema@.idgen_column_ge, LEFTARG = @extschema@.idgen_column, RIGHTARG = @extschema@.idgen_column,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<), RESTRICT = scalargesel, JOIN = scalargejoinsel);

CREATE OPERATOR CLASS @extschema@.idgen_column_ops DEFAULT FOR TYPE @extschema@.idgen_column USING btree AS
	OPERATOR 1 @extschema@.<, OPERATOR 2 @extschema@.<=, OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=, OPERATOR 5 @extschema@.>,
	FUNCTION 1 @extschema@.idgen_column_cmp(@extschema@.idgen_column, @extschema@.idgen_column);

COMMENT ON TYPE @extschema@.idgen_column IS 'column of a table, shown as schema.table.column';
COMMENT ON FUNCTION @extschema@.idgen_column_in(cstring) IS 'internal: input of type idgen_column';
COMMENT ON FUNCTION @extschema@.idgen_column_out(@extschema@.idgen_column) IS 'internal: output of type idgen_column';
COMMENT ON FUNCTION @extschema@.idgen_column_recv(internal) IS 'internal: binary input of type idgen_column';
COMMENT ON FUNCTION @extschema@.idgen_column_send(@extschema@.idgen_column) IS 'internal: binary output of type idgen_column';
COMMENT ON FUNCTION @extschema@.idgen_column_eq(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator =';
COMMENT ON FUNCTION @extschema@.idgen_column_ne(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator <>';
COMMENT ON FUNCTION @extschema@.idgen_column_lt(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator <';
COMMENT ON FUNCTION @extschema@.idgen_column_le(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator <=';
COMMENT ON FUNCTION @extschema@.idgen_column_gt(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator >';
COMMENT ON FUNCTION @extschema@.idgen_column_ge(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: operator >=';
COMMENT ON FUNCTION @extschema@.idgen_column_cmp(@extschema@.idgen_column, @extschema@.idgen_column) IS 'internal: less, equal or greater, for the index';

-- One row for each id sequence. The first four columns are shared with other
-- programs; src/catalog/row.h knows the numbers of all.
--
-- Rows are small and updated often, so pages are left mostly empty: an update
-- then stays on its page and touches no index. The number of updates decides
-- when vacuum comes, however many rows there are. There is little to analyze.
CREATE TABLE @extschema@.id_sequences (
	name varchar(255) COLLATE "C" PRIMARY KEY
		CONSTRAINT id_sequences_name_check CHECK (name::text <> ''),
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
	start_value bigint,
	pooling text NOT NULL DEFAULT 'pooled_lo',
	owned_by @extschema@.idgen_column,
	max_children integer
		CONSTRAINT id_sequences_max_children_check CHECK (max_children > 0),
	period text,
	time_zone text,
	format text,
	template varchar(255) COLLATE "C",
	refilled_at timestamptz
) WITH (
	fillfactor = 25,
	autovacuum_vacuum_scale_factor = 0,
	autovacuum_vacuum_threshold = 500,
	autovacuum_analyze_scale_factor = 0,
	autovacuum_analyze_threshold = 100000
);

COMMENT ON TABLE @extschema@.id_sequences IS 'id sequences: where the next block of ids begins';
COMMENT ON COLUMN @extschema@.id_sequences.name IS 'name of the id sequence; a name that ends in /* is that of a template';
COMMENT ON COLUMN @extschema@.id_sequences.next_block_start IS 'the next id that no block holds yet';
COMMENT ON COLUMN @extschema@.id_sequences.block_size IS 'ids per block; 1 makes the id sequence gapless';
COMMENT ON COLUMN @extschema@.id_sequences.exhausted IS '1 once no id is left';
COMMENT ON COLUMN @extschema@.id_sequences.max_value IS 'the last id that may be issued';
COMMENT ON COLUMN @extschema@.id_sequences.source IS 'where blocks come from: table, sequence, function or server';
COMMENT ON COLUMN @extschema@.id_sequences.source_name IS 'the native sequence, function or server that blocks come from; null for the usual one';
COMMENT ON COLUMN @extschema@.id_sequences.refill IS 'where a refill runs: transaction (in the calling transaction), worker (in a background worker) or auto (in a worker where one can be had)';
COMMENT ON COLUMN @extschema@.id_sequences.layout IS 'how an id is composed: plain, prefixed, session, prefixed_reversed, session_reversed or scrambled';
COMMENT ON COLUMN @extschema@.id_sequences.big_base IS 'the number that idgen_next_big adds to the sequence value';
COMMENT ON COLUMN @extschema@.id_sequences.pooling IS 'which ids one value of a native sequence stands for: pooled_lo, pooled, hilo, legacy_pooled or legacy_hilo';
COMMENT ON COLUMN @extschema@.id_sequences.start_value IS 'where the id sequence began; percentages of its range are counted from here';
COMMENT ON COLUMN @extschema@.id_sequences.owned_by IS 'the column that the id sequence belongs to: the row is deleted when that is dropped';
COMMENT ON COLUMN @extschema@.id_sequences.max_children IS 'how many children a template may have; null for any number';
COMMENT ON COLUMN @extschema@.id_sequences.period IS 'year, month or day: numbers start anew in each, and are drawn from a child; null for none';
COMMENT ON COLUMN @extschema@.id_sequences.time_zone IS 'the time zone that decides when a period begins; null for that of idgen.period_time_zone';
COMMENT ON COLUMN @extschema@.id_sequences.format IS 'how idgen_next_text writes an id; null for plain digits';
COMMENT ON COLUMN @extschema@.id_sequences.template IS 'the template or period that the id sequence was made from; null if it was made by hand';
COMMENT ON COLUMN @extschema@.id_sequences.refilled_at IS 'of an id sequence with a template: when a block was allocated from the row last, or when it was made';

-- Each command that drops something looks here for what belonged to it.
CREATE INDEX id_sequences_owned_by_idx ON @extschema@.id_sequences (owned_by);

-- The children of a template are counted and found by this. A refill changes
-- neither column, so its update touches no index.
CREATE INDEX id_sequences_template_idx ON @extschema@.id_sequences (template) WHERE template IS NOT NULL;

SELECT pg_extension_config_dump('@extschema@.id_sequences'::regclass, '');

--
-- Triggers. They fire "always", so also for rows that arrive by replication.
--

CREATE FUNCTION @extschema@.idgen_check_row() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_check_row' LANGUAGE C;
CREATE FUNCTION @extschema@.idgen_row_changed() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_row_changed' LANGUAGE C;

COMMENT ON FUNCTION @extschema@.idgen_check_row() IS 'internal: trigger that checks a row of id_sequences';
COMMENT ON FUNCTION @extschema@.idgen_row_changed() IS 'internal: trigger that tells the cache of changes of id_sequences';

CREATE TRIGGER idgen_check_row
	BEFORE INSERT OR UPDATE ON @extschema@.id_sequences
	FOR EACH ROW EXECUTE FUNCTION @extschema@.idgen_check_row();
CREATE TRIGGER idgen_row_changed
	AFTER INSERT OR UPDATE OR DELETE ON @extschema@.id_sequences
	FOR EACH ROW EXECUTE FUNCTION @extschema@.idgen_row_changed();
CREATE TRIGGER idgen_truncated
	AFTER TRUNCATE ON @extschema@.id_sequences
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.idgen_row_changed();

ALTER TABLE @extschema@.id_sequences ENABLE ALWAYS TRIGGER idgen_check_row;
ALTER TABLE @extschema@.id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
ALTER TABLE @extschema@.id_sequences ENABLE ALWAYS TRIGGER idgen_truncated;

--
-- The keys of id sequences with layout "scrambled". Nobody but the owner may
-- read them; idgen reads and writes them without asking for privileges. No
-- statistics are kept of keys, since they would hold some. The trigger is fired
-- "always", so that all keys are stored alike, wherever they come from.
--

CREATE TABLE @extschema@.idgen_keys (
	name varchar(255) COLLATE "C" PRIMARY KEY,
	key bytea NOT NULL
);

ALTER TABLE @extschema@.idgen_keys ALTER key SET STATISTICS 0;

COMMENT ON TABLE @extschema@.idgen_keys IS 'secret keys of the id sequences with layout scrambled';
COMMENT ON COLUMN @extschema@.idgen_keys.name IS 'name of the id sequence';
COMMENT ON COLUMN @extschema@.idgen_keys.key IS 'its key: 16 bytes, behind 48 of zero';

SELECT pg_extension_config_dump('@extschema@.idgen_keys'::regclass, '');

CREATE FUNCTION @extschema@.idgen_check_key() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_check_key' LANGUAGE C;

COMMENT ON FUNCTION @extschema@.idgen_check_key() IS 'internal: trigger that checks what is written to idgen_keys';

CREATE TRIGGER idgen_check_key
	BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.idgen_keys
	FOR EACH ROW EXECUTE FUNCTION @extschema@.idgen_check_key();
CREATE TRIGGER idgen_keys_truncated
	AFTER TRUNCATE ON @extschema@.idgen_keys
	FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.idgen_check_key();

ALTER TABLE @extschema@.idgen_keys ENABLE ALWAYS TRIGGER idgen_check_key;

--
-- The same rows for other programs that keep the last id that is allocated, not
-- the next one. Reading a row locks it: whatever they compute from it is still
-- true when they write. The names of the columns are EclipseLink's. Nobody has
-- a privilege on the view from the start; the table asks for its own besides.
--
-- No number is before the least bigint: where that comes next, the view says
-- that it is the last one, so a program that allocates leaves it out.
--
-- The trigger of a view cannot be one that fires "always". Where it does not
-- fire, an update would be lost, so the view shows no rows there.
--

CREATE FUNCTION @extschema@.idgen_by_last_id() RETURNS trigger
	AS 'MODULE_PATHNAME', 'idgen_by_last_id' LANGUAGE C;

COMMENT ON FUNCTION @extschema@.idgen_by_last_id() IS 'internal: trigger that writes to id_sequences what is written to id_sequences_by_last_id';

CREATE VIEW @extschema@.id_sequences_by_last_id WITH (security_invoker = true) AS
	SELECT name AS seq_name,
		CASE WHEN exhausted = 1 THEN max_value
		ELSE greatest(next_block_start, -9223372036854775807::bigint) - 1::bigint END AS seq_count
	FROM @extschema@.id_sequences
	WHERE source = 'table'
		AND current_setting('session_replication_role') <> 'replica'
	FOR NO KEY UPDATE;

COMMENT ON VIEW @extschema@.id_sequences_by_last_id IS 'id sequences for programs that keep the last id that is allocated; reading a row locks it';
COMMENT ON COLUMN @extschema@.id_sequences_by_last_id.seq_name IS 'name of the id sequence';
COMMENT ON COLUMN @extschema@.id_sequences_by_last_id.seq_count IS 'the last id that a block holds';

CREATE TRIGGER idgen_by_last_id
	INSTEAD OF INSERT OR UPDATE ON @extschema@.id_sequences_by_last_id
	FOR EACH ROW EXECUTE FUNCTION @extschema@.idgen_by_last_id();

--
-- Drawing ids
--

CREATE FUNCTION @extschema@.idgen_next_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'idgen_next_support'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;
CREATE FUNCTION @extschema@.idgen_next(name text, source text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_from'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;
CREATE FUNCTION @extschema@.idgen_next_big(name text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;
CREATE FUNCTION @extschema@.idgen_next_big(name text, source text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big_from'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;

-- What the support function puts in place of these in column defaults of COPY.
-- The label STABLE has COPY store rows in batches; see src/sql/copy_batches.c.
-- SQL cannot make an argument of type internal, so nobody calls them by name.
CREATE FUNCTION @extschema@.idgen_next_in_copy(name text, internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_in_copy(name text, source text, internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_from_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_big_in_copy(name text, internal) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_big_in_copy(name text, source text, internal) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big_from_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next_text(name text) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;
CREATE FUNCTION @extschema@.idgen_next_text(name text, at date) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text_at'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;
CREATE FUNCTION @extschema@.idgen_next_text_in_copy(name text, internal) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_text_in_copy(name text, at date, internal) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text_at_in_copy'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_text_value(name text, text_id text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_text_value'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next_range(name text, n bigint, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_range(name text, n bigint, source text, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_last(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_last'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_peek(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_peek'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_next(text) IS 'next id of an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_next(text, text) IS 'next id of an id sequence with that source';
COMMENT ON FUNCTION @extschema@.idgen_next_big(text) IS 'next id of an id sequence, plus its big_base';
COMMENT ON FUNCTION @extschema@.idgen_next_big(text, text) IS 'next id of an id sequence with that source, plus its big_base';
COMMENT ON FUNCTION @extschema@.idgen_next_text(text) IS 'next id of an id sequence, as its format writes it';
COMMENT ON FUNCTION @extschema@.idgen_next_text(text, date) IS 'next id of an id sequence, as its format writes it with that date';
COMMENT ON FUNCTION @extschema@.idgen_text_value(text, text) IS 'the id that a text id of an id sequence was written for';
COMMENT ON FUNCTION @extschema@.idgen_next_support(internal) IS 'internal: planner support for functions that draw ids';
COMMENT ON FUNCTION @extschema@.idgen_next_in_copy(text, internal) IS 'internal: idgen_next(text) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_in_copy(text, text, internal) IS 'internal: idgen_next(text, text) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_big_in_copy(text, internal) IS 'internal: idgen_next_big(text) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_big_in_copy(text, text, internal) IS 'internal: idgen_next_big(text, text) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_text_in_copy(text, internal) IS 'internal: idgen_next_text(text) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_text_in_copy(text, date, internal) IS 'internal: idgen_next_text(text, date) in defaults of COPY';
COMMENT ON FUNCTION @extschema@.idgen_next_range(text, bigint) IS 'next n ids of an id sequence, consecutive';
COMMENT ON FUNCTION @extschema@.idgen_next_range(text, bigint, text) IS 'next n ids of an id sequence with that source, consecutive';
COMMENT ON FUNCTION @extschema@.idgen_last(text) IS 'the id that this session drew last from an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_peek(text) IS 'the id that would be issued next, without drawing it';

--
-- Taking composed ids apart. A literal id may be an integer. Without a function
-- for integer, the server could not tell whether bigint or numeric is meant.
--

CREATE FUNCTION @extschema@.idgen_parts(id bigint, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value bigint
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_parts(id numeric, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value numeric
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts_big'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_parts(id integer, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value bigint
) RETURNS record
	LANGUAGE SQL STRICT IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT * FROM @extschema@.idgen_parts(id::bigint, layout);
	END;

COMMENT ON FUNCTION @extschema@.idgen_parts(bigint, text) IS 'fields of an id as idgen_next composes it';
COMMENT ON FUNCTION @extschema@.idgen_parts(numeric, text) IS 'fields of an id as idgen_next_big composes it';
COMMENT ON FUNCTION @extschema@.idgen_parts(integer, text) IS 'fields of an id as idgen_next composes it';

--
-- The sequence value of a scrambled id, for those who may write the row
--

CREATE FUNCTION @extschema@.idgen_unscramble(name text, id bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unscramble'
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_unscramble(text, bigint) IS 'the sequence value of an id of layout scrambled';

--
-- Creating and restarting: with the caller's own privileges
--

CREATE FUNCTION @extschema@.idgen_create(
	name text,
	next_block_start bigint DEFAULT 1,
	block_size integer DEFAULT NULL,
	exhausted integer DEFAULT 0,
	max_value bigint DEFAULT NULL,
	source text DEFAULT 'table',
	source_name text DEFAULT NULL,
	refill text DEFAULT NULL,
	layout text DEFAULT 'plain',
	big_base numeric DEFAULT 0,
	pooling text DEFAULT 'pooled_lo',
	owned_by text DEFAULT NULL,
	max_children integer DEFAULT NULL,
	period text DEFAULT NULL,
	time_zone text DEFAULT NULL,
	format text DEFAULT NULL,
	id_type text DEFAULT NULL
) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_create'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_restart(name text, start bigint) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_restart'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_apply_template(template text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_apply_template'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_create(text, bigint, integer, integer, bigint, text, text, text, text, numeric, text, text, integer, text, text, text, text)
	IS 'create an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_restart(text, bigint) IS 'start an id sequence again at a given id';
COMMENT ON FUNCTION @extschema@.idgen_apply_template(text) IS 'have the children of a template say what it says now';

--
-- Moving columns over: with the caller's own privileges
--

CREATE FUNCTION @extschema@.idgen_adopt(
	relation regclass,
	column_name name,
	name text DEFAULT NULL,
	refill text DEFAULT 'auto'
) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_adopt'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_release(relation regclass, column_name name, kind text DEFAULT 'identity') RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_release'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_create_missing(relation regclass DEFAULT NULL, refill text DEFAULT 'auto') RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'idgen_create_missing'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
CREATE FUNCTION @extschema@.idgen_sync(relation regclass DEFAULT NULL, column_name name DEFAULT NULL) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'idgen_sync'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;

COMMENT ON FUNCTION @extschema@.idgen_adopt(regclass, name, text, text) IS 'have a column draw from a new id sequence';
COMMENT ON FUNCTION @extschema@.idgen_release(regclass, name, text) IS 'have a column draw from a native sequence again, as an identity or serial column';
COMMENT ON FUNCTION @extschema@.idgen_create_missing(regclass, text) IS 'make the id sequences that the defaults of a table, or of all, draw from and that are missing';
COMMENT ON FUNCTION @extschema@.idgen_sync(regclass, name) IS 'move the id sequence of a column, or of all columns, behind the ids that the column has';

--
-- Time-ordered ids: no table, no privilege
--

CREATE FUNCTION @extschema@.idgen_unique_id() RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unique_id'
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_id_parts(
	id bigint,
	OUT created_at timestamptz,
	OUT node integer,
	OUT counter integer
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_unique_id_parts'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION @extschema@.idgen_unique_id_min(created_at timestamptz) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unique_id_min'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid() RETURNS uuid
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid'
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid_min(created_at timestamptz) RETURNS uuid
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid_min'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid_created_at(id uuid) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid_created_at'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.idgen_unique_id() IS 'next time-ordered id of this server';
COMMENT ON FUNCTION @extschema@.idgen_unique_id_parts(bigint) IS 'what a time-ordered id is composed of';
COMMENT ON FUNCTION @extschema@.idgen_unique_id_min(timestamptz) IS 'smallest time-ordered id of a time';
COMMENT ON FUNCTION @extschema@.idgen_unique_uuid() IS 'next UUID of this server: version 7, in order';
COMMENT ON FUNCTION @extschema@.idgen_unique_uuid_min(timestamptz) IS 'smallest UUID of version 7 of a time';
COMMENT ON FUNCTION @extschema@.idgen_unique_uuid_created_at(uuid) IS 'time in a UUID of version 7';

--
-- Servers that have an id_sequences to draw blocks from. The wrapper has no
-- handler, as there are no foreign tables. Nobody needs the privilege to call
-- the validator: CREATE SERVER and CREATE USER MAPPING call it without.
--

CREATE FUNCTION @extschema@.idgen_fdw_validator(options text[], catalog oid) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_fdw_validator'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FOREIGN DATA WRAPPER idgen_fdw VALIDATOR @extschema@.idgen_fdw_validator;

-- What is remembered of them is not a matter of transactions, and whoever owns
-- a server may have it forgotten.
CREATE FUNCTION @extschema@.idgen_accept_centre(server name, name text DEFAULT NULL) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_accept_centre'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_accept_centre(name, text) IS 'accept a server as it is now: forget which ids it has given before';
COMMENT ON FUNCTION @extschema@.idgen_fdw_validator(text[], oid) IS 'internal: checks the options of servers and user mappings';
COMMENT ON FOREIGN DATA WRAPPER idgen_fdw IS 'servers that id sequences allocate blocks from';

--
-- Node numbers. At the centre, a row for each number that is taken, and a
-- function that servers call to lease one. Each server that leases keeps, in
-- its own table, what it has to show for the next time.
--

CREATE TABLE @extschema@.idgen_node_numbers (
	number integer PRIMARY KEY
		CONSTRAINT idgen_node_numbers_number_check CHECK (number >= 0 AND number <= 1023),
	holder bytea,
	token bytea,
	previous_token bytea,
	renewals bigint NOT NULL DEFAULT 0,
	system_identifier bigint,
	data_directory text,
	address inet,
	taken_at timestamptz,
	renewed_at timestamptz,
	leased_until timestamptz,
	used_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
	reserved_for text
);

COMMENT ON TABLE @extschema@.idgen_node_numbers IS 'at the centre: the node numbers that servers have';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.number IS 'the node number';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.holder IS 'hash of what names the start of the server that has it; null if it is free';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.token IS 'hash of what the holder shows when it next renews the lease';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.previous_token IS 'hash of what it has shown the last time';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.renewals IS 'how often the number has been leased or renewed';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.system_identifier IS 'the server''s system identifier';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.data_directory IS 'its data directory';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.address IS 'where it connects from; null for a Unix-domain socket';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.taken_at IS 'since when the server has it';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.renewed_at IS 'when the lease was renewed last';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.leased_until IS 'when the lease ends, by the clock of the centre';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.used_until IS 'no time-ordered id with this number has a later time';
COMMENT ON COLUMN @extschema@.idgen_node_numbers.reserved_for IS 'why the number is not leased to anybody; null if it may be';

SELECT pg_extension_config_dump('@extschema@.idgen_node_numbers'::regclass, 'WHERE number <> 0');

CREATE TABLE @extschema@.idgen_leases (
	number integer PRIMARY KEY,
	system_identifier bigint NOT NULL,
	place text,
	holder uuid NOT NULL,
	token uuid NOT NULL,
	renewals bigint NOT NULL,
	renewed_at timestamptz NOT NULL,
	until_ms bigint NOT NULL,
	boot_until bigint NOT NULL
);

COMMENT ON TABLE @extschema@.idgen_leases IS 'node numbers that this server has leased; they are not dumped';
COMMENT ON COLUMN @extschema@.idgen_leases.number IS 'the node number';
COMMENT ON COLUMN @extschema@.idgen_leases.system_identifier IS 'the system identifier of the server that leased it';
COMMENT ON COLUMN @extschema@.idgen_leases.place IS 'the start of the machine and the directory that the server ran in; null if not known';
COMMENT ON COLUMN @extschema@.idgen_leases.holder IS 'the start of the server that leased it';
COMMENT ON COLUMN @extschema@.idgen_leases.token IS 'what it shows when it next renews the lease';
COMMENT ON COLUMN @extschema@.idgen_leases.renewals IS 'how often the centre has leased or renewed the number';
COMMENT ON COLUMN @extschema@.idgen_leases.renewed_at IS 'when the lease was renewed last';
COMMENT ON COLUMN @extschema@.idgen_leases.until_ms IS 'when the lease ends, in milliseconds since 1970';
COMMENT ON COLUMN @extschema@.idgen_leases.boot_until IS 'the same in microseconds since the start of the machine';

-- Lease a number, or renew the lease: null if no number is free. Which one, in
-- this order:
--
-- 1. One that the server has had, if nobody has had it since: it shows the
--    token of the last renewal, or the one before if the answer to the last was
--    lost. (If a server has renewed more often than the centre knows, it is the
--    centre that has gone back.) The lease must have ended, unless its holder
--    is the caller itself, or one that the caller knows to be dead.
-- 2. The lowest one that nobody has.
-- 3. The one whose lease ended first, of those that no composed id begins with.
--
-- A server that sets no number has 0, so nobody leases that. Each call locks
-- its row, so that one comes after the other. The first call makes it: no table
-- has a row from the start, or a subscriber would have it twice.
--
-- In the last two cases, and for a server whose last start was elsewhere, no
-- time-ordered id that was issued with the number may be ahead of the caller's
-- clock by more than it can do with. Times are milliseconds since 1970, since
-- a text would depend on settings.
CREATE FUNCTION @extschema@.idgen_lease_node(
	asking_holder uuid,
	asking_system bigint,
	asking_directory text,
	asking_clock_ms bigint,
	least_number integer,
	lease_seconds integer,
	until_ms bigint,
	new_token uuid,
	known_numbers integer[],
	known_holders uuid[],
	known_tokens uuid[],
	known_renewals bigint[],
	OUT number integer,
	OUT renewals bigint,
	OUT own boolean,
	OUT used_until_ms bigint,
	OUT copy_has integer
) RETURNS record
	LANGUAGE sql STRICT VOLATILE PARALLEL UNSAFE SECURITY DEFINER
BEGIN ATOMIC
	SELECT set_config('synchronous_commit', 'on', true)
		WHERE current_setting('synchronous_commit') = 'off';
	INSERT INTO @extschema@.idgen_node_numbers (number, reserved_for) VALUES (0, 'servers without a number')
		ON CONFLICT (number) DO NOTHING;
	SELECT n.number FROM @extschema@.idgen_node_numbers AS n WHERE n.number = 0 FOR UPDATE;
	WITH asked AS MATERIALIZED (
		SELECT clock_timestamp() AS now,
			'1970-01-01 00:00:00+00'::timestamptz + make_interval(secs => (asking_clock_ms + 4000::bigint)::double precision / 1000::double precision) AS latest,
			'1970-01-01 00:00:00+00'::timestamptz + make_interval(secs => until_ms::double precision / 1000::double precision) AS until,
			sha256(uuid_send(asking_holder)) AS holder, sha256(uuid_send(new_token)) AS token
	), known AS (
		SELECT k.number, sha256(uuid_send(k.holder)) AS holder, sha256(uuid_send(k.token)) AS token, k.renewals, k.place
		FROM ROWS FROM (unnest(known_numbers), unnest(known_holders), unnest(known_tokens), unnest(known_renewals))
			WITH ORDINALITY AS k (number, holder, token, renewals, place)
	), candidates AS (
		SELECT k.number, 1 AS preference, k.place::numeric AS place, k.holder, k.token, k.renewals
		FROM known AS k CROSS JOIN asked LEFT JOIN @extschema@.idgen_node_numbers AS n ON n.number = k.number
		WHERE k.number >= least_number AND (n.number IS NULL OR n.reserved_for IS NULL
			AND (n.holder = k.holder OR n.used_until <= asked.latest)
			AND (n.holder IS NULL OR (n.holder = k.holder OR n.leased_until <= asked.now)
				AND (k.token = n.token OR k.renewals > n.renewals
					OR k.token = n.previous_token AND (n.holder <> asked.holder OR n.token = asked.token))))
		UNION ALL
		SELECT free.number, 2, free.number::numeric, NULL::bytea, NULL::bytea, 0::bigint
		FROM generate_series(least_number, 1023) AS free (number) CROSS JOIN asked
			LEFT JOIN @extschema@.idgen_node_numbers AS n ON n.number = free.number
		WHERE n.number IS NULL OR n.holder IS NULL AND n.reserved_for IS NULL AND n.used_until <= asked.latest
		UNION ALL
		SELECT n.number, 3, EXTRACT(epoch FROM n.leased_until), NULL::bytea, NULL::bytea, 0::bigint
		FROM @extschema@.idgen_node_numbers AS n CROSS JOIN asked
		WHERE n.number > 8 AND n.number >= least_number AND n.reserved_for IS NULL
			AND n.leased_until <= asked.now AND n.used_until <= asked.latest
	), chosen AS MATERIALIZED (
		SELECT c.number, c.token, c.renewals, coalesce(n.holder = c.holder, false) AS own, n.token AS row_token, n.used_until
		FROM candidates AS c LEFT JOIN @extschema@.idgen_node_numbers AS n ON n.number = c.number
		ORDER BY c.preference, c.place LIMIT 1
	), taken AS (
		INSERT INTO @extschema@.idgen_node_numbers AS n (number, holder, token, previous_token, renewals, system_identifier, data_directory,
			address, taken_at, renewed_at, leased_until, used_until)
		SELECT c.number, asked.holder, asked.token, c.token, c.renewals + 1::bigint, asking_system, asking_directory,
			inet_client_addr(), asked.now, asked.now,
			asked.now + make_interval(secs => lease_seconds::double precision), asked.until
		FROM chosen AS c CROSS JOIN asked
		ON CONFLICT (number) DO UPDATE SET
			holder = excluded.holder, token = excluded.token, previous_token = excluded.previous_token,
			renewals = greatest(n.renewals + 1::bigint, excluded.renewals),
			system_identifier = excluded.system_identifier, data_directory = excluded.data_directory, address = excluded.address,
			taken_at = CASE WHEN n.holder IS NULL OR excluded.previous_token IS NULL THEN excluded.taken_at ELSE n.taken_at END,
			renewed_at = excluded.renewed_at, leased_until = excluded.leased_until,
			used_until = greatest(n.used_until, excluded.used_until)
		WHERE n.token IS NOT DISTINCT FROM (SELECT c.row_token FROM chosen AS c) AND n.reserved_for IS NULL
		RETURNING n.number, n.renewals
	)
	SELECT t.number, t.renewals, c.own,
		ceil(EXTRACT(epoch FROM c.used_until) * 1000::numeric)::bigint,
		(SELECT min(n.number) FROM @extschema@.idgen_node_numbers AS n CROSS JOIN asked
			WHERE n.system_identifier = asking_system AND n.holder <> asked.holder
				AND n.leased_until > asked.now AND n.number <> t.number)
	FROM taken AS t CROSS JOIN chosen AS c;
END;

CREATE FUNCTION @extschema@.idgen_reserve_node(number integer, reserved_for text) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_reserve_node'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_lease_node(uuid, bigint, text, bigint, integer, integer, bigint, uuid, integer[], uuid[], uuid[], bigint[]) IS 'internal: servers call it at the centre to lease a node number';
COMMENT ON FUNCTION @extschema@.idgen_reserve_node(integer, text) IS 'at the centre: keep a node number from being leased; null lets any server have it again';

CREATE VIEW @extschema@.idgen_nodes WITH (security_invoker = true) AS
	SELECT number,
		CASE WHEN reserved_for IS NOT NULL THEN 'reserved'
		WHEN holder IS NULL THEN 'free'
		WHEN leased_until > clock_timestamp() THEN 'leased'
		ELSE 'ended' END AS state,
		system_identifier, data_directory, address, taken_at, renewed_at, leased_until, used_until, reserved_for
	FROM @extschema@.idgen_node_numbers;

COMMENT ON VIEW @extschema@.idgen_nodes IS 'at the centre: which server has which node number';
COMMENT ON COLUMN @extschema@.idgen_nodes.number IS 'the node number';
COMMENT ON COLUMN @extschema@.idgen_nodes.state IS 'leased: a server has it; ended: one has had it, and gets it again; free: any server may get it; reserved: nobody gets it';
COMMENT ON COLUMN @extschema@.idgen_nodes.system_identifier IS 'the server''s system identifier';
COMMENT ON COLUMN @extschema@.idgen_nodes.data_directory IS 'its data directory';
COMMENT ON COLUMN @extschema@.idgen_nodes.address IS 'where it connects from; null for a Unix-domain socket';
COMMENT ON COLUMN @extschema@.idgen_nodes.taken_at IS 'since when the server has it';
COMMENT ON COLUMN @extschema@.idgen_nodes.renewed_at IS 'when the lease was renewed last';
COMMENT ON COLUMN @extschema@.idgen_nodes.leased_until IS 'when the lease ends, by the clock of the centre';
COMMENT ON COLUMN @extschema@.idgen_nodes.used_until IS 'no time-ordered id with this number has a later time';
COMMENT ON COLUMN @extschema@.idgen_nodes.reserved_for IS 'why the number is not leased to anybody; null if it may be';

--
-- Looking inside. The functions and views show what the role that calls or
-- reads them may draw from; idgen_stats shows all to members of pg_monitor. The
-- functions also bring the columns of id_sequences: they read the newest rows,
-- whatever the snapshot says, and a serializable transaction gets no conflict
-- from that.
--

CREATE FUNCTION @extschema@.idgen_entries(
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
	OUT start_value bigint,
	OUT session_refills bigint,
	OUT counted_since timestamptz,
	OUT refill_ms_p50 double precision,
	OUT refill_ms_p99 double precision,
	OUT wait_ms_p50 double precision,
	OUT wait_ms_p99 double precision,
	OUT wait_ms_total double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_entries'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

CREATE FUNCTION @extschema@.idgen_blocks(
	OUT name text,
	OUT sequence oid,
	OUT first_id bigint,
	OUT last_id bigint,
	OUT state text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_blocks'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

CREATE FUNCTION @extschema@.idgen_server_state(
	OUT cache text,
	OUT max_sequences integer,
	OUT sequences integer,
	OUT evictions bigint,
	OUT ids_evicted bigint,
	OUT ids_lost bigint,
	OUT ids_uncached bigint,
	OUT max_idle_sequences integer,
	OUT idle_sequences integer,
	OUT idle_ids bigint,
	OUT node_setting text,
	OUT node_id integer,
	OUT node_leased_until timestamptz,
	OUT node_renewed_at timestamptz,
	OUT node_failing_since timestamptz,
	OUT node_problem text
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_server_state'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION @extschema@.idgen_conditions(
	OUT name text,
	OUT source text,
	OUT source_name text,
	OUT refill text,
	OUT columns text[],
	OUT limit_value numeric,
	OUT limited_by text,
	OUT percent_left double precision,
	OUT ids_per_second double precision,
	OUT counted_since timestamptz,
	OUT used_up_on timestamptz,
	OUT worker text,
	OUT problem_kind text,
	OUT problem text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_conditions'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

CREATE FUNCTION @extschema@.idgen_all_columns(
	OUT relation regclass,
	OUT column_name name,
	OUT type text,
	OUT kind text,
	OUT draws_from text,
	OUT last_value bigint,
	OUT limit_value bigint,
	OUT limited_by text,
	OUT percent_used double precision,
	OUT adoptable boolean
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_all_columns'
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 1000;

CREATE FUNCTION @extschema@.idgen_centre_mark(
	name text,
	source_name text,
	OUT server name,
	OUT last_id bigint,
	OUT system_identifier bigint,
	OUT timeline bigint,
	OUT went_back text
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_centre_mark'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_stats_reset() RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_stats_reset'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

COMMENT ON FUNCTION @extschema@.idgen_entries() IS 'internal: what view idgen_stats shows of the cache';
COMMENT ON FUNCTION @extschema@.idgen_blocks() IS 'internal: what view idgen_cache shows';
COMMENT ON FUNCTION @extschema@.idgen_conditions() IS 'internal: what view idgen_health shows';
COMMENT ON FUNCTION @extschema@.idgen_server_state() IS 'internal: what view idgen_server shows';
COMMENT ON FUNCTION @extschema@.idgen_all_columns() IS 'internal: what view idgen_columns shows';
COMMENT ON FUNCTION @extschema@.idgen_centre_mark(text, text) IS 'internal: what view idgen_centre_marks shows of an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_stats_reset() IS 'set the counters in idgen_stats to zero';

-- An id sequence that moves to another place in the cache while a function goes
-- through it may be shown twice: then the views have one of the two.
CREATE VIEW @extschema@.idgen_stats WITH (security_invoker = true) AS
	SELECT DISTINCT ON (name, cache, sequence) name COLLATE "C" AS name, source,
		CASE WHEN sequence IS NULL THEN source_name
		ELSE sequence::regclass::text END AS source_name,
		coalesce(refill, 'transaction') AS refill, cache,
		ids_issued, ids_cached,
		ids_lost, ids_lost_changed, ids_lost_prepared, ids_lost_crowded,
		blocks_taken, refills, waits, last_refill,
		CASE WHEN refill <> 'transaction' AND source <> 'function'
			THEN prefetch_blocks END AS prefetch_blocks,
		CASE
		WHEN source = 'table' THEN
			CASE WHEN exhausted = 1 OR next_block_start > max_value THEN 0::numeric
			ELSE round(100::numeric *
				(max_value::numeric - next_block_start::numeric + 1::numeric) /
				(max_value::numeric - least(start_value, next_block_start)::numeric + 1::numeric), 2)
			END
		ELSE round(percent_left::numeric, 2)
		END AS percent_left,
		session_refills, counted_since,
		refill_ms_p50, refill_ms_p99, wait_ms_p50, wait_ms_p99, wait_ms_total
	FROM @extschema@.idgen_entries()
	ORDER BY name, cache, sequence;

CREATE VIEW @extschema@.idgen_cache WITH (security_invoker = true) AS
	SELECT DISTINCT ON (name, last_id, sequence, state = 'pending')
		name COLLATE "C" AS name, first_id, last_id, state
	FROM @extschema@.idgen_blocks()
	ORDER BY name, last_id, sequence, state = 'pending', first_id DESC;

CREATE VIEW @extschema@.idgen_server WITH (security_invoker = true) AS
	SELECT * FROM @extschema@.idgen_server_state();

CREATE VIEW @extschema@.idgen_health WITH (security_invoker = true) AS
	SELECT name COLLATE "C" AS name, source, source_name, refill, columns,
		limit_value, limited_by,
		round(percent_left::numeric, 2) AS percent_left,
		round(ids_per_second::numeric, 3) AS ids_per_second,
		counted_since, used_up_on, worker, problem_kind, problem
	FROM @extschema@.idgen_conditions()
	ORDER BY name, source_name;

CREATE VIEW @extschema@.idgen_columns WITH (security_invoker = true) AS
	SELECT relation, column_name, type, kind, draws_from, last_value, limit_value, limited_by,
		trunc(percent_used::numeric, 2) AS percent_used, adoptable
	FROM @extschema@.idgen_all_columns();

CREATE VIEW @extschema@.idgen_centre_marks WITH (security_invoker = true) AS
	SELECT s.name, m.server, m.last_id, m.system_identifier, m.timeline, m.went_back
	FROM @extschema@.id_sequences AS s, LATERAL @extschema@.idgen_centre_mark(s.name::text, s.source_name) AS m
	WHERE s.source = 'server'
	ORDER BY s.name;

COMMENT ON VIEW @extschema@.idgen_stats IS 'id sequences that the cache knows, with counters';
COMMENT ON VIEW @extschema@.idgen_health IS 'all id sequences: how much is left, how long that will last, and what is wrong';
COMMENT ON VIEW @extschema@.idgen_cache IS 'cached blocks of ids';
COMMENT ON VIEW @extschema@.idgen_server IS 'the server: its cache as a whole, and its node number';

COMMENT ON VIEW @extschema@.idgen_columns IS 'columns that draw from anything: how far they have got, and how far they can get';
COMMENT ON VIEW @extschema@.idgen_centre_marks IS 'id sequences of other servers: how far these had got when they were asked last';

COMMENT ON COLUMN @extschema@.idgen_stats.name IS 'name of the id sequence';
COMMENT ON COLUMN @extschema@.idgen_stats.source IS 'where blocks come from: table, sequence, function or server';
COMMENT ON COLUMN @extschema@.idgen_stats.source_name IS 'the native sequence that blocks come from, or source_name of the row';
COMMENT ON COLUMN @extschema@.idgen_stats.refill IS 'where a refill runs: transaction, worker or auto';
COMMENT ON COLUMN @extschema@.idgen_stats.cache IS 'which cache: that of the server, or of this session';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_issued IS 'ids returned, including those of transactions that were rolled back';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_cached IS 'ids that any session can draw from memory now';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_lost IS 'ids that became a gap: the sum of the next three columns';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_lost_changed IS 'cached ids that became a gap because the row was changed';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_lost_prepared IS 'ids that became a gap because their transaction was prepared';
COMMENT ON COLUMN @extschema@.idgen_stats.ids_lost_crowded IS 'ids that became a gap because there was no room for another block in the cache, or they came too late for the order';
COMMENT ON COLUMN @extschema@.idgen_stats.blocks_taken IS 'blocks that refills brought';
COMMENT ON COLUMN @extschema@.idgen_stats.refills IS 'number of refills';
COMMENT ON COLUMN @extschema@.idgen_stats.waits IS 'how often a session waited for a refill of another session, or of the worker';
COMMENT ON COLUMN @extschema@.idgen_stats.last_refill IS 'time of the last refill';
COMMENT ON COLUMN @extschema@.idgen_stats.prefetch_blocks IS 'number of blocks that the worker asked for last; null if it does not refill';
COMMENT ON COLUMN @extschema@.idgen_stats.percent_left IS 'percentage of the ids from start_value to max_value that no block holds yet; null if not known';
COMMENT ON COLUMN @extschema@.idgen_stats.session_refills IS 'refills that a session did itself, and not the worker';
COMMENT ON COLUMN @extschema@.idgen_stats.counted_since IS 'since when all this is counted';
COMMENT ON COLUMN @extschema@.idgen_stats.refill_ms_p50 IS 'half of the refills took less than this many milliseconds (an upper bound)';
COMMENT ON COLUMN @extschema@.idgen_stats.refill_ms_p99 IS '99 of 100 refills took less than this many milliseconds (an upper bound)';
COMMENT ON COLUMN @extschema@.idgen_stats.wait_ms_p50 IS 'half of the waits took less than this many milliseconds (an upper bound)';
COMMENT ON COLUMN @extschema@.idgen_stats.wait_ms_p99 IS '99 of 100 waits took less than this many milliseconds (an upper bound)';
COMMENT ON COLUMN @extschema@.idgen_stats.wait_ms_total IS 'milliseconds that sessions waited in all';
COMMENT ON COLUMN @extschema@.idgen_health.name IS 'name of the id sequence; null for a problem of the whole server';
COMMENT ON COLUMN @extschema@.idgen_health.source IS 'where blocks come from: table, sequence, function or server';
COMMENT ON COLUMN @extschema@.idgen_health.source_name IS 'the native sequence, function or server that blocks come from';
COMMENT ON COLUMN @extschema@.idgen_health.refill IS 'where a refill runs: transaction, worker or auto';
COMMENT ON COLUMN @extschema@.idgen_health.columns IS 'the columns that draw from it, or that it belongs to';
COMMENT ON COLUMN @extschema@.idgen_health.limit_value IS 'the last sequence value within all limits; null if not known';
COMMENT ON COLUMN @extschema@.idgen_health.limited_by IS 'what sets that limit';
COMMENT ON COLUMN @extschema@.idgen_health.percent_left IS 'percentage of the sequence values up to limit_value that no block holds yet; null if not known';
COMMENT ON COLUMN @extschema@.idgen_health.ids_per_second IS 'ids issued a second, on average since counted_since; null if not known';
COMMENT ON COLUMN @extschema@.idgen_health.counted_since IS 'since when ids are counted; null if they are not';
COMMENT ON COLUMN @extschema@.idgen_health.used_up_on IS 'when none will be left, if they go on to be issued as fast; null if nobody knows';
COMMENT ON COLUMN @extschema@.idgen_health.worker IS 'the worker that refills: running, starting, not running, no slot, or failing with its last error; null if none refills';
COMMENT ON COLUMN @extschema@.idgen_health.problem_kind IS 'the worst problem in one word, which does not change; null if there is none';
COMMENT ON COLUMN @extschema@.idgen_health.problem IS 'what is wrong, and what to do about it; null if nothing is known to be';
COMMENT ON COLUMN @extschema@.idgen_cache.name IS 'name of the id sequence';
COMMENT ON COLUMN @extschema@.idgen_cache.first_id IS 'the id that is drawn from the block next';
COMMENT ON COLUMN @extschema@.idgen_cache.last_id IS 'the last id of the block';
COMMENT ON COLUMN @extschema@.idgen_cache.state IS 'published: for all sessions; idle: kept until the id sequence is used again; pending: for the current transaction only';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.name IS 'name of the id sequence';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.server IS 'the server that blocks come from; null if it is missing, or the reader may not know';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.last_id IS 'the highest sequence value that was ever received from there; null if none is remembered';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.system_identifier IS 'which database cluster that server was; null if it did not tell';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.timeline IS 'the timeline that it was on; null if it did not tell';
COMMENT ON COLUMN @extschema@.idgen_centre_marks.went_back IS 'how it has gone back; null if it had not when it was asked last';
COMMENT ON COLUMN @extschema@.idgen_server.cache IS 'which cache: that of the server, or of this session';
COMMENT ON COLUMN @extschema@.idgen_server.max_sequences IS 'number of id sequences that the cache has slots for';
COMMENT ON COLUMN @extschema@.idgen_server.sequences IS 'number of id sequences that have a slot';
COMMENT ON COLUMN @extschema@.idgen_server.evictions IS 'how often an id sequence gave its slot to another one';
COMMENT ON COLUMN @extschema@.idgen_server.ids_evicted IS 'cached ids that became a gap because there was no room for idle id sequences';
COMMENT ON COLUMN @extschema@.idgen_server.ids_lost IS 'ids_lost of the id sequences that gave way or were deleted, and of idle ones';
COMMENT ON COLUMN @extschema@.idgen_server.ids_uncached IS 'ids that became a gap because the cache had no room for their id sequence';
COMMENT ON COLUMN @extschema@.idgen_server.max_idle_sequences IS 'number of id sequences that the cache can keep besides while they are idle';
COMMENT ON COLUMN @extschema@.idgen_server.idle_sequences IS 'number of id sequences that the cache keeps so';
COMMENT ON COLUMN @extschema@.idgen_server.idle_ids IS 'cached ids of these';
COMMENT ON COLUMN @extschema@.idgen_server.node_setting IS 'idgen.node_id: a number, or auto';
COMMENT ON COLUMN @extschema@.idgen_server.node_id IS 'the node number that ids get now; null if there is none';
COMMENT ON COLUMN @extschema@.idgen_server.node_leased_until IS 'when this server gives the number up unless it can renew the lease; null if it is not leased';
COMMENT ON COLUMN @extschema@.idgen_server.node_renewed_at IS 'when the lease was renewed last; null if it was not since the server was started';
COMMENT ON COLUMN @extschema@.idgen_server.node_failing_since IS 'since when the lease cannot be renewed; null if it can';
COMMENT ON COLUMN @extschema@.idgen_server.node_problem IS 'why it cannot be renewed, for superusers and members of pg_monitor; null if it can';
COMMENT ON COLUMN @extschema@.idgen_columns.relation IS 'the table';
COMMENT ON COLUMN @extschema@.idgen_columns.column_name IS 'the column';
COMMENT ON COLUMN @extschema@.idgen_columns.type IS 'its type';
COMMENT ON COLUMN @extschema@.idgen_columns.kind IS 'serial, identity, nextval, idgen, or owned: how it draws';
COMMENT ON COLUMN @extschema@.idgen_columns.draws_from IS 'the native sequence or id sequence; null if its name is no constant';
COMMENT ON COLUMN @extschema@.idgen_columns.last_value IS 'the last value that was drawn, or that a block holds; null if there is none, or it is not known';
COMMENT ON COLUMN @extschema@.idgen_columns.limit_value IS 'the last value that there can be';
COMMENT ON COLUMN @extschema@.idgen_columns.limited_by IS 'what sets that limit';
COMMENT ON COLUMN @extschema@.idgen_columns.percent_used IS 'percentage of the values up to the limit that are drawn, or held by blocks; null if not known';
COMMENT ON COLUMN @extschema@.idgen_columns.adoptable IS 'would idgen_adopt accept the column?';

--
-- What becomes of an id sequence when its column is dropped, or gets another
-- type. The triggers come last, so that they do not fire for this script. They
-- are fired "always", like those on the table.
--

CREATE FUNCTION @extschema@.idgen_columns_dropped() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'idgen_columns_dropped' LANGUAGE C;
CREATE FUNCTION @extschema@.idgen_columns_altered() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'idgen_columns_altered' LANGUAGE C;

COMMENT ON FUNCTION @extschema@.idgen_columns_dropped() IS 'internal: event trigger that deletes the rows of dropped columns';
COMMENT ON FUNCTION @extschema@.idgen_columns_altered() IS 'internal: event trigger that adapts max_value to a column''s new type';

CREATE EVENT TRIGGER idgen_columns_dropped ON sql_drop
	EXECUTE FUNCTION @extschema@.idgen_columns_dropped();
CREATE EVENT TRIGGER idgen_columns_altered ON ddl_command_end
	WHEN TAG IN ('ALTER TABLE', 'ALTER FOREIGN TABLE', 'ALTER TYPE')
	EXECUTE FUNCTION @extschema@.idgen_columns_altered();

ALTER EVENT TRIGGER idgen_columns_dropped ENABLE ALWAYS;
ALTER EVENT TRIGGER idgen_columns_altered ENABLE ALWAYS;

-- The bodies of functions name the schema.
CREATE FUNCTION @extschema@.idgen_schema_altered() RETURNS event_trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF to_regnamespace('@extschema@') IS NULL THEN
		RAISE 'cannot rename schema % because it has extension "idgen"', '@extschema@'
			USING ERRCODE = 'feature_not_supported';
	END IF;
END
$$;

COMMENT ON FUNCTION @extschema@.idgen_schema_altered() IS 'internal: event trigger that keeps the schema of the extension from being renamed';

CREATE EVENT TRIGGER idgen_schema_altered ON ddl_command_end
	WHEN TAG IN ('ALTER SCHEMA')
	EXECUTE FUNCTION @extschema@.idgen_schema_altered();

ALTER EVENT TRIGGER idgen_schema_altered ENABLE ALWAYS;

--
-- Rights. At first all that there is belongs to its owner alone, whatever
-- default privileges give or take. Then each object gets what it is for.
--

DO $$
DECLARE
	command text;
BEGIN
	FOR command IN
		WITH members AS (
			SELECT objid, classid, (pg_identify_object(classid, objid, 0)).identity FROM pg_depend
				WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND
					refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen')),
		objects AS (
			SELECT 'TABLE' AS kind, identity, relacl AS acl, relowner AS owner
				FROM members JOIN pg_class ON classid = 'pg_class'::regclass AND objid = oid
			UNION ALL SELECT 'FUNCTION', identity, coalesce(proacl, acldefault('f', proowner)), proowner
				FROM members JOIN pg_proc ON classid = 'pg_proc'::regclass AND objid = oid
			UNION ALL SELECT 'TYPE', identity, coalesce(typacl, acldefault('T', typowner)), typowner
				FROM members JOIN pg_type ON classid = 'pg_type'::regclass AND objid = oid)
		SELECT DISTINCT format('REVOKE ALL ON %s %s FROM %s', kind, identity,
				CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
			FROM objects, aclexplode(acl) WHERE grantee <> owner
		UNION ALL SELECT format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', identity)
			FROM members JOIN pg_proc ON classid = 'pg_proc'::regclass AND objid = oid
			WHERE prorettype <> ALL ('{trigger, event_trigger}'::regtype[]) AND
				proname <> ALL ('{idgen_next_support, idgen_fdw_validator, idgen_stats_reset,
					idgen_lease_node, idgen_reserve_node}')
		ORDER BY 1 DESC -- REVOKE before GRANT
	LOOP
		EXECUTE command;
	END LOOP;
END
$$;

GRANT USAGE ON TYPE @extschema@.idgen_column TO PUBLIC;

-- A role that may read a row may draw from it.
GRANT SELECT ON @extschema@.id_sequences TO PUBLIC;

GRANT SELECT ON @extschema@.idgen_stats, @extschema@.idgen_health, @extschema@.idgen_cache, @extschema@.idgen_server, @extschema@.idgen_columns, @extschema@.idgen_centre_marks TO PUBLIC;

-- The table has only hashes of tokens in it, and is dumped by the owner of the
-- database. Nobody else reads idgen_leases, which has the tokens, and
-- idgen_keys.
GRANT SELECT ON @extschema@.idgen_node_numbers, @extschema@.idgen_nodes TO pg_monitor, pg_database_owner;
