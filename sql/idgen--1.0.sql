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
	AS 'MODULE_PATHNAME', 'idgen_version_1_0' LANGUAGE C STRICT STABLE PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.idgen_version() IS 'version of the library that is loaded';

--
-- Columns, as regclass is for tables. The type is that of owned_by below. It
-- has operators because the table would else have no equality: audit triggers
-- compare its rows, and logical replication looks for them.
--

CREATE TYPE @extschema@.idgen_column;

CREATE FUNCTION @extschema@.idgen_column_in(cstring) RETURNS @extschema@.idgen_column
	AS 'MODULE_PATHNAME', 'idgen_column_in' LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_out(@extschema@.idgen_column) RETURNS cstring
	AS 'MODULE_PATHNAME', 'idgen_column_out' LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_recv(internal) RETURNS @extschema@.idgen_column
	AS 'MODULE_PATHNAME', 'idgen_column_recv' LANGUAGE C STRICT STABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_column_send(@extschema@.idgen_column) RETURNS bytea
	AS 'MODULE_PATHNAME', 'idgen_column_send' LANGUAGE C STRICT STABLE PARALLEL SAFE;

CREATE TYPE @extschema@.idgen_column (
	INPUT = @extschema@.idgen_column_in,
	OUTPUT = @extschema@.idgen_column_out,
	RECEIVE = @extschema@.idgen_column_recv,
	SEND = @extschema@.idgen_column_send,
	LIKE = int8
);

DO $$
DECLARE
	o record;
BEGIN
	FOR o IN SELECT '@extschema@' AS schema, v.* FROM (VALUES
			('eq', '=', '=', '<>', 'eq', ', MERGES'), ('ne', '<>', '<>', '=', 'neq', ''), ('lt', '<', '>', '>=', 'scalarlt', ''),
			('le', '<=', '>=', '>', 'scalarle', ''), ('gt', '>', '<', '<=', 'scalargt', ''), ('ge', '>=', '<=', '<', 'scalarge', ''))
		AS v (name, operator, commutator, negator, selectivity, more)
	LOOP
		EXECUTE format('CREATE FUNCTION %1$s.idgen_column_%2$s(%1$s.idgen_column, %1$s.idgen_column) RETURNS boolean
			AS %3$L LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF', o.schema, o.name, 'int8' || o.name);
		EXECUTE format('CREATE OPERATOR %1$s.%3$s (FUNCTION = %1$s.idgen_column_%2$s, LEFTARG = %1$s.idgen_column, RIGHTARG = %1$s.idgen_column,
			COMMUTATOR = OPERATOR(%1$s.%4$s), NEGATOR = OPERATOR(%1$s.%5$s), RESTRICT = %6$ssel, JOIN = %6$sjoinsel%7$s)',
			o.schema, o.name, o.operator, o.commutator, o.negator, o.selectivity, o.more);
	END LOOP;
END
$$;

CREATE FUNCTION @extschema@.idgen_column_cmp(@extschema@.idgen_column, @extschema@.idgen_column) RETURNS integer
	AS 'btint8cmp' LANGUAGE internal STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF;

CREATE OPERATOR CLASS @extschema@.idgen_column_ops DEFAULT FOR TYPE @extschema@.idgen_column USING btree AS
	OPERATOR 1 @extschema@.<, OPERATOR 2 @extschema@.<=, OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=, OPERATOR 5 @extschema@.>,
	FUNCTION 1 @extschema@.idgen_column_cmp(@extschema@.idgen_column, @extschema@.idgen_column);

COMMENT ON TYPE @extschema@.idgen_column IS 'column of a table, shown as schema.table.column';

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
	exhausted smallint NOT NULL DEFAULT 0, -- or 1, and nothing else: no CHECK, which would make refills slower
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
	refilled_at timestamptz,
	salt bytea,
	early_release boolean NOT NULL DEFAULT false,
	watermark boolean NOT NULL DEFAULT false
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
COMMENT ON COLUMN @extschema@.id_sequences.pooling IS 'which ids one value of a native sequence stands for: pooled_lo, pooled or hilo';
COMMENT ON COLUMN @extschema@.id_sequences.start_value IS 'where the id sequence began; percentages of its range are counted from here';
COMMENT ON COLUMN @extschema@.id_sequences.owned_by IS 'the column that the id sequence belongs to: the row is deleted when that is dropped';
COMMENT ON COLUMN @extschema@.id_sequences.max_children IS 'how many children a template may have; null for any number';
COMMENT ON COLUMN @extschema@.id_sequences.period IS 'year, month or day: numbers start anew in each, and are drawn from a child; null for none';
COMMENT ON COLUMN @extschema@.id_sequences.time_zone IS 'the time zone that decides when a period begins; null for that of idgen.period_time_zone';
COMMENT ON COLUMN @extschema@.id_sequences.format IS 'how idgen_next_text writes an id; null for plain digits';
COMMENT ON COLUMN @extschema@.id_sequences.template IS 'the template or period that the id sequence was made from; null if it was made by hand';
COMMENT ON COLUMN @extschema@.id_sequences.refilled_at IS 'of an id sequence with a template: when a block was allocated from the row last, or when it was made';
COMMENT ON COLUMN @extschema@.id_sequences.salt IS 'with layout scrambled: what makes its key, along with a secret of idgen_secrets';
COMMENT ON COLUMN @extschema@.id_sequences.early_release IS 'of gapless ids: whether the next number is drawn before the commit of the last one is on disk';
COMMENT ON COLUMN @extschema@.id_sequences.watermark IS 'whether idgen_watermark tells readers up to which id none will appear any more';

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

-- What was made from a row goes along when that is renamed; and the children of
-- a row with periods with their names, by which it finds them. Where rows
-- arrive by replication, so do these changes: the trigger is an ordinary one.
CREATE FUNCTION @extschema@.idgen_renamed() RETURNS trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF TG_RELID <> '@extschema@.id_sequences'::regclass THEN
		RAISE 'triggers of idgen do not work on table "%"', TG_TABLE_NAME USING ERRCODE = 'trigger_protocol_violated';
	ELSIF OLD.period IS NOT NULL AND current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE 'a row with periods can be renamed only at isolation level READ COMMITTED' USING ERRCODE = 'active_sql_transaction',
			DETAIL = 'Children that this transaction does not see would stay behind, and their numbers would start anew.';
	ELSIF OLD.period IS NOT NULL AND row_security_active('@extschema@.id_sequences'::regclass) THEN
		RAISE 'permission denied to rename a row with periods in table "id_sequences"' USING ERRCODE = 'insufficient_privilege',
			DETAIL = 'Children that row security hides would stay behind, and their numbers would start anew.';
	END IF;

	-- A template cannot become a row with periods, nor the other way round, and
	-- keep what was made from it. Without children, a role needs no UPDATE on
	-- further columns.
	IF (OLD.name LIKE '%/*') = (NEW.name LIKE '%/*')
		AND EXISTS (SELECT FROM ONLY @extschema@.id_sequences AS c WHERE c.template = OLD.name) THEN
		UPDATE ONLY @extschema@.id_sequences AS c
			SET template = NEW.name,
				name = CASE WHEN regexp_replace(c.name, '/[^/]*$', '') = OLD.name AND OLD.period IS NOT NULL
					THEN NEW.name || substr(c.name, length(OLD.name) + 1) ELSE c.name END
			WHERE c.template = OLD.name;
	END IF;
	RETURN NULL;
END
$$;

CREATE TRIGGER idgen_renamed
	AFTER UPDATE OF name ON @extschema@.id_sequences
	FOR EACH ROW WHEN (NEW.name <> OLD.name) EXECUTE FUNCTION @extschema@.idgen_renamed();

--
-- The secrets that the keys of scrambled ids are made with: one as a rule, and
-- those of other servers that rows have come from. Nobody but the owner may
-- read them; idgen reads and writes them without asking for privileges. No
-- statistics are kept of secrets, since they would hold some. Zeros precede a
-- secret, since messages show the beginning of a value.
--

CREATE TABLE @extschema@.idgen_secrets (
	fingerprint bytea PRIMARY KEY,
	secret bytea NOT NULL,
	CONSTRAINT idgen_secrets_fingerprint_check CHECK (fingerprint = substr(sha256(secret), 1, 8)),
	CONSTRAINT idgen_secrets_secret_check CHECK (length(secret) = 80 AND substr(secret, 1, 48) = decode(repeat('00', 48), 'hex'))
);

ALTER TABLE @extschema@.idgen_secrets ALTER secret SET STATISTICS 0;

COMMENT ON TABLE @extschema@.idgen_secrets IS 'what makes the keys of id sequences with layout scrambled, along with their salts';
COMMENT ON COLUMN @extschema@.idgen_secrets.fingerprint IS 'how salts name the secret: 8 bytes of its SHA-256';
COMMENT ON COLUMN @extschema@.idgen_secrets.secret IS '32 random bytes, behind 48 of zero';

SELECT pg_extension_config_dump('@extschema@.idgen_secrets'::regclass, '');

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

-- A program may write what it has computed from an earlier answer, or have the
-- UPDATE compute it from the old value. The view locks the rows that it reads.
-- So the old value is the newest one either way, and the new one is written as
-- it stands, without losing what others have allocated.
CREATE FUNCTION @extschema@.idgen_by_last_id() RETURNS trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	last_id bigint;
BEGIN
	IF NEW.seq_name IS NULL OR NEW.seq_count IS NULL THEN
		RAISE 'null value in column "%" of view "%"', CASE WHEN NEW.seq_name IS NULL THEN 'seq_name' ELSE 'seq_count' END, TG_TABLE_NAME
			USING ERRCODE = 'not_null_violation';
	ELSIF TG_OP = 'INSERT' THEN
		INSERT INTO @extschema@.id_sequences (name, next_block_start) VALUES (NEW.seq_name, NEW.seq_count + 1);
		RETURN NEW;
	ELSIF NEW.seq_name <> OLD.seq_name THEN
		RAISE 'id sequences cannot be renamed in view "%"', TG_TABLE_NAME
			USING ERRCODE = 'feature_not_supported', HINT = 'Update table "id_sequences".';
	END IF;
	UPDATE ONLY @extschema@.id_sequences AS s
		SET next_block_start = CASE NEW.seq_count WHEN 9223372036854775807 THEN NEW.seq_count ELSE NEW.seq_count + 1 END,
			exhausted = CASE WHEN NEW.seq_count < s.max_value THEN 0 ELSE 1 END
		WHERE s.name = NEW.seq_name
		RETURNING s.max_value INTO last_id;
	IF NOT FOUND THEN
		RETURN NULL;
	ELSIF NEW.seq_count > last_id THEN
		RAISE 'id sequence "%" does not have % consecutive ids left', NEW.seq_name, NEW.seq_count::numeric - OLD.seq_count
			USING ERRCODE = 'sequence_generator_limit_exceeded', DETAIL = format('Its last id is %s.', last_id);
	END IF;
	RETURN NEW;
END
$$;

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
	AS 'MODULE_PATHNAME', 'idgen_next_support' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE SUPPORT @extschema@.idgen_next_support;

-- What the support function puts in its place in column defaults of COPY. The
-- label STABLE has COPY store rows in batches; see src/sql/hooks.c. SQL
-- cannot make an argument of type internal, so nobody calls it by name.
CREATE FUNCTION @extschema@.idgen_next_in_copy(name text, internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_in_copy' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next(name text, source text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_next_from' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_big(name text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_big(name text, source text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_next_big' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next_text(name text) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_text(name text, at date) RETURNS text
	AS 'MODULE_PATHNAME', 'idgen_next_text' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_text_value(name text, text_id text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_text_value' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_next_range(name text, n bigint, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_next_range(name text, n bigint, source text, OUT first_id bigint, OUT last_id bigint) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_next_range' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_last(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_last' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_wait_durable() RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_wait_durable' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
CREATE FUNCTION @extschema@.idgen_watermark(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_watermark' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_peek(name text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_peek' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_next(text) IS 'next id of an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_next(text, text) IS 'next id of an id sequence with that source';
COMMENT ON FUNCTION @extschema@.idgen_next_big(text) IS 'next id of an id sequence, plus its big_base';
COMMENT ON FUNCTION @extschema@.idgen_next_big(text, text) IS 'next id of an id sequence with that source, plus its big_base';
COMMENT ON FUNCTION @extschema@.idgen_next_text(text) IS 'next id of an id sequence, as its format writes it';
COMMENT ON FUNCTION @extschema@.idgen_next_text(text, date) IS 'next id of an id sequence, as its format writes it with that date';
COMMENT ON FUNCTION @extschema@.idgen_text_value(text, text) IS 'the id that a text id of an id sequence was written for';
COMMENT ON FUNCTION @extschema@.idgen_next_range(text, bigint) IS 'next n ids of an id sequence, consecutive';
COMMENT ON FUNCTION @extschema@.idgen_next_range(text, bigint, text) IS 'next n ids of an id sequence with that source, consecutive';
COMMENT ON FUNCTION @extschema@.idgen_wait_durable() IS 'wait until all that this transaction could have seen is on disk, and at synchronous standbys';
COMMENT ON FUNCTION @extschema@.idgen_last(text) IS 'the id that this session drew last from an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_watermark(text) IS 'the id up to which none will appear any more: ask before the query that reads the rows';
COMMENT ON FUNCTION @extschema@.idgen_peek(text) IS 'the id that would be issued next, without drawing it';

--
-- The number of a row is drawn when its transaction commits: then it locks the
-- row of id_sequences for the commit only, and numbers ascend in the order of
-- commits. All runs with the rights of whoever writes the table, as any trigger
-- on it does.
--

-- A number for a row, from the id sequence whose name the pattern says, with
-- values of the row in the place of {column}.
CREATE FUNCTION @extschema@.idgen_next_by_row(pattern text, written jsonb, is_text boolean, date_column text) RETURNS text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	name text := '';
	rest text := idgen_next_by_row.pattern;
	part text[];
BEGIN
	LOOP
		part := regexp_match(rest, '^([^{}]*)[{]([^{}]*)[}](.*)$');
		EXIT WHEN part IS NULL;
		IF NOT idgen_next_by_row.written ? part[2] THEN
			RAISE 'column "%" of pattern "%" does not exist', part[2], idgen_next_by_row.pattern USING ERRCODE = 'undefined_column';
		ELSIF idgen_next_by_row.written ->> part[2] IS NULL THEN
			RAISE 'column "%" of pattern "%" is null', part[2], idgen_next_by_row.pattern USING ERRCODE = 'null_value_not_allowed',
				DETAIL = 'So the row belongs to no id sequence.', HINT = 'Leave such rows out by a WHEN clause of the trigger.';
		END IF;
		name := name || part[1] || (idgen_next_by_row.written ->> part[2]);
		rest := part[3];
	END LOOP;
	name := name || rest;
	IF NOT idgen_next_by_row.is_text THEN
		RETURN @extschema@.idgen_next(name::text);
	ELSIF idgen_next_by_row.date_column IS NULL THEN
		RETURN @extschema@.idgen_next_text(name::text);
	ELSIF idgen_next_by_row.written ->> idgen_next_by_row.date_column IS NULL THEN
		RAISE 'column "%" of id sequence "%" must not be null', idgen_next_by_row.date_column, name USING ERRCODE = 'null_value_not_allowed',
			DETAIL = 'It decides which period the number is of.';
	END IF;
	RETURN @extschema@.idgen_next_text(name::text, (idgen_next_by_row.written ->> idgen_next_by_row.date_column)::date);
END
$$;

-- The UPDATE that numbers a row, or the query whether it is there and has no
-- number. Where a row has been changed since, they look at its last version.
-- Nobody else can have changed it, but the transaction may have deleted it.
CREATE FUNCTION @extschema@.idgen_number_command(relation pg_catalog.oid, version pg_catalog.tid, arguments pg_catalog.text[], to_check pg_catalog.bool) RETURNS text
	LANGUAGE plpgsql STRICT VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	table_name text := (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.oid = idgen_number_command.relation); -- also of a temporary table, which regclass would not show with its schema
	number_column name := idgen_number_command.arguments[0];
	number_type text; -- that the number is made; the server then fits it into the column
	is_text boolean;
BEGIN
	SELECT k.is_text, CASE WHEN k.is_text THEN 'pg_catalog.text' ELSE format('%I.%I', n.nspname, t.typname) END INTO is_text, number_type
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
			CROSS JOIN LATERAL (SELECT t.typcategory = 'S' AS is_text) AS k
		WHERE a.attrelid = idgen_number_command.relation AND a.attname = number_column AND a.attnum > 0 AND NOT a.attisdropped;
	IF NOT FOUND THEN
		RAISE 'column "%" of relation "%" does not exist', number_column,
			(SELECT c.relname FROM pg_class AS c WHERE c.oid = idgen_number_command.relation) USING ERRCODE = 'undefined_column';
	ELSIF idgen_number_command.arguments[2] IS NOT NULL AND NOT is_text THEN
		RAISE 'a date decides of text ids only, and column "%" of relation "%" is no text', number_column,
			(SELECT c.relname FROM pg_class AS c WHERE c.oid = idgen_number_command.relation) USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN format(CASE WHEN idgen_number_command.to_check
			THEN 'SELECT true FROM ONLY %1$s AS t'
			ELSE 'UPDATE ONLY %1$s AS t SET %2$I = CAST(%4$s(%5$L::pg_catalog.text, pg_catalog.to_jsonb(t.*), %6$L::pg_catalog.bool, %7$L::pg_catalog.text) AS %8$s)'
		END || ' WHERE t.ctid OPERATOR(pg_catalog.=) %3$L::pg_catalog.tid AND t.%2$I IS NULL' || CASE WHEN idgen_number_command.to_check THEN '' ELSE ' RETURNING true' END,
		table_name, number_column, currtid2(table_name, idgen_number_command.version), '@extschema@.idgen_next_by_row'::regproc,
		idgen_number_command.arguments[1], is_text, idgen_number_command.arguments[2], number_type);
END
$$;

-- Triggers and policies of the table run with the search_path of the session,
-- as in any UPDATE. So this function sets none, and names all that it uses with
-- its schema.
CREATE FUNCTION @extschema@.idgen_number_at_commit() RETURNS trigger
	LANGUAGE plpgsql
AS $$
DECLARE
	done pg_catalog.bool;
BEGIN
	IF TG_LEVEL OPERATOR(pg_catalog.<>) 'ROW'::pg_catalog.text OR TG_WHEN OPERATOR(pg_catalog.<>) 'AFTER'::pg_catalog.text OR
		TG_OP OPERATOR(pg_catalog.=) 'DELETE'::pg_catalog.text OR TG_NARGS OPERATOR(pg_catalog.<) 2 OR TG_NARGS OPERATOR(pg_catalog.>) 3 THEN
		RAISE 'function "idgen_number_at_commit" must be fired AFTER INSERT OR UPDATE, FOR EACH ROW, with two or three arguments'
			USING ERRCODE = 'trigger_protocol_violated', HINT = 'CREATE CONSTRAINT TRIGGER ... DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION '
				'@extschema@.idgen_number_at_commit(column, name of the id sequence [, column of a date])';
	END IF;
	EXECUTE @extschema@.idgen_number_command(TG_RELID::pg_catalog.oid, NEW.ctid::pg_catalog.tid, TG_ARGV::pg_catalog.text[], false::pg_catalog.bool) INTO done;
	IF done IS NULL THEN
		EXECUTE @extschema@.idgen_number_command(TG_RELID::pg_catalog.oid, NEW.ctid::pg_catalog.tid, TG_ARGV::pg_catalog.text[], true::pg_catalog.bool) INTO done;
		IF done THEN
			RAISE 'column "%" of relation "%" was not set', TG_ARGV[0], TG_TABLE_NAME USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Row security, or a trigger, keeps the row as it is.';
		END IF;
	END IF;
	RETURN NULL;
END
$$;

COMMENT ON FUNCTION @extschema@.idgen_number_at_commit() IS 'constraint trigger: number a row when its transaction commits';

--
-- Numbers that are missing, for auditors
--

-- For each gap the child, the first and the last number. What is not given is
-- empty.
CREATE FUNCTION @extschema@.idgen_gaps_in(relation oid, column_name name, child_column name, name text, format text, period text,
	OUT child text, OUT first_missing bigint, OUT last_missing bigint
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_gaps_in' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

CREATE FUNCTION @extschema@.idgen_gaps(relation regclass, column_name name, child_column name DEFAULT NULL, name text DEFAULT NULL)
	RETURNS TABLE (child text, first_missing bigint, last_missing bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	format text := '';
	period text := '';
BEGIN
	IF idgen_gaps.relation IS NULL OR idgen_gaps.column_name IS NULL THEN
		RAISE '% must not be null', CASE WHEN idgen_gaps.relation IS NULL THEN 'relation' ELSE 'column_name' END USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF idgen_gaps.name IS NOT NULL THEN
		SELECT coalesce(s.format, '{id}'), coalesce(s.period, '') INTO format, period
			FROM ONLY @extschema@.id_sequences AS s WHERE s.name = idgen_gaps.name;
		IF NOT FOUND THEN
			RAISE 'id sequence "%" does not exist', idgen_gaps.name USING ERRCODE = 'undefined_object';
		END IF;
	END IF;
	RETURN QUERY SELECT g.child, g.first_missing, g.last_missing
		FROM @extschema@.idgen_gaps_in(idgen_gaps.relation::oid, idgen_gaps.column_name::name, coalesce(idgen_gaps.child_column, '')::name,
			coalesce(idgen_gaps.name, '')::text, format::text, period::text) AS g (child, first_missing, last_missing);
END
$$;

COMMENT ON FUNCTION @extschema@.idgen_gaps(regclass, name, name, text) IS 'numbers that are missing between the first and the last one of each child';

--
-- Taking composed ids apart
--

CREATE FUNCTION @extschema@.idgen_parts(id bigint, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value bigint
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_parts(id numeric, layout text,
	OUT node integer, OUT channel integer, OUT session integer, OUT sequence_value numeric
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_parts_big' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.idgen_parts(bigint, text) IS 'fields of an id as idgen_next composes it';
COMMENT ON FUNCTION @extschema@.idgen_parts(numeric, text) IS 'fields of an id as idgen_next_big composes it';

--
-- The sequence value of a scrambled id, for those who may write the row
--

CREATE FUNCTION @extschema@.idgen_unscramble(name text, id bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unscramble' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_unscramble(text, bigint) IS 'the sequence value of an id of layout scrambled';

--
-- Creating and restarting: with the caller's own privileges
--

-- What is stored of these arguments of idgen_create(). Raises an error for what
-- can be none. Names are looked up by the search_path, and the column is kept
-- from being dropped.
CREATE FUNCTION @extschema@.idgen_new_row(
	name text,
	source text,
	INOUT source_name text,
	INOUT refill text,
	column_name text,
	OUT owned_by text
)
	AS 'MODULE_PATHNAME', 'idgen_new_row' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- The row of that name, as a draw would make it: from that parent or, if it is
-- empty, from the template, or the row with periods, that a draw finds. Null if
-- there is none. A row with periods may be missing as well.
CREATE FUNCTION @extschema@.idgen_child(name text, parent text) RETURNS @extschema@.id_sequences
	AS 'MODULE_PATHNAME', 'idgen_child' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- Make the row as a draw would, but for where it begins: null for where its
-- parent says. False if it is there, or has no parent.
CREATE FUNCTION @extschema@.idgen_insert_child(name text, next_block_start bigint) RETURNS boolean
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	child @extschema@.id_sequences := @extschema@.idgen_child(idgen_insert_child.name::text, ''::text);
BEGIN
	IF child.name IS NULL THEN
		RETURN false;
	ELSIF child.template NOT LIKE '%/*' AND NOT EXISTS (SELECT FROM ONLY @extschema@.id_sequences AS p WHERE p.name = child.template) THEN
		PERFORM @extschema@.idgen_insert_child(child.template::text, NULL::bigint);
	END IF;
	IF idgen_insert_child.next_block_start IS NOT NULL THEN
		child.next_block_start := idgen_insert_child.next_block_start;
		child.start_value := CASE WHEN child.layout <> 'scrambled' THEN least(child.next_block_start, child.start_value) END;
	END IF;
	INSERT INTO @extschema@.id_sequences AS s SELECT child.* ON CONFLICT ON CONSTRAINT id_sequences_pkey DO NOTHING;
	RETURN FOUND;
END
$$;

-- The trigger of the table checks the rest.
CREATE FUNCTION @extschema@.idgen_insert(name text, next_block_start bigint, block_size integer, exhausted integer, max_value bigint, source text, source_name text, refill text, layout text, big_base numeric, pooling text, owned_by text, max_children integer, period text, time_zone text, format text, id_type text, early_release boolean, watermark boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	missing text;
	least_value bigint;
	last_value bigint := 9223372036854775807;
BEGIN
	missing := (SELECT v.argument
		FROM (VALUES ('name', idgen_insert.name), ('next_block_start', idgen_insert.next_block_start::text), ('exhausted', idgen_insert.exhausted::text),
			('source', idgen_insert.source), ('layout', idgen_insert.layout), ('big_base', idgen_insert.big_base::text),
			('pooling', idgen_insert.pooling), ('early_release', idgen_insert.early_release::text),
			('watermark', idgen_insert.watermark::text)) AS v (argument, value)
		WHERE v.value IS NULL LIMIT 1);
	IF missing IS NOT NULL THEN
		RAISE '% must not be null', missing USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF idgen_insert.name LIKE '%/*/%' OR idgen_insert.name ~ '([*]|/%)$' AND idgen_insert.name NOT LIKE '%/*' THEN
		missing := substring(idgen_insert.name FROM '^([^*%]*[^*%/])/*[*%]');
		RAISE 'invalid name "%"', idgen_insert.name
			USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It looks like that of a template, which ends in "/*".',
				HINT = CASE WHEN missing IS NULL THEN 'Begin with what the names have in common, as in "bill/*".' ELSE format('Write "%s/*".', missing) END;
	ELSIF idgen_insert.block_size <= 0 THEN
		RAISE 'block_size must be greater than zero' USING ERRCODE = 'invalid_parameter_value';
	ELSIF idgen_insert.exhausted NOT IN (0, 1) THEN
		RAISE 'exhausted must be 0 or 1' USING ERRCODE = 'invalid_parameter_value';
	ELSIF idgen_insert.max_children <= 0 THEN
		RAISE 'max_children must be greater than zero' USING ERRCODE = 'invalid_parameter_value';
	ELSIF idgen_insert.big_base = 'NaN' OR idgen_insert.big_base <> trunc(idgen_insert.big_base) THEN
		RAISE 'big_base must be a whole number' USING ERRCODE = 'invalid_parameter_value';
	ELSIF idgen_insert.max_value IS NOT NULL AND idgen_insert.id_type IS NOT NULL THEN
		RAISE 'max_value and id_type cannot be given both' USING ERRCODE = 'invalid_parameter_value';
	ELSIF idgen_insert.owned_by IS NOT NULL AND idgen_insert.name LIKE '%/*' THEN
		RAISE 'a template cannot belong to a column' USING ERRCODE = 'wrong_object_type', DETAIL = 'It has no ids.';
	END IF;

	-- a number of JavaScript is a double: it tells all integers apart up to
	-- Number.MAX_SAFE_INTEGER
	IF idgen_insert.id_type IS NOT NULL THEN
		SELECT v.least_value, v.last_value INTO least_value, last_value
			FROM (VALUES ('smallint', -32768::bigint, 32767::bigint), ('integer', -2147483648, 2147483647),
				('bigint', -9223372036854775808, 9223372036854775807), ('javascript', -9007199254740991, 9007199254740991))
				AS v (type, least_value, last_value)
			WHERE v.type = idgen_insert.id_type;
		IF NOT FOUND THEN
			RAISE 'invalid id_type "%"', idgen_insert.id_type
				USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid values are: smallint, integer, bigint, javascript.';
		ELSIF idgen_insert.next_block_start < least_value THEN
			RAISE 'next_block_start (%) does not fit id_type "%"', idgen_insert.next_block_start, idgen_insert.id_type
				USING ERRCODE = 'invalid_parameter_value', HINT = format('Its least value is %s.', least_value);
		ELSIF idgen_insert.id_type <> 'bigint' AND idgen_insert.layout NOT IN ('plain', 'scrambled') THEN
			RAISE 'ids with layout "%" do not fit id_type "%"', idgen_insert.layout, idgen_insert.id_type
				USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Composed ids have 19 digits.';
		ELSIF idgen_insert.id_type <> 'bigint' AND idgen_insert.source <> 'table' THEN
			RAISE 'id_type "%" needs source "table"', idgen_insert.id_type
				USING ERRCODE = 'invalid_parameter_value', DETAIL = format('With source "%s", max_value does not bound the ids.', idgen_insert.source),
					HINT = 'Bound what the ids come from.';
		END IF;
	END IF;
	last_value := coalesce(idgen_insert.max_value, last_value);
	IF idgen_insert.exhausted = 0 AND idgen_insert.next_block_start > last_value THEN
		RAISE 'next_block_start (%) must not be greater than max_value (%)', idgen_insert.next_block_start, last_value
			USING ERRCODE = 'invalid_parameter_value';
	ELSIF NOT has_any_column_privilege('@extschema@.id_sequences'::regclass, 'INSERT') THEN
		RAISE 'permission denied for table id_sequences' USING ERRCODE = 'insufficient_privilege',
			HINT = format('The owner of the table can GRANT INSERT ON %s TO %I.', '@extschema@.id_sequences', current_user);
	END IF;

	-- where no more than the beginning is said, the parent says the rest
	IF ROW(idgen_insert.block_size, idgen_insert.exhausted, idgen_insert.max_value, idgen_insert.source, idgen_insert.source_name,
			idgen_insert.refill, idgen_insert.layout, idgen_insert.big_base, idgen_insert.pooling, idgen_insert.owned_by,
			idgen_insert.max_children, idgen_insert.period, idgen_insert.time_zone, idgen_insert.format, idgen_insert.id_type,
			idgen_insert.early_release, idgen_insert.watermark)
		IS NOT DISTINCT FROM ROW(NULL::integer, 0, NULL::bigint, 'table', NULL::text, current_setting('idgen.default_refill'), 'plain', 0::numeric, 'pooled_lo',
			NULL::text, NULL::integer, NULL::text, NULL::text, NULL::text, NULL::text, false, false) THEN
		-- Where another transaction makes the extension anew, this waits for
		-- it. It reads no row: a serializable transaction would be in the way
		-- of refills.
		PERFORM s.name FROM ONLY @extschema@.id_sequences AS s LIMIT 0;
		IF @extschema@.idgen_insert_child(idgen_insert.name::text, nullif(idgen_insert.next_block_start, 1)::bigint) THEN
			RETURN;
		END IF;
	END IF;

	INSERT INTO @extschema@.id_sequences AS s (name, next_block_start, block_size, exhausted, max_value, source, source_name,
			refill, layout, big_base, pooling, owned_by, max_children, period, time_zone, format, early_release, watermark)
		VALUES (idgen_insert.name, idgen_insert.next_block_start,
			coalesce(idgen_insert.block_size, current_setting('idgen.default_block_size')::integer), idgen_insert.exhausted, last_value,
			idgen_insert.source, idgen_insert.source_name, idgen_insert.refill, idgen_insert.layout, idgen_insert.big_base, idgen_insert.pooling,
			idgen_insert.owned_by::@extschema@.idgen_column, idgen_insert.max_children, idgen_insert.period, idgen_insert.time_zone, idgen_insert.format,
			idgen_insert.early_release, idgen_insert.watermark)
		ON CONFLICT ON CONSTRAINT id_sequences_pkey DO NOTHING;
	IF NOT FOUND THEN
		RAISE 'id sequence "%" already exists', idgen_insert.name USING ERRCODE = 'duplicate_object';
	END IF;
END
$$;

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
	id_type text DEFAULT NULL,
	early_release boolean DEFAULT false,
	watermark boolean DEFAULT false
) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.idgen_insert(name, next_block_start, block_size, exhausted, max_value, source, n.source_name, n.refill, layout, big_base, pooling, n.owned_by, max_children, period, time_zone, format, id_type, early_release, watermark)
	FROM @extschema@.idgen_new_row(name, source, source_name, refill, owned_by) AS n;
END;

-- What is to be known of an id sequence to move it. The child of a template is
-- made. With "lock", its native sequence is locked, and tells what it gives
-- next. Without, all is null if there is no row, and none that it would be made
-- from.
CREATE FUNCTION @extschema@.idgen_look(
	search_path text, -- of whoever has called
	function text, -- that was called
	name text,
	source text, -- that it must have, or null
	lock boolean,
	last_id bigint, -- or null
	OUT has_row boolean,
	OUT found_source text,
	OUT owner oid, -- of the column that it belongs to
	OUT native oid,
	OUT by_path boolean, -- has the search_path led to the native sequence?
	OUT step integer, -- of the ids: 1 or -1
	OUT next bigint, -- id that the native sequence gives
	OUT cache_lies_behind boolean -- do cached ids lie behind the last one?
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_look' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- Drop what is cached of a row when the transaction commits.
CREATE FUNCTION @extschema@.idgen_drop_cached(name text) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_drop_cached' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- setval(), but when the transaction commits, or not at all.
CREATE FUNCTION @extschema@.idgen_start_sequence(sequence oid, value bigint, is_called boolean) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_start_sequence' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- What a native sequence has to say so that "start" is the next id. The value
-- is null if the sequence has no such id.
--
-- With pooled, the value that any program draws next stands for ids before it.
-- So the value before that one has to be right before "start". If the sequence
-- has none of the two, "start" becomes its first value. With hilo, "next" is
-- where the first block begins that has all its ids at "start" or behind it.
CREATE FUNCTION @extschema@.idgen_native_start(
	sequence oid,
	pooling text,
	block_size integer,
	max_value bigint,
	start numeric,
	OUT value bigint,
	OUT is_called boolean,
	OUT next bigint,
	OUT first_id numeric,
	OUT last_id numeric
) RETURNS record
	LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN v.fits THEN v.value END::bigint, v.is_called, CASE WHEN v.fits THEN v.next END::bigint, v.first_id, v.last_id
	FROM (
		SELECT n.value, n.is_called, n.next, i.first_id, i.last_id,
			n.value BETWEEN q.seqmin AND q.seqmax AND n.next BETWEEN -9223372036854775808 AND i.last_id AS fits
		FROM pg_sequence AS q
			CROSS JOIN LATERAL (SELECT CASE pooling WHEN 'hilo' THEN CASE q.seqincrement WHEN 1 THEN block_size ELSE q.seqincrement END END::numeric AS ids) AS b
			CROSS JOIN LATERAL (SELECT CASE WHEN start > 1 THEN div(start - 2, b.ids) + 2 ELSE div(start - 1, b.ids) + 1 END AS number,
				coalesce(pooling = 'pooled' AND start > q.seqmin AND start - 1 + q.seqincrement <= q.seqmax, false) AS is_called) AS w
			CROSS JOIN LATERAL (SELECT coalesce(w.number, start - w.is_called::integer) AS value, w.is_called,
				coalesce((w.number - 1) * b.ids + 1, start) AS next) AS n
			CROSS JOIN LATERAL (SELECT coalesce((q.seqmin - 1::numeric) * b.ids + 1, q.seqmin) AS first_id,
				CASE WHEN b.ids IS NULL THEN q.seqmax ELSE least(q.seqmax * b.ids, max_value) END AS last_id) AS i
		WHERE q.seqrelid = sequence
	) AS v;
END;

CREATE FUNCTION @extschema@.idgen_restart_at(name text, start bigint, search_path text) RETURNS void
	LANGUAGE plpgsql STRICT VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	held record;
	said record;
	native record;
	value bigint := idgen_restart_at.start;
	last_value bigint;
BEGIN
	SELECT h.* INTO held FROM @extschema@.idgen_look(idgen_restart_at.search_path::text, 'idgen_restart()'::text, idgen_restart_at.name::text,
		NULL::text, true::boolean, NULL::bigint) AS h;
	IF held.found_source <> 'table' AND held.native IS NULL THEN
		RAISE 'id sequence "%" with source "%" cannot be restarted', idgen_restart_at.name, held.found_source
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Restart what its ids come from. Then delete its row and insert it again, to drop the cached ids.';
	END IF;
	SELECT s.layout, s.pooling, s.block_size, s.max_value INTO said FROM ONLY @extschema@.id_sequences AS s WHERE s.name = idgen_restart_at.name;

	-- An id stands for its sequence value. The two cannot be mistaken for each
	-- other; scrambled ids could be, so there it is the sequence value.
	IF said.layout NOT IN ('plain', 'scrambled')
		AND value NOT BETWEEN 0 AND (CASE WHEN said.layout LIKE 'session%' THEN 999999999999999 ELSE 99999999999999 END) THEN
		value := (SELECT p.sequence_value FROM @extschema@.idgen_parts(value::bigint, said.layout::text) AS p);
	END IF;

	IF held.native IS NOT NULL THEN
		SELECT n.* INTO native FROM @extschema@.idgen_native_start(held.native::oid, said.pooling::text, said.block_size::integer,
			said.max_value::bigint, value::numeric) AS n;
		IF native.value IS NULL THEN
			RAISE 'start (%) is out of bounds for sequence "%" (%..%)', value, (SELECT c.relname FROM pg_class AS c WHERE c.oid = held.native),
				native.first_id, native.last_id USING ERRCODE = 'numeric_value_out_of_range';
		END IF;
		PERFORM @extschema@.idgen_start_sequence(held.native::oid, native.value::bigint, native.is_called::boolean);
		IF native.next <> value THEN
			RAISE NOTICE 'the next id is %, where a block of sequence "%" begins', native.next, (SELECT c.relname FROM pg_class AS c WHERE c.oid = held.native);
		END IF;
		RETURN;
	END IF;

	-- The range goes on to begin where it did, so that percentages say how near
	-- its end is.
	PERFORM @extschema@.idgen_drop_cached(idgen_restart_at.name::text);
	UPDATE ONLY @extschema@.id_sequences AS s SET next_block_start = value, start_value = least(s.start_value, value), exhausted = 0
		WHERE s.name = idgen_restart_at.name RETURNING s.max_value INTO last_value;
	IF NOT FOUND THEN
		RAISE 'id sequence "%" does not exist', idgen_restart_at.name USING ERRCODE = 'undefined_object';
	ELSIF value > last_value THEN
		RAISE 'start (%) must not be greater than max_value (%) of id sequence "%"', value, last_value, idgen_restart_at.name
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Raise max_value first.';
	END IF;
END
$$;

CREATE FUNCTION @extschema@.idgen_restart(name text, start bigint) RETURNS void
	LANGUAGE sql STRICT VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT @extschema@.idgen_restart_at(name, start, current_setting('search_path'));
END;

-- A child may have children in turn, if it draws from one for each period.
CREATE FUNCTION @extschema@.idgen_apply_template(template text) RETURNS bigint
	LANGUAGE plpgsql STRICT VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	is_parent boolean;
	parents text[] := ARRAY[idgen_apply_template.template];
	changed bigint := 0;
	n bigint;
BEGIN
	SELECT p.name LIKE '%/*' OR p.period IS NOT NULL INTO is_parent
		FROM ONLY @extschema@.id_sequences AS p WHERE p.name = idgen_apply_template.template;
	IF NOT FOUND THEN
		RAISE 'id sequence "%" does not exist', idgen_apply_template.template USING ERRCODE = 'undefined_object';
	ELSIF NOT is_parent THEN
		RAISE 'id sequence "%" is no template', idgen_apply_template.template
			USING ERRCODE = 'invalid_parameter_value', HINT = 'The name of a template ends in "/*".';
	END IF;
	WHILE parents <> '{}' LOOP
		UPDATE ONLY @extschema@.id_sequences AS c
			SET block_size = p.block_size, max_value = p.max_value, source = p.source, source_name = p.source_name, refill = p.refill,
				layout = p.layout, big_base = p.big_base, pooling = p.pooling, period = p.period, time_zone = p.time_zone, format = p.format,
				early_release = p.early_release, watermark = p.watermark
			FROM ONLY @extschema@.id_sequences AS m CROSS JOIN LATERAL @extschema@.idgen_child(m.name::text, m.template::text) AS p
			WHERE m.template = ANY (parents) AND c.name = p.name AND
				(c.block_size, c.max_value, c.source, c.source_name, c.refill, c.layout, c.big_base, c.pooling, c.period, c.time_zone, c.format, c.early_release, c.watermark)
				IS DISTINCT FROM (p.block_size, p.max_value, p.source, p.source_name, p.refill, p.layout, p.big_base, p.pooling, p.period, p.time_zone, p.format, p.early_release, p.watermark);
		GET DIAGNOSTICS n = ROW_COUNT;
		changed := changed + n;
		parents := ARRAY(SELECT c.name FROM ONLY @extschema@.id_sequences AS c WHERE c.template = ANY (parents) AND c.period IS NOT NULL);
	END LOOP;
	RETURN changed;
END
$$;

COMMENT ON FUNCTION @extschema@.idgen_create(text, bigint, integer, integer, bigint, text, text, text, text, numeric, text, text, integer, text, text, text, text, boolean, boolean)
	IS 'create an id sequence';
COMMENT ON FUNCTION @extschema@.idgen_restart(text, bigint) IS 'start an id sequence again at a given id';
COMMENT ON FUNCTION @extschema@.idgen_apply_template(text) IS 'have the children of a template say what it says now';

--
-- Time-ordered ids: no table, no privilege
--

CREATE FUNCTION @extschema@.idgen_unique_id() RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unique_id' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_id_parts(
	id bigint,
	OUT created_at timestamptz,
	OUT node integer,
	OUT counter integer
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_unique_id_parts' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION @extschema@.idgen_unique_id_min(created_at timestamptz) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_unique_id_min' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid() RETURNS uuid
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid' LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid_min(created_at timestamptz) RETURNS uuid
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid_min' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_unique_uuid_created_at(id uuid) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'idgen_unique_uuid_created_at' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

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
	AS 'MODULE_PATHNAME', 'idgen_fdw_validator' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

CREATE FOREIGN DATA WRAPPER idgen_fdw VALIDATOR @extschema@.idgen_fdw_validator;

--
-- What is remembered of them: a row for each id sequence there, and one for the
-- server itself. The library writes into rows where they stand, so all columns
-- have a fixed length but the name, which comes last. Nothing else may write
-- them, nor may they have an index on other columns than these.
--

CREATE TABLE @extschema@.idgen_marks (
	last_id bigint NOT NULL, -- of an id sequence: the highest id received
	system_identifier bigint NOT NULL, -- of a server: which cluster it was; 0 if it does not tell
	back_shown_by bigint NOT NULL, -- what it would give next; or its system identifier, or timeline
	back_since timestamptz NOT NULL,
	made_at timestamptz NOT NULL,
	own_system bigint NOT NULL, -- where server_oid has a meaning: in this cluster,
	own_database oid NOT NULL, -- and in this database
	server_oid oid NOT NULL,
	timeline integer NOT NULL, -- of a server; 0 if it does not tell
	setbacks integer NOT NULL, -- how often the server was seen to have become another one; those stepped over
	accepted integer NOT NULL, -- of a server: how often idgen_accept_centre() was called
	back_how smallint NOT NULL, -- how it has gone back: 1 system, 2 timeline, 3 block, 4 earlier; 0 if it has not
	known boolean NOT NULL, -- of an id sequence: has last_id a meaning?
	server name NOT NULL, -- by which it is found elsewhere, as after a restore
	name text COLLATE "C" NOT NULL, -- of the id sequence there; empty for the server itself
	PRIMARY KEY (name, made_at)
) USING heap;

COMMENT ON TABLE @extschema@.idgen_marks IS 'what was received from other servers; see view idgen_centre_marks';

SELECT pg_extension_config_dump('@extschema@.idgen_marks'::regclass, '');

-- Rows that SQL brings. One that arrives by replication is left out, since what
-- other nodes have received does not count here. One that is restored may be
-- of a server that has been made anew: its name counts.
CREATE FUNCTION @extschema@.idgen_mark_inserted() RETURNS trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF TG_RELID <> '@extschema@.idgen_marks'::regclass THEN
		RAISE 'triggers of idgen do not work on table "%"', TG_TABLE_NAME USING ERRCODE = 'trigger_protocol_violated';
	ELSIF current_setting('session_replication_role') = 'replica' THEN
		RETURN NULL;
	END IF;
	NEW.own_database := 0;
	RETURN NEW;
END
$$;

CREATE TRIGGER idgen_mark_inserted
	BEFORE INSERT ON @extschema@.idgen_marks
	FOR EACH ROW EXECUTE FUNCTION @extschema@.idgen_mark_inserted();

ALTER TABLE @extschema@.idgen_marks ENABLE ALWAYS TRIGGER idgen_mark_inserted;

-- What is remembered is not a matter of transactions, and whoever owns a server
-- may have it forgotten.
CREATE FUNCTION @extschema@.idgen_accept_centre(server name, name text DEFAULT NULL) RETURNS bigint
	AS 'MODULE_PATHNAME', 'idgen_accept_centre' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_accept_centre(name, text) IS 'accept a server as it is now: forget which ids it has given before';
COMMENT ON FOREIGN DATA WRAPPER idgen_fdw IS 'servers that id sequences allocate blocks from';

--
-- Node numbers. At the centre, a row for each number that is taken, and a
-- function that servers call to lease one. Each server that leases keeps, in
-- its own table, what it has to show for the next time.
--

CREATE TABLE @extschema@.idgen_node_numbers (
	number integer PRIMARY KEY
		CONSTRAINT idgen_node_numbers_number_check CHECK (number >= 0 AND number <= 1023),
	holder bytea, -- hash of what names the start of the server that has it; null if it is free
	token bytea, -- hash of what the holder shows when it next renews the lease
	previous_token bytea, -- hash of what it has shown the last time
	renewals bigint NOT NULL DEFAULT 0, -- how often the number has been leased or renewed
	system_identifier bigint, -- what the rest says stands at view idgen_nodes
	data_directory text,
	address inet,
	taken_at timestamptz,
	renewed_at timestamptz,
	leased_until timestamptz,
	used_until timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
	reserved_for text
);

COMMENT ON TABLE @extschema@.idgen_node_numbers IS 'at the centre: the node numbers that servers have';

SELECT pg_extension_config_dump('@extschema@.idgen_node_numbers'::regclass, 'WHERE number <> 0');

CREATE TABLE @extschema@.idgen_leases (
	number integer PRIMARY KEY,
	system_identifier bigint NOT NULL, -- of the server that leased it
	place text, -- the start of the machine and the directory that it ran in; null if not known
	holder uuid NOT NULL, -- the start of the server
	token uuid NOT NULL, -- what it shows when it next renews the lease
	renewals bigint NOT NULL, -- how often the centre has leased or renewed the number
	renewed_at timestamptz NOT NULL,
	until_ms bigint NOT NULL, -- when the lease ends, in milliseconds since 1970
	boot_until bigint NOT NULL -- the same in microseconds since the start of the machine
);

COMMENT ON TABLE @extschema@.idgen_leases IS 'node numbers that this server has leased; they are not dumped';

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

-- What the row says of time-ordered ids stays.
CREATE FUNCTION @extschema@.idgen_reserve_node(number integer, reserved_for text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	lease_end timestamptz;
BEGIN
	IF idgen_reserve_node.number IS NULL THEN
		RAISE 'number must not be null' USING ERRCODE = 'null_value_not_allowed';
	ELSIF idgen_reserve_node.number NOT BETWEEN 1 AND 1023 THEN
		RAISE 'node number % is not one that is leased', idgen_reserve_node.number
			USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It must be between 1 and 1023.';
	ELSIF idgen_reserve_node.reserved_for IS NULL THEN
		UPDATE ONLY @extschema@.idgen_node_numbers AS n
			SET holder = NULL, token = NULL, previous_token = NULL, system_identifier = NULL, data_directory = NULL, address = NULL,
				taken_at = NULL, renewed_at = NULL, leased_until = NULL, reserved_for = NULL
			WHERE n.number = idgen_reserve_node.number AND coalesce(n.leased_until <= clock_timestamp(), true);
	ELSE
		INSERT INTO @extschema@.idgen_node_numbers AS n (number, reserved_for) VALUES (idgen_reserve_node.number, idgen_reserve_node.reserved_for)
			ON CONFLICT ON CONSTRAINT idgen_node_numbers_pkey DO UPDATE SET reserved_for = excluded.reserved_for
			WHERE coalesce(n.leased_until <= clock_timestamp(), true);
	END IF;
	IF NOT FOUND THEN
		SELECT n.leased_until INTO lease_end FROM ONLY @extschema@.idgen_node_numbers AS n WHERE n.number = idgen_reserve_node.number;
		IF FOUND THEN
			RAISE 'a server has node number %', idgen_reserve_node.number
				USING ERRCODE = 'object_in_use', DETAIL = format('Its lease ends at %s, unless it is renewed.', lease_end),
					HINT = 'Stop that server, or set its idgen.node_id, and wait until the lease has ended.';
		END IF;
	END IF;
END
$$;

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
-- functions in C tell facts that SQL does not see, the queries judge them. They
-- read the newest rows of id_sequences, whatever the snapshot says, and a
-- serializable transaction gets no conflict from that. Names are looked up by
-- the search_path of whoever reads.
--

-- What is known of an id sequence, by its row and the cache.
CREATE TYPE @extschema@.idgen_fact AS (
	name text,
	broken text, -- why the row cannot be looked at; if so, all else is null
	source text,
	native oid, -- the native sequence that blocks come from
	native_is_current boolean, -- does its name lead to this one, by the search_path?
	object_name text, -- what blocks come from; null for the table
	object_missing boolean,
	usable boolean, -- may the caller draw by what they come from?
	refill text, -- null, like what follows, for a native sequence without a row
	format text,
	template text,
	big_base numeric,
	pooling text,
	block_size integer,
	next_block_start bigint,
	start_value bigint,
	max_value bigint,
	marked_exhausted boolean,
	layout text,
	layout_limit bigint, -- the last value that fits into a composed id
	owner_relation oid,
	owner_attnum smallint,
	child text, -- that a row with periods draws from now
	ids_cached bigint,
	next_cached bigint,
	cache text, -- whose slot has it: "server", "session"; null if none
	prefetch_blocks integer,
	counted_since timestamptz,
	ids_issued bigint,
	ids_lost_changed bigint,
	ids_lost_prepared bigint,
	ids_lost_crowded bigint,
	blocks_taken bigint,
	refills bigint,
	session_refills bigint,
	waits bigint,
	last_refill timestamptz,
	refill_ms_total double precision,
	wait_ms_total double precision,
	worker text,
	failure text,
	centre_last_id bigint, -- that was received from there; to those that may use the server, like what follows
	centre_system bigint,
	centre_timeline bigint,
	went_back_since timestamptz, -- when that was seen
	went_back text,
	went_back_hint text,
	silent_since timestamptz, -- of a server that does not answer
	silent_reason text,
	lease_problem text, -- why the node number cannot be renewed that ids begin with
	holder_pid integer, -- of who keeps a refill waiting; 0 if it is prepared
	holder_xid xid, -- 0 if it has none
	watermark boolean, -- is one kept?
	watermark_known boolean,
	noted_id bigint, -- the least one that a transaction in progress may bring
	noted_pid integer, -- of its session; 0 if it is prepared
	noted_xid xid, -- of a prepared one
	noted_since timestamptz,
	block_starts bigint[], -- cached blocks, to those that may draw them
	block_ends bigint[],
	block_states text[]
);

COMMENT ON TYPE @extschema@.idgen_fact IS 'what is known of an id sequence';

-- Of the id sequences that the cache knows, or of all. Who has no right to look
-- gets none or, if they are required, an error.
CREATE FUNCTION @extschema@.idgen_facts(cached boolean, required boolean) RETURNS SETOF @extschema@.idgen_fact
	AS 'MODULE_PATHNAME', 'idgen_facts' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE ROWS 100;

-- How far an id sequence has got, and how far it can get, in sequence values.
CREATE TYPE @extschema@.idgen_extent AS (
	step integer, -- 1, or -1 if it counts down
	first_value numeric, -- percentages are counted from here
	last_value numeric, -- that a block holds
	next_value numeric, -- that no block holds
	exhausted boolean, -- null if it is not known how far it has got
	limit_value numeric, -- within what its source allows
	limited_by text,
	cycle_end numeric -- where it begins anew
);

COMMENT ON TYPE @extschema@.idgen_extent IS 'how far an id sequence has got, and how far it can get';

-- The last value of a native sequence, and whether nextval() has given it; null
-- if somebody is altering the sequence, or the caller may not know.
CREATE FUNCTION @extschema@.idgen_sequence_state(sequence oid, OUT last_value bigint, OUT is_called boolean) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_sequence_state' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- The extent of a native sequence: of the ids that its values stand for by that
-- pooling or, if this is null, of the values as nextval() gives them. It begins
-- with the first value that the sequence can have, not with START: one that
-- idgen_release() has made starts where ids are by then. One with CYCLE has no
-- end of its own. If values are numbers of blocks, the row says how many ids a
-- block has, and which id is the last.
CREATE FUNCTION @extschema@.idgen_native_extent(sequence oid, pooling text, block_size integer, max_value bigint) RETURNS SETOF @extschema@.idgen_extent
	LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
	SELECT v.step, CASE WHEN v.numbered THEN greatest((v.first - 1) * p.ids + 1, -9223372036854775808) ELSE v.first END,
		CASE WHEN NOT n.is_called THEN NULL WHEN pooling IS NULL THEN n.last_value
			WHEN x.exhausted OR l.cycles AND v.step * (w.last - n.last_value) < v.width THEN e.id ELSE b.id - v.step END,
		CASE WHEN NOT x.exhausted THEN b.id END, x.exhausted,
		CASE WHEN NOT l.cycles THEN e.id END,
		CASE WHEN l.cycles THEN NULL WHEN v.numbered AND e.id = max_value THEN 'max_value' ELSE 'sequence ' || q.title END,
		CASE WHEN l.cycles THEN e.id END
	FROM (VALUES (sequence)) AS asked (sequence)
		LEFT JOIN (SELECT s.*, format('%I.%I', m.nspname, r.relname) AS title
			FROM pg_sequence AS s JOIN pg_class AS r ON r.oid = s.seqrelid JOIN pg_namespace AS m ON m.oid = r.relnamespace) AS q
			ON q.seqrelid = asked.sequence
		LEFT JOIN LATERAL @extschema@.idgen_sequence_state(q.seqrelid) AS n ON true
		CROSS JOIN LATERAL (SELECT coalesce(sign(q.seqincrement)::integer, 1) AS step, abs(q.seqincrement::numeric) AS width,
			coalesce(CASE WHEN q.seqincrement > 0 THEN q.seqmin ELSE q.seqmax END::numeric, 0) AS first, pooling = 'hilo' AS numbered) AS v
		CROSS JOIN LATERAL (SELECT CASE WHEN v.numbered AND v.width = 1 THEN block_size ELSE v.width END::numeric AS ids) AS p

		-- the last value, and the last that it gets to from where it is
		CROSS JOIN LATERAL (SELECT CASE WHEN v.step < 0 THEN q.seqmin WHEN v.numbered THEN least(q.seqmax, ceil(max_value / p.ids))
			ELSE q.seqmax END::numeric AS last) AS w
		CROSS JOIN LATERAL (SELECT q.seqcycle AND (w.last = q.seqmax OR v.step < 0) AS cycles,
			w.last - v.step * mod(greatest(v.step * (w.last - coalesce(n.last_value, q.seqstart)), 0), v.width) AS reached) AS l
		CROSS JOIN LATERAL (SELECT CASE WHEN v.numbered THEN least(l.reached * p.ids, max_value) WHEN pooling = 'pooled' THEN l.reached
			WHEN pooling IS NULL THEN w.last -- a block has 2^59 ids at most
			ELSE v.step * least(v.step * l.reached + least(p.ids, 576460752303423488) - 1, v.step * w.last) END AS id) AS e

		-- the next value, and the first of its ids: of the first value ever,
		-- with "pooled", nobody knows whether those before it are free
		CROSS JOIN LATERAL (SELECT CASE WHEN NOT n.is_called THEN n.last_value
			WHEN v.step * (w.last - n.last_value) >= v.width THEN n.last_value + q.seqincrement::numeric
			WHEN l.cycles THEN v.first END AS next) AS y
		CROSS JOIN LATERAL (SELECT CASE WHEN v.numbered THEN (y.next - 1) * p.ids + 1
			WHEN pooling = 'pooled' AND n.is_called THEN greatest(y.next - p.ids + 1, q.seqmin) ELSE y.next END AS id) AS b
		CROSS JOIN LATERAL (SELECT CASE WHEN n.last_value IS NOT NULL
			THEN y.next IS NULL OR coalesce(v.numbered AND b.id > max_value, false) END AS exhausted) AS x;
END;

-- The extent of an id sequence. The row of source "table" says all of it; with
-- a function or a server, somebody else allocates. Of a template, and of a row
-- with periods, it says where children start.
CREATE FUNCTION @extschema@.idgen_extent_of(f @extschema@.idgen_fact) RETURNS SETOF @extschema@.idgen_extent
	LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
	SELECT n.step, coalesce(t.first, n.first_value),
		coalesce(n.last_value, CASE WHEN t.next > t.first
			THEN t.next - CASE WHEN t.exhausted AND t.next = 9223372036854775807 THEN 0 ELSE 1 END END),
		coalesce(n.next_value, CASE WHEN NOT t.exhausted THEN t.next END), coalesce(t.exhausted, n.exhausted),
		coalesce(n.limit_value, t.max_value), coalesce(n.limited_by, CASE WHEN t.next IS NOT NULL THEN 'max_value' END), n.cycle_end
	FROM @extschema@.idgen_native_extent((f).native, coalesce((f).pooling, 'pooled_lo'), (f).block_size, (f).max_value) AS n
		LEFT JOIN LATERAL (SELECT (f).next_block_start::numeric AS next, least((f).start_value, (f).next_block_start)::numeric AS first,
			(f).marked_exhausted OR (f).next_block_start > (f).max_value AS exhausted, (f).max_value) AS t ON (f).source = 'table';
END;

-- What stands on a table of idgen and must not run when somebody draws.
CREATE FUNCTION @extschema@.idgen_refused_code(relation oid) RETURNS text[]
	AS 'MODULE_PATHNAME', 'idgen_refused_code' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

-- The calls in an expression of nextval() and of functions that draw ids.
CREATE FUNCTION @extschema@.idgen_calls(
	expression pg_node_tree,
	OUT form text, -- nextval, bigint, numeric, or text
	OUT name text,
	OUT source text,
	OUT sequence oid,
	OUT plain boolean -- is the expression this call, and nothing else?
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'idgen_calls' LANGUAGE C STRICT STABLE PARALLEL UNSAFE ROWS 1;

-- The type that a domain is made of, or that of other types themselves; null if
-- it is gone. Anybody can make a long line of domains of domains.
CREATE FUNCTION @extschema@.idgen_base_type(INOUT type oid, INOUT typmod integer) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_base_type' LANGUAGE C STRICT STABLE PARALLEL SAFE;

-- How many digits of which base fit into a text id of that length.
CREATE FUNCTION @extschema@.idgen_text_digits(format text, length integer, OUT digits integer, OUT base integer) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_text_digits' LANGUAGE C STRICT STABLE PARALLEL UNSAFE;

-- The greatest or the least id in a column; text ids are read by their format.
-- Looks are brief, and then find nothing that would take long, or that the
-- caller may not know; free, and then fail at a table that is locked; or wait.
CREATE FUNCTION @extschema@.idgen_column_end(relation oid, attnum smallint, upper boolean, format text, look text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'idgen_column_end_of' LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- A column that draws, and one thing that it draws from.
CREATE TYPE @extschema@.idgen_draw AS (
	relation oid,
	attnum smallint,
	column_name name,
	table_name text, -- with its schema, as it is
	relation_name text, -- the same, as SQL reads it
	title text, -- where it limits something
	owner oid, -- of the table
	declared_type text,
	type oid, -- that a domain is made of
	typmod integer,
	in_table boolean, -- is it a column of a table, and its own?
	is_identity boolean,
	has_default boolean,
	kind text, -- serial, identity, nextval, idgen, or owned
	form text,
	name text, -- of an id sequence
	source text,
	sequence oid,
	sequence_name text, -- if the default gives that by name
	plain boolean,
	inherited boolean -- from a parent that draws from the same?
);

COMMENT ON TYPE @extschema@.idgen_draw IS 'a column, and one thing that it draws from';

-- The columns that draw from anything, once for each thing: by their own
-- defaults, those of their domains, or as identity columns. Of kind "owned" are
-- columns that draw by none of these, though a native sequence belongs to them,
-- or an id sequence: which ones do, the arguments say.
CREATE FUNCTION @extschema@.idgen_draws(names text[], relations oid[], attnums smallint[]) RETURNS SETOF @extschema@.idgen_draw
	LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 1000 SET jit = off
BEGIN ATOMIC
	WITH calls AS MATERIALIZED (
		SELECT d.adrelid AS relation, d.adnum AS attnum, c.form, c.name, c.source, c.sequence, c.plain
		FROM pg_attrdef AS d CROSS JOIN LATERAL @extschema@.idgen_calls(d.adbin) AS c
		UNION ALL
		SELECT a.attrelid, a.attnum, c.form, c.name, c.source, c.sequence, c.plain
		FROM pg_type AS t CROSS JOIN LATERAL @extschema@.idgen_calls(t.typdefaultbin) AS c
			JOIN pg_depend AS u ON u.refclassid = 'pg_type'::regclass AND u.refobjid = t.oid
				AND u.classid = 'pg_class'::regclass AND u.objsubid > 0
			JOIN pg_attribute AS a ON a.attrelid = u.objid AND a.attnum = u.objsubid
				AND a.atttypid = t.oid AND NOT a.atthasdef
			JOIN pg_class AS r ON r.oid = a.attrelid AND r.relkind IN ('r', 'p', 'f')
	), owned AS MATERIALIZED (
		SELECT u.refobjid AS relation, u.refobjsubid::smallint AS attnum, u.objid AS sequence, u.deptype
		FROM pg_sequence AS s JOIN pg_depend AS u ON u.classid = 'pg_class'::regclass AND u.objid = s.seqrelid
			AND u.refclassid = 'pg_class'::regclass AND u.refobjsubid > 0 AND u.deptype IN ('a', 'i')
	), found AS (
		SELECT c.relation, c.attnum,
			CASE WHEN c.form <> 'nextval' THEN 'idgen' WHEN o.sequence IS NULL THEN 'nextval' ELSE 'serial' END AS kind,
			CASE c.form WHEN 'nextval' THEN 'bigint' ELSE c.form END AS form,
			CASE WHEN c.form <> 'nextval' THEN c.name END AS name, c.source, c.sequence,
			CASE c.form WHEN 'nextval' THEN c.name END AS sequence_name, c.plain
		FROM calls AS c LEFT JOIN owned AS o ON o.deptype = 'a' AND o.sequence = c.sequence
			AND o.relation = c.relation AND o.attnum = c.attnum AND c.form = 'nextval'
		UNION ALL
		SELECT o.relation, o.attnum, CASE o.deptype WHEN 'i' THEN 'identity' ELSE 'owned' END, 'bigint',
			NULL, NULL, o.sequence, NULL, true
		FROM owned AS o
		WHERE NOT EXISTS (SELECT FROM calls AS c WHERE o.deptype = 'a' AND c.form = 'nextval'
			AND c.sequence = o.sequence AND c.relation = o.relation AND c.attnum = o.attnum)
		UNION ALL
		SELECT o.relation, o.attnum, 'owned', 'bigint', o.name, NULL, NULL, NULL, true
		FROM unnest(idgen_draws.names, idgen_draws.relations, idgen_draws.attnums) AS o (name, relation, attnum)
		WHERE NOT EXISTS (SELECT FROM calls AS c WHERE c.form <> 'nextval'
			AND c.name = o.name AND c.relation = o.relation AND c.attnum = o.attnum)
	), columns AS MATERIALIZED (
		SELECT row_number() OVER () AS line, f.relation, f.attnum, a.attname, a.attinhcount,
			n.nspname || '.' || r.relname AS table_name, format('%I.%I', n.nspname, r.relname) AS relation_name,
			r.relowner, format_type(a.atttypid, a.atttypmod) AS declared_type,
			r.relkind IN ('r', 'p') AND n.nspname <> 'pg_catalog' AND a.attinhcount = 0 AND a.attgenerated = '' AS in_table,
			a.attidentity <> '' AS is_identity, a.atthasdef OR t.typdefault IS NOT NULL AS has_default,
			coalesce(b.type, a.atttypid) AS type, CASE WHEN b.type IS NULL THEN a.atttypmod ELSE b.typmod END AS typmod,
			f.kind, f.form, f.name, f.source, f.sequence, f.sequence_name, f.plain
		FROM found AS f JOIN pg_class AS r ON r.oid = f.relation
			JOIN pg_namespace AS n ON n.oid = r.relnamespace AND NOT pg_is_other_temp_schema(n.oid)
			JOIN pg_attribute AS a ON a.attrelid = f.relation AND a.attnum = f.attnum AND NOT a.attisdropped
			JOIN pg_type AS t ON t.oid = a.atttypid
			CROSS JOIN LATERAL @extschema@.idgen_base_type(CASE t.typtype WHEN 'd' THEN t.oid END, a.atttypmod) AS b
	), parents AS MATERIALIZED ( -- lest columns that have the same name are joined first
		SELECT c.line, i.inhparent AS relation, c.attname, c.sequence, c.sequence_name, c.name
		FROM columns AS c JOIN pg_inherits AS i ON i.inhrelid = c.relation WHERE c.attinhcount > 0
	), heirs AS (
		SELECT h.line FROM parents AS h JOIN columns AS p ON p.relation = h.relation AND p.attname = h.attname
		WHERE p.sequence IS NOT DISTINCT FROM h.sequence
			AND p.sequence_name IS NOT DISTINCT FROM h.sequence_name AND p.name IS NOT DISTINCT FROM h.name
	)
	SELECT c.relation, c.attnum, c.attname, c.table_name, c.relation_name,
		format('column %s.%I (%s)', c.relation_name, c.attname, format_type(c.type, c.typmod)),
		c.relowner, c.declared_type, c.type, c.typmod, c.in_table, c.is_identity, c.has_default,
		c.kind, c.form, c.name, c.source, c.sequence, c.sequence_name, c.plain,
		c.line IN (SELECT h.line FROM heirs AS h)
	FROM columns AS c;
END;

-- Do columns of a role's tables count for an id sequence that they draw from?
-- Anybody can make a table with such a default: what is in it must not move,
-- exhaust or block what others draw from. So a role counts that may write to
-- the row, or to the native sequence, anyway, or that acts for the owner of the
-- column that the id sequence belongs to.
CREATE FUNCTION @extschema@.idgen_counts(role oid, owner oid, native oid) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE
	RETURN has_table_privilege(role, '@extschema@.id_sequences'::regclass, 'DELETE')
		OR coalesce(pg_has_role(role, owner, 'USAGE'), false) OR coalesce(has_sequence_privilege(role, native, 'UPDATE'), false);

-- Up to which value, in the direction of its step, an id sequence can go on
-- until a column of that type does not hold an id; null for no limit. It is
-- before the first one if the column does not hold ids of that kind.
CREATE FUNCTION @extschema@.idgen_column_limit(e @extschema@.idgen_extent, layout text, big_base numeric, format text, type oid, typmod integer, form text) RETURNS numeric
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	none CONSTANT numeric := e.first_value - e.step;
	greatest_bigint CONSTANT numeric := 9223372036854775807;
	digits integer;
	text_digits record;
	held numeric; -- the greatest number that the column holds
	last numeric;
BEGIN
	CASE idgen_column_limit.type
		WHEN 'smallint'::regtype THEN held := 32767;
		WHEN 'integer'::regtype THEN held := 2147483647;
		WHEN 'bigint'::regtype THEN held := greatest_bigint;
		WHEN 'numeric'::regtype THEN
			IF idgen_column_limit.typmod < 4 THEN
				RETURN NULL;
			END IF;
			digits := (idgen_column_limit.typmod - 4 >> 16 & 65535) - (((idgen_column_limit.typmod - 4 & 2047) # 1024) - 1024);
			held := trunc(10::numeric ^ greatest(digits, 0)) - 1;
		WHEN 'varchar'::regtype, 'bpchar'::regtype THEN
			IF idgen_column_limit.typmod < 4 OR idgen_column_limit.form <> 'text' THEN
				RETURN NULL;
			END IF;
			BEGIN
				text_digits := @extschema@.idgen_text_digits(coalesce(idgen_column_limit.format, '{id}')::text, (idgen_column_limit.typmod - 4)::integer);
			EXCEPTION WHEN invalid_parameter_value THEN
				RETURN NULL; -- the format is one that nobody has checked
			END;
			held := trunc(text_digits.base::numeric ^ least(text_digits.digits, 64)) - 1;
			IF held IS NULL OR held >= greatest_bigint THEN
				RETURN NULL;
			END IF;
		ELSE
			RETURN NULL;
	END CASE;

	-- composed ids have 19 digits, or 38
	IF idgen_column_limit.layout NOT IN ('plain', 'scrambled') THEN
		RETURN CASE WHEN held < CASE idgen_column_limit.form WHEN 'numeric' THEN 10::numeric ^ 38 - 1 ELSE greatest_bigint END THEN none END;
	END IF;

	last := CASE WHEN e.step > 0 THEN held
		WHEN idgen_column_limit.type = 'numeric'::regtype OR idgen_column_limit.form = 'text' THEN -held ELSE -held - 1 END;
	IF idgen_column_limit.form = 'numeric' THEN
		last := floor(last - coalesce(idgen_column_limit.big_base, 0));
	END IF;

	-- scrambled ids lie anywhere from 1 to the limit
	IF idgen_column_limit.layout = 'scrambled' THEN
		RETURN CASE WHEN last < e.limit_value THEN none END;
	ELSIF e.step * (last - e.first_value) < 0 THEN
		last := none;
	ELSIF abs(last) >= greatest_bigint THEN
		IF held > greatest_bigint THEN
			RETURN NULL;
		END IF;
		last := CASE WHEN last > 0 THEN greatest_bigint ELSE -greatest_bigint - 1 END;
	END IF;
	RETURN CASE WHEN e.step * (last - e.cycle_end) >= 0 THEN NULL ELSE last END;
END
$$;

-- The percentage of values from the first one to the limit that no block holds.
CREATE FUNCTION @extschema@.idgen_percent_left(e @extschema@.idgen_extent, limit_value numeric) RETURNS numeric
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN CASE WHEN (e).exhausted OR (e).step * (limit_value - (e).next_value) < 0 THEN 0
		ELSE 100 * ((e).step * (limit_value - (e).next_value) + 1)
			/ greatest((e).step * (limit_value - (e).first_value) + 1, (e).step * (limit_value - (e).next_value) + 1) END;

CREATE FUNCTION @extschema@.idgen_all_columns() RETURNS TABLE (
	relation regclass,
	column_name name,
	type text,
	kind text,
	draws_from text,
	last_value bigint,
	limit_value bigint,
	limited_by text,
	percent_used numeric,
	adoptable boolean
)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 1000 SET jit = off SET enable_nestloop = off
BEGIN ATOMIC
	WITH RECURSIVE facts AS MATERIALIZED (
		SELECT DISTINCT ON (f.name) f.*, e AS extent
		FROM @extschema@.idgen_facts(false, false) AS f CROSS JOIN LATERAL @extschema@.idgen_extent_of(f) AS e
		ORDER BY f.name, f.native_is_current DESC
	), owners AS (
		SELECT array_agg(o.name) AS names, array_agg(o.owner_relation) AS relations, array_agg(o.owner_attnum) AS attnums
		FROM (SELECT DISTINCT f.name, f.owner_relation, f.owner_attnum FROM facts AS f WHERE f.owner_relation IS NOT NULL) AS o
	), draws AS MATERIALIZED (
		SELECT d.* FROM owners AS o CROSS JOIN LATERAL @extschema@.idgen_draws(o.names::text[], o.relations::oid[], o.attnums::smallint[]) AS d
	),

	-- which of them could be adopted: no table that has the column, and none of
	-- its native sequences, may stand in the way
	candidates AS MATERIALIZED (
		SELECT DISTINCT d.relation, d.column_name,
			CASE d.type WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END AS type_end
		FROM draws AS d
		WHERE d.in_table AND d.type = ANY ('{smallint, integer, bigint}'::regtype[])
			AND d.relation <> '@extschema@.id_sequences'::regclass
	), heirs (relation, column_name, type_end, member) AS (
		SELECT c.relation, c.column_name, c.type_end, c.relation FROM candidates AS c
		UNION
		SELECT h.relation, h.column_name, h.type_end, i.inhrelid FROM heirs AS h JOIN pg_inherits AS i ON i.inhparent = h.member
	), refused AS MATERIALIZED (
		SELECT h.relation, h.column_name
		FROM heirs AS h JOIN pg_class AS m ON m.oid = h.member
		WHERE m.relkind = 'f' OR m.relpersistence = 't'
		UNION
		SELECT h.relation, h.column_name
		FROM heirs AS h JOIN draws AS d ON d.relation = h.member AND d.column_name = h.column_name
			LEFT JOIN pg_sequence AS s ON s.seqrelid = d.sequence AND d.kind <> 'idgen' AND d.sequence_name IS NULL
			LEFT JOIN LATERAL @extschema@.idgen_sequence_state(s.seqrelid) AS n ON true
		WHERE d.kind = 'idgen' AND d.name IS NOT NULL OR s.seqincrement <> 1 OR s.seqcycle
			OR n.last_value::numeric + n.is_called::integer > least(h.type_end, s.seqmax)
			OR d.kind = 'identity' AND EXISTS (
				SELECT FROM pg_depend AS u LEFT JOIN pg_attrdef AS k ON u.classid = 'pg_attrdef'::regclass AND k.oid = u.objid
				WHERE u.refclassid = 'pg_class'::regclass AND u.refobjid = d.sequence
					AND (k.adrelid, k.adnum) IS DISTINCT FROM (d.relation, d.attnum))
	),

	-- how far what they draw from has got; with periods, that is today's child
	known AS (
		SELECT f.name AS drawn_name, g.*
		FROM facts AS f LEFT JOIN facts AS c ON c.name = f.child JOIN facts AS g ON g.name = coalesce(c.name, f.name)
	), shown AS (
		SELECT d.*, k.layout, k.layout_limit, k.big_base, k.format, CASE WHEN k.name IS NULL THEN n ELSE k.extent END AS extent
		FROM draws AS d LEFT JOIN known AS k ON k.drawn_name = d.name AND k.broken IS NULL
			CROSS JOIN LATERAL @extschema@.idgen_native_extent(CASE WHEN k.name IS NULL THEN d.sequence END, NULL, NULL, NULL) AS n
		WHERE NOT d.inherited
	)
	SELECT s.relation::regclass, s.column_name, s.declared_type, s.kind,
		coalesce(s.name, (SELECT format('%I.%I', n.nspname, r.relname) FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace
			WHERE r.oid = s.sequence), s.sequence_name),
		-- null for what is no bigint, as an end before the first id can be
		CASE WHEN (s.extent).last_value BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (s.extent).last_value END::bigint,
		CASE WHEN l.limit_value BETWEEN -9223372036854775808 AND 9223372036854775807 THEN l.limit_value END::bigint, l.limited_by,
			trunc(100 - @extschema@.idgen_percent_left(s.extent, l.limit_value), 2),
		(s.relation, s.column_name) IN (SELECT c.relation, c.column_name FROM candidates AS c)
			AND (s.relation, s.column_name) NOT IN (SELECT f.relation, f.column_name FROM refused AS f)
	FROM shown AS s
		LEFT JOIN LATERAL (
			SELECT v.limit_value, v.limited_by
			FROM (VALUES (1, (s.extent).limit_value, (s.extent).limited_by),
				(2, CASE WHEN s.form <> 'numeric' AND s.layout_limit IS NOT NULL THEN
					CASE WHEN (s.extent).step > 0 THEN s.layout_limit ELSE 0 END END, 'layout ' || s.layout),
				(3, CASE WHEN s.plain THEN @extschema@.idgen_column_limit(s.extent, coalesce(s.layout, 'plain'), s.big_base, s.format,
					s.type, s.typmod, s.form) END, s.title))
				AS v (place, limit_value, limited_by)
			WHERE v.limit_value IS NOT NULL
			ORDER BY (s.extent).step * v.limit_value, v.place DESC LIMIT 1) AS l ON true
	ORDER BY s.table_name COLLATE "C", s.attnum,
		array_position('{serial, identity, nextval, idgen, owned}', s.kind);
END;

CREATE FUNCTION @extschema@.idgen_server_state(
	OUT cache text,
	OUT max_sequences integer,
	OUT sequences integer,
	OUT evictions bigint,
	OUT ids_evicted bigint,
	OUT ids_lost bigint,
	OUT node_setting text,
	OUT node_id integer,
	OUT node_leased_until timestamptz,
	OUT node_renewed_at timestamptz,
	OUT node_failing_since timestamptz,
	OUT node_problem text
) RETURNS record
	AS 'MODULE_PATHNAME', 'idgen_server_state' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

-- Ids are seen in a column before it is known how far its id sequence has got,
-- while others draw. So where a column seems to be ahead, the facts are asked
-- for once more: an id that was seen before that, and drawn, is behind then.
CREATE FUNCTION @extschema@.idgen_conditions() RETURNS TABLE (
	name text,
	source text,
	source_name text,
	refill text,
	columns text[],
	limit_value numeric,
	limited_by text,
	percent_left numeric,
	ids_per_second double precision,
	counted_since timestamptz,
	used_up_on timestamptz,
	worker text,
	problem_kind text,
	problem text
)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 100 SET jit = off SET enable_nestloop = off
BEGIN ATOMIC
	WITH all_facts AS MATERIALIZED (
		SELECT row_number() OVER () AS line, f.*, e AS extent, e.*, o.relowner AS owner
		FROM @extschema@.idgen_facts(false, true) AS f CROSS JOIN LATERAL @extschema@.idgen_extent_of(f) AS e
			LEFT JOIN pg_class AS o ON o.oid = f.owner_relation
	), facts AS MATERIALIZED (
		SELECT f.* FROM all_facts AS f WHERE f.broken IS NOT NULL OR f.child IS NULL AND f.usable
	), owners AS (
		SELECT array_agg(o.name) AS names, array_agg(o.owner_relation) AS relations, array_agg(o.owner_attnum) AS attnums
		FROM (SELECT DISTINCT f.name, f.owner_relation, f.owner_attnum FROM facts AS f WHERE f.owner_relation IS NOT NULL) AS o
	), draws AS MATERIALIZED (
		SELECT d.* FROM owners AS o CROSS JOIN LATERAL @extschema@.idgen_draws(o.names::text[], o.relations::oid[], o.attnums::smallint[]) AS d
	),

	-- the columns that take the ids: of a child also those that draw from its
	-- row with periods. Programs may draw for a column that an id sequence
	-- belongs to, but a migration may have changed what idgen_adopt() did.
	takers AS MATERIALIZED (
		SELECT f.line, f.extent, d.*, d.relation_name || '.' || d.column_name AS place, c.counts,
			CASE WHEN c.counts AND d.plain
				THEN @extschema@.idgen_column_limit(f.extent, f.layout, f.big_base, f.format, d.type, d.typmod, d.form) END AS column_limit,
			CASE WHEN d.kind <> 'owned' OR NOT c.counts THEN NULL
				WHEN d.is_identity THEN 'is an identity column'
				WHEN (d.relation, d.attnum) IN (SELECT n.relation, n.attnum FROM draws AS n WHERE n.kind IN ('serial', 'nextval'))
				THEN 'draws from a native sequence'
				WHEN NOT d.has_default AND d.name = d.table_name || '.' || d.column_name THEN 'has no default' END AS changed
		FROM facts AS f CROSS JOIN unnest(ARRAY[f.name, CASE WHEN f.template NOT LIKE '%/*' THEN f.template END]) AS n (name)
			JOIN draws AS d ON d.name = n.name AND NOT d.inherited
			CROSS JOIN LATERAL (SELECT @extschema@.idgen_counts(d.owner, f.owner, f.native) AS counts) AS c
	), misfits AS (
		SELECT d.line, d.place, d.title FROM takers AS d WHERE (d.extent).step * (d.column_limit - (d.extent).first_value) < 0
	), limiting AS (
		SELECT f.line, 1 AS rank, f.limit_value, f.limited_by, NULL AS place FROM facts AS f
		UNION ALL
		SELECT f.line, 2, CASE WHEN f.step > 0 THEN f.layout_limit ELSE 0 END, 'layout ' || f.layout, NULL
		FROM facts AS f LEFT JOIN (SELECT d.line, bool_or(d.form <> 'numeric') AS draws_bigint
			FROM takers AS d WHERE d.counts GROUP BY d.line) AS d ON d.line = f.line
		WHERE f.layout_limit IS NOT NULL AND coalesce(d.draws_bigint, true)
		UNION ALL
		SELECT d.line, 3, d.column_limit, d.title, d.place FROM takers AS d
	), reach AS MATERIALIZED (
		SELECT DISTINCT ON (f.line) f.line, l.rank, l.limit_value, l.limited_by,
			@extschema@.idgen_percent_left(f.extent, l.limit_value) AS percent_left,
			CASE WHEN f.exhausted OR f.step * (l.limit_value - f.next_value) < 0 THEN 0
				ELSE f.step * (l.limit_value - f.next_value) + 1 END AS ids_left
		FROM facts AS f JOIN limiting AS l ON l.line = f.line AND l.limit_value IS NOT NULL
		ORDER BY f.line, f.step * l.limit_value, l.rank DESC, l.place COLLATE "C" DESC
	),

	-- columns that have ids which are still to be issued; what is cached tells
	-- something only if all sessions share it
	server AS MATERIALIZED (
		SELECT t.*, t.cache = 'server' AS shared FROM @extschema@.idgen_server_state() AS t
	), seen AS MATERIALIZED (
		SELECT f.line, f.name, f.native, d.place, r.limit_value,
			@extschema@.idgen_column_end(d.relation, d.attnum, f.step > 0, NULL, 'brief') AS id
		FROM facts AS f JOIN takers AS d ON d.line = f.line AND d.counts AND d.plain LEFT JOIN reach AS r ON r.line = f.line
		WHERE f.exhausted IS NOT NULL AND f.layout = 'plain'
			AND (d.form = 'bigint' OR d.form = 'numeric' AND coalesce(f.big_base, 0) = 0)
	), suspects AS MATERIALIZED (
		SELECT s.* FROM facts AS f JOIN seen AS s ON s.line = f.line AND s.id IS NOT NULL CROSS JOIN server AS v
		WHERE coalesce(f.step * (s.limit_value - s.id) >= 0, true)
			AND (f.step * (s.id - f.next_value) >= 0 OR f.step * (s.id - f.next_cached) >= 0 AND v.shared)
	), ahead AS MATERIALIZED (
		SELECT s.line, s.place
		FROM (SELECT DISTINCT true AS found FROM suspects AS s) AS o CROSS JOIN LATERAL @extschema@.idgen_facts(false, o.found) AS f
			JOIN suspects AS s ON s.name = f.name AND s.native IS NOT DISTINCT FROM f.native
			CROSS JOIN LATERAL @extschema@.idgen_extent_of(f) AS e CROSS JOIN server AS v
		WHERE e.step * (s.id - e.next_value) >= 0 OR e.step * (s.id - f.next_cached) >= 0 AND v.shared
	),

	-- How fast ids are issued: nothing is said of less than a second, and no
	-- forecast made in the first hour, so that one bulk load does not look like
	-- the end. The rate is the average since the counters began, so the
	-- forecast is late where use grows. To weigh recent hours more was turned
	-- down: it takes a history, and a monitoring system keeps that anyway.
	forecast AS MATERIALIZED (
		SELECT f.line, r.limit_value, r.limited_by, r.percent_left, n.ids_left, s.seconds_left,
			CASE WHEN t.seconds >= 1 THEN f.ids_issued / t.seconds END AS ids_per_second,
			s.seconds_left < 86400 * current_setting('idgen.warn_days')::double precision AS ends_soon,
			CASE WHEN r.rank = 3 THEN 'Give the column a wider type.'
			WHEN r.rank = 2 THEN 'Draw by @extschema@.idgen_next_big(), or from another id sequence.'
			WHEN r.limited_by <> 'max_value' THEN CASE WHEN f.step > 0 THEN 'Raise its MAXVALUE.' ELSE 'Lower its MINVALUE.' END
			WHEN f.layout = 'scrambled' OR r.limit_value = 9223372036854775807 THEN 'Use another id sequence.'
			WHEN f.marked_exhausted THEN 'Raise max_value and set exhausted to 0.'
			ELSE 'Raise max_value.' END AS remedy
		FROM facts AS f LEFT JOIN reach AS r ON r.line = f.line
			CROSS JOIN LATERAL (SELECT EXTRACT(epoch FROM clock_timestamp() - f.counted_since)::double precision AS seconds) AS t
			CROSS JOIN LATERAL (SELECT CASE WHEN f.line IN (SELECT m.line FROM misfits AS m) THEN NULL
				WHEN r.ids_left > 0 THEN r.ids_left + f.ids_cached ELSE r.ids_left END AS ids_left) AS n
			CROSS JOIN LATERAL (SELECT CASE WHEN n.ids_left = 0 THEN 0
				WHEN t.seconds >= 3600 AND f.ids_issued > 0 THEN n.ids_left::double precision / f.ids_issued * t.seconds END AS seconds_left) AS s
	),

	-- the worst comes first: what keeps ids from being drawn, then what will
	problems AS (
		SELECT f.line, w.rank, w.kind, w.text, NULL AS place
		FROM facts AS f JOIN forecast AS u ON u.line = f.line CROSS JOIN server AS v
			CROSS JOIN LATERAL (SELECT CASE WHEN f.holder_pid > 0 THEN (SELECT a.xact_start FROM pg_stat_activity AS a
				WHERE a.pid = f.holder_pid AND coalesce(a.backend_xid, '0') = f.holder_xid) END AS since) AS h
			CROSS JOIN LATERAL (VALUES
			(0, 'broken', 'It cannot be looked at: ' || f.broken || '.'),
			(1, 'source_missing', CASE WHEN f.object_missing
				THEN format('There is no %s %s%s. Create it, or name another one in source_name.', f.source, f.object_name,
					CASE WHEN f.source = 'sequence' AND strpos(f.object_name, '.') = 0 THEN ' in this session''s search_path' END) END),
			(2, 'exhausted', CASE WHEN u.ids_left IS DISTINCT FROM 0 THEN NULL
				WHEN f.marked_exhausted AND f.next_block_start <= u.limit_value AND f.next_block_start < 9223372036854775807
				THEN 'Its column exhausted is 1, though ids are left. Set that to 0.'
				WHEN f.step * (u.limit_value - f.next_cached) >= 0
				THEN format('No block is left within the limit of %s, only what is cached. %s', u.limited_by, u.remedy)
				ELSE format('No id is left within the limit of %s. %s', u.limited_by, u.remedy) END),
			(4, 'went_back', format('Server %s has gone back, as was seen on %s. ', f.object_name, f.went_back_since) || f.went_back || ' ' || f.went_back_hint),
			(5, 'no_node_number', CASE WHEN v.node_id IS NULL THEN 'This server has no node number: '
				ELSE format('The lease of node number %s, which ends at %s, cannot be renewed: ', v.node_id, v.node_leased_until) END
				|| f.lease_problem),
			(6, 'node_does_not_fit', CASE WHEN f.layout_limit IS NOT NULL AND v.node_id NOT BETWEEN 1 AND 8
				THEN format('The node number of this server, %s, does not fit layout %s, which takes 1 to 8. %s', v.node_id, f.layout,
					CASE v.node_setting WHEN 'auto' THEN 'Have the centre release one of these.' ELSE 'Set idgen.node_id.' END) END),
			(7, 'unreachable', format('Server %s has not answered since %s. Start it, or see what is in the way: ', f.object_name, f.silent_since)
				|| f.silent_reason || '.'),
			(8, 'blocked', CASE WHEN f.holder_pid = 0
				THEN format('A refill waits for prepared transaction %s. Commit it or roll it back: pg_prepared_xacts has its name.', f.holder_xid)
				WHEN f.holder_pid > 0 AND coalesce(clock_timestamp() - h.since > current_setting('deadlock_timeout')::interval, true)
				THEN format('A refill waits for the transaction of process %s%s. End it, if need be by pg_terminate_backend(%1$s).', f.holder_pid,
					', which has been open for ' || trunc(EXTRACT(epoch FROM clock_timestamp() - h.since)) || ' s') END),
			(9, 'refill_fails', 'The worker could not refill: ' || f.failure || '.'),
			(10, 'no_worker', CASE WHEN f.worker = 'no slot' AND f.failure IS NULL
				THEN format('The server has no place for a worker. Raise max_worker_processes%s.',
					CASE f.refill WHEN 'auto' THEN '; until then, sessions refill themselves' END) END),
			(11, 'watermark_held', CASE WHEN clock_timestamp() - f.noted_since > nullif(current_setting('idgen.warn_watermark')::interval, '0')
				THEN format('The watermark has stood at %s since %s: %s', f.noted_id::numeric - 1, f.noted_since, CASE f.noted_pid
					WHEN 0 THEN format('prepared transaction %s has drawn the next id. Commit it or roll it back.', f.noted_xid)
					ELSE format('the transaction of process %s has drawn the next id. End it, if need be by pg_terminate_backend(%1$s).', f.noted_pid) END) END),
			(14, 'used_up_soon', CASE WHEN u.ids_left > 0 AND u.ends_soon
				THEN format('In %s, no id will be left within the limit of %s. %s',
					CASE WHEN u.seconds_left < 7200 THEN format('%s minutes', round(u.seconds_left::numeric / 60))
					WHEN u.seconds_left < 172800 THEN format('%s hours', round(u.seconds_left::numeric / 3600))
					ELSE format('%s days', round(u.seconds_left::numeric / 86400)) END, u.limited_by, u.remedy) END),
			(15, 'little_left', CASE WHEN u.ids_left > 0 AND u.ends_soon IS NOT TRUE
					AND u.percent_left < current_setting('idgen.warn_remaining')::integer
				THEN format('Only %s percent of its ids are left within the limit of %s. %s', round(u.percent_left, 2), u.limited_by, u.remedy) END)
			) AS w (rank, kind, text)
		WHERE w.text IS NOT NULL
		UNION ALL
		SELECT m.line, 3, 'does_not_fit', format('Its %sids do not fit %s. Give the column a wider type.',
				CASE WHEN f.layout_limit IS NOT NULL THEN 'composed ' WHEN f.layout = 'scrambled' THEN 'scrambled ' END, m.title), m.place
			FROM misfits AS m JOIN facts AS f ON f.line = m.line
		UNION ALL
		SELECT d.line, 11, 'default_changed', format('It belongs to %s, which %s. To have that draw from it again, run %s(%L, %L); else set owned_by to null.',
				d.title, d.changed, '@extschema@.idgen_adopt', d.relation_name, d.column_name), d.place
			FROM takers AS d WHERE d.changed IS NOT NULL
		UNION ALL

		-- a partition that was attached with a default of its own: its ids are
		-- those of others, or will be
		SELECT DISTINCT d.line, 12, 'partition_differs', format('Partition %s draws from something else than %s. Give %I the default of its parent.',
				n.relation_name, d.relation_name, n.column_name), n.relation_name || '.' || n.column_name
			FROM takers AS d JOIN pg_inherits AS i ON i.inhparent = d.relation JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
				JOIN draws AS n ON n.relation = i.inhrelid AND n.column_name = d.column_name
			WHERE d.counts AND n.has_default AND n.kind <> 'owned' AND n.name IS DISTINCT FROM d.name
		UNION ALL
		SELECT d.line, 13, 'behind_column', format('There are ids in %s that it has yet to issue. Run %s(%L, %L).',
				d.title, '@extschema@.idgen_sync', d.relation_name, d.column_name), d.place
			FROM ahead AS a JOIN takers AS d ON d.line = a.line AND d.place = a.place
			WHERE d.changed IS NULL
	), judged AS (
		SELECT p.line, (array_agg(p.kind ORDER BY p.rank))[1] AS kind, string_agg(p.text, ' ' ORDER BY p.rank, p.place COLLATE "C") AS text
		FROM problems AS p GROUP BY p.line
	), taken AS (
		SELECT d.line, array_agg(format('%s.%I%s', d.relation_name, d.column_name, CASE WHEN NOT d.counts THEN ' (does not count)' END)
			ORDER BY d.counts DESC, d.relation_name COLLATE "C", d.column_name COLLATE "C") AS columns
		FROM takers AS d GROUP BY d.line
	),

	-- what is drawn from, but is not there, nor would be made by a draw: to ask
	-- for that takes longest
	unknown AS MATERIALIZED (
		SELECT d.* FROM draws AS d
		WHERE d.kind = 'idgen' AND d.name IS NOT NULL AND d.source IS DISTINCT FROM 'sequence' AND NOT d.inherited
			AND NOT EXISTS (SELECT FROM all_facts AS f WHERE f.name = d.name)
			AND NOT row_security_active('@extschema@.id_sequences'::regclass)
	), missing AS (
		SELECT d.name, min(ARRAY[d.relation_name, d.column_name]) AS first, bool_and(d.form = 'bigint' AND d.plain) AS can_sync,
			array_agg(format('%s.%I', d.relation_name, d.column_name) ORDER BY d.relation_name COLLATE "C", d.column_name COLLATE "C") AS columns
		FROM unknown AS d JOIN pg_class AS c ON c.oid = d.relation
		WHERE @extschema@.idgen_counts(d.owner, NULL, NULL)
			AND (c.relpages > 0 OR NOT current_setting('idgen.auto_create')::boolean)
			AND (@extschema@.idgen_child(d.name, '')).name IS NULL
		GROUP BY d.name
	),
	not_dumped (rank, what) AS (
		SELECT 1, 'row security' FROM pg_class AS r WHERE r.oid = '@extschema@.id_sequences'::regclass AND r.relrowsecurity
		UNION ALL
		SELECT 2, format('policy %I', p.polname) FROM pg_policy AS p WHERE p.polrelid = '@extschema@.id_sequences'::regclass
		UNION ALL
		SELECT 3, format('trigger %I', t.tgname) FROM pg_trigger AS t WHERE t.tgrelid = '@extschema@.id_sequences'::regclass
			AND NOT t.tgisinternal AND t.tgname NOT IN ('idgen_check_row', 'idgen_row_changed', 'idgen_truncated', 'idgen_renamed')
		UNION ALL
		SELECT 4, format('rule %I', w.rulename) FROM pg_rewrite AS w WHERE w.ev_class = '@extschema@.id_sequences'::regclass
		UNION ALL
		SELECT 5, format('constraint %I', o.conname) FROM pg_constraint AS o WHERE o.conrelid = '@extschema@.id_sequences'::regclass
			AND o.contype IN ('c', 'f', 'u', 'x') AND o.conname NOT IN ('id_sequences_name_check', 'id_sequences_block_size_check',
				'id_sequences_big_base_check', 'id_sequences_max_children_check')
		UNION ALL
		SELECT 6, format('index %I', i.relname) FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
			WHERE x.indrelid = '@extschema@.id_sequences'::regclass AND i.relname NOT IN ('id_sequences_owned_by_idx', 'id_sequences_template_idx')
				AND NOT EXISTS (SELECT FROM pg_constraint AS o WHERE o.conindid = x.indexrelid AND o.conrelid = x.indrelid)
		UNION ALL
		SELECT 7, format('publication %I', b.pubname) FROM pg_publication_rel AS l JOIN pg_publication AS b ON b.oid = l.prpubid
			WHERE l.prrelid = '@extschema@.id_sequences'::regclass AND current_setting('server_version_num')::integer < 180000
	)
	SELECT f.name, f.source, f.object_name, CASE WHEN f.broken IS NULL THEN coalesce(f.refill, 'transaction') END, t.columns, u.limit_value, u.limited_by, u.percent_left,
		u.ids_per_second, f.counted_since,
		CASE WHEN u.seconds_left < 9.22e12 THEN clock_timestamp() + make_interval(secs => u.seconds_left)
			WHEN u.seconds_left IS NOT NULL THEN 'infinity' END,
		CASE WHEN f.failure IS NULL THEN f.worker ELSE format('backing off: %s', f.failure) END, j.kind, j.text
	FROM facts AS f JOIN forecast AS u ON u.line = f.line LEFT JOIN taken AS t ON t.line = f.line LEFT JOIN judged AS j ON j.line = f.line
	UNION ALL
	SELECT w.name, NULL, NULL, NULL, w.columns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, w.kind, w.text
	FROM (SELECT m.name, m.columns, 'missing',
			'Column defaults draw from it, but it does not exist. ' || CASE WHEN m.can_sync
				THEN format('Run %s(%L, %L).', '@extschema@.idgen_sync', m.first[1], m.first[2])
				ELSE format('Create it past the ids that these have, with %s(%L, <next id>).', '@extschema@.idgen_create', m.name) END
		FROM missing AS m
		UNION ALL
		SELECT NULL, NULL, 'triggers_off',
			'Not all triggers of idgen on @extschema@.id_sequences are enabled as they should be, so changes of its rows may go unnoticed. Run ALTER TABLE @extschema@.id_sequences ENABLE ALWAYS TRIGGER idgen_check_row, ENABLE ALWAYS TRIGGER idgen_row_changed, ENABLE ALWAYS TRIGGER idgen_truncated, ENABLE TRIGGER idgen_renamed.'
		FROM pg_trigger AS t
		WHERE t.tgrelid = '@extschema@.id_sequences'::regclass
			AND (t.tgname IN ('idgen_check_row', 'idgen_row_changed', 'idgen_truncated') AND t.tgenabled = 'A'
				OR t.tgname = 'idgen_renamed' AND t.tgenabled IN ('A', 'O'))
		HAVING count(*) < 4
		UNION ALL
		SELECT NULL, NULL, 'code_refused', 'On tables of idgen stands what may not run with the rights of their owner: ' ||
			string_agg(DISTINCT r.what, ', ' ORDER BY r.what) ||
			'. So refills may fail. Give functions another owner or, if they are those of triggers, have them run as their own, by ALTER FUNCTION.'
		FROM pg_class AS m JOIN pg_class AS t ON t.relnamespace = m.relnamespace AND t.relname IN ('id_sequences', 'idgen_secrets', 'idgen_marks')
			CROSS JOIN LATERAL unnest(@extschema@.idgen_refused_code(t.oid)) AS r (what)
		WHERE m.oid = '@extschema@.id_sequences'::regclass
		UNION ALL
		SELECT NULL, NULL, 'not_dumped', 'What was added to @extschema@.id_sequences is in no dump: ' ||
			string_agg(a.what, ', ' ORDER BY a.rank, a.what COLLATE "C") || '. Keep beside the dump what makes it again.'
		FROM not_dumped AS a
		UNION ALL
		SELECT NULL, NULL, 'not_preloaded',
			'The server has not preloaded idgen, so each session has a cache of its own, and no worker refills. Add idgen to shared_preload_libraries and restart the server.'
		FROM server AS v WHERE NOT v.shared) AS w (name, columns, kind, text)
	WHERE w.text IS NOT NULL;
END;

CREATE FUNCTION @extschema@.idgen_stats_reset() RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_stats_reset' LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;

--
-- Moving id sequences behind the ids in their columns: with the caller's own
-- privileges
--

-- Keep others from a table, with all that inherit from it, or from a native
-- sequence, until the transaction ends. Or only keep that from being dropped,
-- for who may read that column, or use the sequence if that is 0.
CREATE FUNCTION @extschema@.idgen_hold(relation oid, attnum smallint, to_change boolean) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_hold' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- Raises an error if the ids in a column do not tell how far its id sequence
-- has got.
CREATE FUNCTION @extschema@.idgen_check_ids(c @extschema@.idgen_draw) RETURNS void
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	kind CONSTANT "char" := (SELECT r.relkind FROM pg_class AS r WHERE r.oid = c.relation);
	is_text CONSTANT boolean := c.form = 'text';
BEGIN
	IF NOT c.plain THEN
		RAISE 'column "%" of table "%" computes with the ids that it draws', c.column_name, c.table_name
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Its default is more than a call of idgen_next(), idgen_next_big() or idgen_next_text().',
				HINT = 'Use @extschema@.idgen_restart() with an id after all that it has used.';
	ELSIF kind NOT IN ('r', 'p') THEN
		RAISE 'ids of column "%" of relation "%" are not known', c.column_name, c.table_name
			USING ERRCODE = 'wrong_object_type',
				DETAIL = CASE kind WHEN 'f' THEN 'Its rows are not in this database.' ELSE 'Its rows are those of other tables.' END;
	ELSIF c.type <> ALL (CASE WHEN is_text THEN '{text, varchar, bpchar}' ELSE '{smallint, integer, bigint, numeric}' END::regtype[]) THEN
		RAISE 'column "%" of table "%" must be of type %', c.column_name, c.table_name,
				CASE WHEN is_text THEN 'text or varchar' ELSE 'smallint, integer, bigint, or numeric' END
			USING ERRCODE = 'datatype_mismatch', DETAIL = format('Its type is %s.', format_type(c.type, NULL));
	END IF;
END
$$;

-- Make the row of an id sequence that columns draw from, behind their ids.
-- Returns the line of the report; null if somebody else has made it just now.
-- Where only the row that is missing can say what the ids are like, none is
-- made. Whose columns count, no row says: in this order, those of the owner of
-- the relation that the caller names; of the column that idgen_adopt() gives
-- the name; or of all columns.
CREATE FUNCTION @extschema@.idgen_make_missing(name text, columns @extschema@.idgen_draw[], relation oid, refill text, look text) RETURNS text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	c @extschema@.idgen_draw;
	role oid;
	names text;
	found_owner text;
	start numeric := 1;
	last_id numeric := 9223372036854775807;
BEGIN
	SELECT coalesce((SELECT r.relowner FROM pg_class AS r WHERE r.oid = idgen_make_missing.relation),
			min(d.owner) FILTER (WHERE d.table_name || '.' || d.column_name = idgen_make_missing.name),
			CASE WHEN min(d.owner) = max(d.owner) THEN min(d.owner) END)
		INTO role FROM unnest(idgen_make_missing.columns) AS d;
	FOREACH c IN ARRAY idgen_make_missing.columns LOOP
		CONTINUE WHEN c.inherited OR NOT @extschema@.idgen_counts(c.owner::oid, role::oid, NULL::oid);
		IF NOT c.plain OR c.form <> 'bigint' OR lower(c.source) <> 'table' THEN
			RAISE 'only its row could say what column "%" of table "%" draws', c.column_name, c.table_name
				USING ERRCODE = 'feature_not_supported';
		END IF;
		PERFORM @extschema@.idgen_check_ids(c::@extschema@.idgen_draw);
		names := concat_ws(' and ', names, format('column "%s" of table "%s"', c.column_name, c.table_name));
		last_id := least(last_id, CASE c.type WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647 END);
		start := greatest(start, floor(@extschema@.idgen_column_end(c.relation::oid, c.attnum::smallint, true::boolean, NULL::text, look::text)) + 1);
		IF found_owner IS NULL AND pg_has_role(c.owner, 'USAGE') AND EXISTS (
			SELECT FROM pg_attribute AS a JOIN pg_class AS r ON r.oid = a.attrelid
			WHERE a.attrelid = c.relation AND a.attnum = c.attnum AND a.atthasdef AND a.attinhcount = 0 AND r.relpersistence <> 't') THEN
			found_owner := format('%s.%I', c.relation_name, c.column_name);
		END IF;
	END LOOP;
	IF names IS NULL THEN
		RAISE 'tables of several owners draw from it, so name one' USING ERRCODE = 'object_not_in_prerequisite_state';
	ELSIF start > last_id OR start >= 9223372036854775807 THEN
		RAISE 'no id is left for %', names USING ERRCODE = 'sequence_generator_limit_exceeded';
	END IF;
	INSERT INTO @extschema@.id_sequences AS s (name, next_block_start, block_size, refill, owned_by, start_value)
		VALUES (idgen_make_missing.name, start, current_setting('idgen.default_block_size')::integer, idgen_make_missing.refill, found_owner::@extschema@.idgen_column, 1)
		ON CONFLICT ON CONSTRAINT id_sequences_pkey DO NOTHING;
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	RETURN format('id sequence "%s" was created for %s, beginning with %s, with refill "%s"',
		idgen_make_missing.name, names, start, idgen_make_missing.refill);
END
$$;

-- Have all ids to come lie behind that sequence value, unless it is null. The
-- row is locked. Says which id came next, and which does now: the same if only
-- what was cached is dropped, null if nothing is done. Raises an error for what
-- cannot be moved behind ids.
CREATE FUNCTION @extschema@.idgen_move_past(search_path text, name text, source text, last_value numeric, OUT next bigint, OUT moved_to bigint) RETURNS record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	held record;
	said record;
	native record;
	last_id CONSTANT bigint := CASE WHEN idgen_move_past.last_value IS NOT NULL
		THEN least(greatest(idgen_move_past.last_value, -9223372036854775808), 9223372036854775807) END;
	last_of_all numeric;
	start numeric;
BEGIN
	SELECT h.* INTO held FROM @extschema@.idgen_look(idgen_move_past.search_path::text, 'idgen_sync()'::text, idgen_move_past.name::text,
		idgen_move_past.source::text, true::boolean, last_id::bigint) AS h;
	SELECT s.next_block_start, s.max_value, s.pooling, s.block_size, s.layout INTO said
		FROM ONLY @extschema@.id_sequences AS s WHERE s.name = idgen_move_past.name;
	IF said.layout = 'scrambled' THEN
		RAISE 'cannot move id sequence "%" past scrambled ids', idgen_move_past.name
			USING ERRCODE = 'feature_not_supported', DETAIL = 'Ids that were not drawn lie anywhere in its range.';
	ELSIF said.layout <> 'plain' THEN
		RAISE 'cannot move id sequence "%" past composed ids', idgen_move_past.name
			USING ERRCODE = 'feature_not_supported', DETAIL = 'The greatest one does not tell which sequence value is the greatest.',
				HINT = 'Use @extschema@.idgen_restart(), which takes a composed id as well.';
	ELSIF held.found_source <> 'table' AND held.native IS NULL THEN
		RAISE 'id sequence "%" with source "%" cannot be moved', idgen_move_past.name, held.found_source
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Move what its ids come from. Then delete its row and insert it again, to drop the cached ids.';
	END IF;
	next := CASE WHEN held.native IS NULL THEN said.next_block_start ELSE held.next END;
	IF next IS NULL THEN
		RAISE 'id sequence "%" is exhausted', idgen_move_past.name USING ERRCODE = 'sequence_generator_limit_exceeded';
	END IF;

	-- What is cached or pending may not lie behind it even if what comes next
	-- does.
	IF (next::numeric - last_id) * held.step <= 0 THEN
		start := last_id::numeric + held.step;
	ELSIF last_id IS NULL OR held.cache_lies_behind THEN
		RETURN;
	ELSE
		start := next;
	END IF;
	IF held.native IS NULL THEN
		last_of_all := said.max_value;
		moved_to := CASE WHEN start <= last_of_all OR start = next THEN start END;
	ELSE
		SELECT n.* INTO native FROM @extschema@.idgen_native_start(held.native::oid, said.pooling::text, said.block_size::integer,
			said.max_value::bigint, start::numeric) AS n;
		last_of_all := CASE WHEN held.step > 0 THEN native.last_id ELSE native.first_id END;
		moved_to := native.next;
	END IF;
	IF moved_to IS NULL THEN
		RAISE 'id sequence "%" has no id after %', idgen_move_past.name, last_id
			USING ERRCODE = 'sequence_generator_limit_exceeded', DETAIL = format('Its last id is %s.', last_of_all),
				HINT = 'If there can be greater ids, raise its max_value, or the bound of its native sequence, and widen the column.';
	ELSIF held.native IS NULL THEN
		PERFORM @extschema@.idgen_drop_cached(idgen_move_past.name::text);
		UPDATE ONLY @extschema@.id_sequences AS s SET next_block_start = moved_to WHERE s.name = idgen_move_past.name AND moved_to <> next;
	ELSE
		PERFORM @extschema@.idgen_start_sequence(held.native::oid, native.value::bigint, native.is_called::boolean);
	END IF;
END
$$;

-- Move an id sequence behind the ids in columns: in those that were asked for,
-- and in the others that draw from it and count. What the caller has named
-- counts, and so do other tables of that owner. Returns the lines of the
-- report; null if there is no row.
--
-- Locks, in this order: the tables, if the caller has named one; the row; the
-- native sequence. So this waits for transactions that have refilled, but not
-- for those that insert explicit ids: what they have not committed does not
-- count. A call for the whole database waits for no table, since refills wait
-- for the rows that it has moved.
CREATE FUNCTION @extschema@.idgen_sync_one(search_path text, name text, source text, asked @extschema@.idgen_draw[], others @extschema@.idgen_draw[], look text) RETURNS text[]
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	held record;
	moved record;
	counted @extschema@.idgen_draw[]; -- the columns that are read
	lines text[];
	big_base numeric := 0;
	text_format text := '{id}';
	last_value numeric;
	past text;
	left_out text;
BEGIN
	SELECT h.* INTO held FROM @extschema@.idgen_look(idgen_sync_one.search_path::text, 'idgen_sync()'::text, idgen_sync_one.name::text,
		idgen_sync_one.source::text, false::boolean, NULL::bigint) AS h;
	IF held.has_row IS NULL THEN
		RETURN NULL;
	END IF;
	SELECT coalesce(array_agg(format('id sequence "%s" of %s was left alone: %s', idgen_sync_one.name, w.title, w.refused))
				FILTER (WHERE w.asked AND w.refused IS NOT NULL), '{}'),
			array_agg(w.draw) FILTER (WHERE w.counts AND (w.draw).plain),
			string_agg(w.title, ' and ') FILTER (WHERE w.counts AND (w.draw).plain),
			string_agg(format('; %s, which computes with its ids, was left out of account', w.title), '') FILTER (WHERE w.counts AND NOT (w.draw).plain)
		INTO lines, counted, past, left_out
		FROM (
			SELECT o AS draw, a.asked, format('column "%s" of table "%s"', o.column_name, o.table_name) AS title, n.refused,
				n.refused IS NULL AND t.relkind IN ('r', 'p') AS counts
			FROM unnest(idgen_sync_one.others) AS o JOIN pg_class AS t ON t.oid = o.relation
				CROSS JOIN LATERAL (SELECT (o.relation, o.attnum) IN (SELECT d.relation, d.attnum FROM unnest(idgen_sync_one.asked) AS d) AS asked) AS a
				CROSS JOIN LATERAL (SELECT CASE
					WHEN a.asked AND idgen_sync_one.look = 'wait' THEN NULL
					-- Each tenant may have a native sequence of that name:
					-- whoever uses a table has its schema in the search_path,
					-- most likely.
					WHEN held.by_path AND EXISTS (SELECT FROM pg_class AS m JOIN pg_class AS q ON q.relname = m.relname AND q.oid <> m.oid
						WHERE m.relnamespace = t.relnamespace AND q.oid = held.native)
					THEN 'search_path leads to another sequence than that in the schema of the table'
					WHEN NOT @extschema@.idgen_counts(o.owner::oid, held.owner::oid, held.native::oid)
						AND (idgen_sync_one.look = 'free' OR NOT pg_has_role(o.owner, (idgen_sync_one.asked[1]).owner, 'USAGE'))
					THEN format('the owner of table "%s" may not write its row', o.table_name) END AS refused) AS n
			WHERE NOT o.inherited
			ORDER BY a.asked DESC, (o.table_name || o.column_name) COLLATE "C") AS w;
	IF past IS NULL THEN
		RETURN lines;
	END IF;

	IF idgen_sync_one.look = 'wait' THEN
		PERFORM @extschema@.idgen_hold(d.relation::oid, d.attnum::smallint, false::boolean) FROM unnest(counted) AS d;
	END IF;
	IF held.has_row THEN
		SELECT s.big_base, coalesce(s.format, text_format) INTO big_base, text_format
			FROM ONLY @extschema@.id_sequences AS s WHERE s.name = idgen_sync_one.name FOR UPDATE;
		IF NOT FOUND THEN
			RAISE 'id sequence "%" does not exist', idgen_sync_one.name USING ERRCODE = 'undefined_object';
		END IF;
	END IF;
	SELECT h.* INTO held FROM @extschema@.idgen_look(idgen_sync_one.search_path::text, 'idgen_sync()'::text, idgen_sync_one.name::text,
		idgen_sync_one.source::text, true::boolean, NULL::bigint) AS h;
	SELECT held.step * max(floor(held.step * (@extschema@.idgen_column_end(d.relation::oid, d.attnum::smallint, (held.step > 0)::boolean,
				CASE d.form WHEN 'text' THEN text_format END::text, idgen_sync_one.look::text) - CASE d.form WHEN 'numeric' THEN big_base ELSE 0 END)))
		INTO last_value FROM unnest(counted) AS d;
	SELECT m.* INTO moved FROM @extschema@.idgen_move_past(idgen_sync_one.search_path::text, idgen_sync_one.name::text,
		idgen_sync_one.source::text, last_value::numeric) AS m;
	RETURN lines || CASE
		WHEN moved.moved_to IS NULL THEN format('id sequence "%s" is past %s already%s', idgen_sync_one.name, past, left_out)
		WHEN moved.moved_to = moved.next THEN format('id sequence "%s" goes on with %s; its cached ids were not all past %s, and were dropped%s',
			idgen_sync_one.name, moved.next, past, left_out)
		ELSE format('id sequence "%s" was moved from %s to %s, past %s%s', idgen_sync_one.name, moved.next, moved.moved_to, past, left_out) END;
END
$$;

CREATE FUNCTION @extschema@.idgen_sync_columns(relation regclass, column_name name, refill text, search_path text) RETURNS SETOF text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE ROWS 1 SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	look CONSTANT text := CASE WHEN idgen_sync_columns.relation IS NULL THEN 'free' ELSE 'wait' END;
	table_name text;
	target record;
	c @extschema@.idgen_draw;
	asked @extschema@.idgen_draw[];
	lines text[];
	missing boolean;
BEGIN
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE 'idgen_sync() sees what is committed only at isolation level READ COMMITTED' USING ERRCODE = 'active_sql_transaction';
	ELSIF idgen_sync_columns.relation IS NULL AND idgen_sync_columns.column_name IS NOT NULL OR idgen_sync_columns.refill IS NULL THEN
		RAISE '% must not be null', CASE WHEN idgen_sync_columns.refill IS NULL THEN 'refill' ELSE 'relation' END USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM @extschema@.idgen_new_row(NULL::text, 'table'::text, NULL::text, idgen_sync_columns.refill::text, NULL::text);
	IF idgen_sync_columns.relation IS NOT NULL THEN
		SELECT n.nspname || '.' || r.relname INTO table_name
			FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = idgen_sync_columns.relation;
		IF NOT FOUND THEN
			RAISE 'relation with OID % does not exist', idgen_sync_columns.relation::oid USING ERRCODE = 'undefined_table';
		ELSIF NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = idgen_sync_columns.relation
			AND a.attname = coalesce(idgen_sync_columns.column_name, a.attname)) AND idgen_sync_columns.column_name IS NOT NULL THEN
			RAISE 'column "%" of relation "%" does not exist', idgen_sync_columns.column_name, table_name USING ERRCODE = 'undefined_column';
		END IF;

		-- whoever has the table locked may be about to alter its columns
		PERFORM @extschema@.idgen_hold(a.attrelid::oid, a.attnum::smallint, false::boolean)
			FROM pg_attribute AS a WHERE a.attrelid = idgen_sync_columns.relation AND a.attnum > 0 AND NOT a.attisdropped
				AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') AND NOT row_security_active(a.attrelid)
			LIMIT 1;
	END IF;

	FOR target IN
		WITH found AS MATERIALIZED (
			SELECT d AS draw, d.name, d.source, d.inherited, d.table_name || '.' || d.column_name AS place,
				idgen_sync_columns.relation IS NULL AND NOT d.inherited
					OR d.relation = idgen_sync_columns.relation AND d.column_name = coalesce(idgen_sync_columns.column_name, d.column_name) AS asked
			FROM @extschema@.idgen_draws(NULL::text[], NULL::oid[], NULL::smallint[]) AS d
			WHERE d.kind = 'idgen' AND d.name <> '' AND d.name NOT LIKE '%/*'
		), others AS (
			SELECT f.name, array_agg(f.draw ORDER BY f.place COLLATE "C") AS draws FROM found AS f GROUP BY f.name
		)
		SELECT a.name, a.source, a.draws AS asked, o.draws AS others
		FROM (SELECT f.name, f.source, array_agg(f.draw ORDER BY f.place COLLATE "C") AS draws, min(f.place COLLATE "C") AS place
			FROM found AS f WHERE f.asked GROUP BY f.name, f.source) AS a JOIN others AS o ON o.name = a.name
		ORDER BY a.place
	LOOP
		asked := '{}';
		FOREACH c IN ARRAY target.asked LOOP
			BEGIN
				PERFORM @extschema@.idgen_check_ids(c::@extschema@.idgen_draw);
				asked := asked || c;
			EXCEPTION WHEN object_not_in_prerequisite_state OR wrong_object_type OR datatype_mismatch THEN
				IF idgen_sync_columns.column_name IS NOT NULL THEN
					RAISE;
				END IF;
				RETURN NEXT format('id sequence "%s" of column "%s" of table "%s" was left alone: %s',
					target.name, c.column_name, c.table_name, SQLERRM);
			END;
		END LOOP;
		CONTINUE WHEN asked = '{}';
		missing := false;
		BEGIN
			lines := @extschema@.idgen_sync_one(idgen_sync_columns.search_path::text, target.name::text, target.source::text,
				asked::@extschema@.idgen_draw[], target.others::@extschema@.idgen_draw[], look::text);
			IF lines IS NULL THEN
				missing := true;
				lines := ARRAY[@extschema@.idgen_make_missing(target.name::text, target.others::@extschema@.idgen_draw[],
					idgen_sync_columns.relation::oid, idgen_sync_columns.refill::text, look::text)];
			END IF;
		EXCEPTION WHEN OTHERS THEN
			IF idgen_sync_columns.column_name IS NOT NULL OR SQLSTATE = '55P03' OR left(SQLSTATE, 2) IN ('25', '40', '53', '57', '58', 'XX') THEN
				RAISE;
			ELSIF missing THEN
				lines := ARRAY[format('id sequence "%s" was not created: %s', target.name, SQLERRM)];
			ELSE
				lines := ARRAY[format('id sequence "%s" of %s was left alone: %s', target.name,
					(SELECT string_agg(format('column "%s" of table "%s"', a.column_name, a.table_name), ' and ') FROM unnest(asked) AS a), SQLERRM)];
			END IF;
		END;
		RETURN QUERY SELECT l.line FROM unnest(lines) AS l (line) WHERE l.line IS NOT NULL;
	END LOOP;
	IF NOT FOUND AND idgen_sync_columns.column_name IS NOT NULL THEN
		RAISE 'column "%" of table "%" does not draw from an id sequence', idgen_sync_columns.column_name, table_name
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Its default is not a plain call of idgen_next() with a constant name.';
	END IF;
END
$$;

CREATE FUNCTION @extschema@.idgen_sync(relation regclass DEFAULT NULL, column_name name DEFAULT NULL, refill text DEFAULT 'auto') RETURNS SETOF text
	LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
	SELECT l.line FROM @extschema@.idgen_sync_columns(relation, column_name, refill, current_setting('search_path')) AS l (line);
END;

COMMENT ON FUNCTION @extschema@.idgen_sync(regclass, name, text) IS 'move the id sequence of a column, or of all columns, behind the ids that these have; make those that are missing';

--
-- Moving columns over: with the caller's own privileges
--

-- How the server calls the sequence of a serial column, if that name is free;
-- and make such a sequence for the owner of the table. No SQL does that.
CREATE FUNCTION @extschema@.idgen_serial_name(table_name name, column_name name) RETURNS name
	AS 'MODULE_PATHNAME', 'idgen_serial_name' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION @extschema@.idgen_make_serial(relation oid, column_name name, start bigint) RETURNS oid
	AS 'MODULE_PATHNAME', 'idgen_make_serial' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- Have a column refuse nulls, in the table itself, whatever that is called by
-- now; as its owner, perhaps.
CREATE FUNCTION @extschema@.idgen_set_not_null(relation oid, column_name name, as_owner boolean) RETURNS void
	AS 'MODULE_PATHNAME', 'idgen_set_not_null' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- Run a command by the search_path of whoever has called: event triggers may
-- rely on it. The command names all that is in it with its schema.
CREATE FUNCTION @extschema@.idgen_run(search_path text, command text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM set_config('search_path', idgen_run.search_path, true);
	EXECUTE idgen_run.command;
END
$$;

-- Lock the table of a column that shall be moved, with all that inherit from
-- it, so that no session inserts meanwhile, and one that does afterwards sees
-- the new default. All is checked before the lock is requested, and again under
-- it: nobody should wait for a lock only to be refused.
CREATE FUNCTION @extschema@.idgen_hold_column(
	function_name text, -- that moves it
	relation regclass,
	column_name name,
	privileges text[], -- on id_sequences that this takes
	OUT table_name text, -- with its schema, as it is
	OUT relation_name text, -- the same, as SQL reads it
	OUT title text,
	OUT change text, -- the beginning of a command
	OUT attnum smallint,
	OUT owner oid,
	OUT type_end bigint, -- the last value of its type
	OUT identity "char",
	OUT has_default boolean, -- of its own
	OUT domain oid, -- the default of which it takes
	OUT expression pg_node_tree, -- the default
	OUT partitioned boolean,
	OUT members oid[], -- the tables that have the column
	OUT this @extschema@.idgen_column,
	OUT rows_of text[] -- the id sequences that belong to it
)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	t record;
	c record;
	m record;
	missing text;
BEGIN
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE '%() sees what is committed only at isolation level READ COMMITTED', idgen_hold_column.function_name
			USING ERRCODE = 'active_sql_transaction';
	END IF;
	FOR look IN 1 .. 2 LOOP
		SELECT r.relkind, r.relispartition, r.relowner, r.relname, n.nspname INTO t
			FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = idgen_hold_column.relation;
		IF NOT FOUND THEN
			RAISE 'relation with OID % does not exist', idgen_hold_column.relation::oid USING ERRCODE = 'undefined_table';
		ELSIF t.relkind NOT IN ('r', 'p') THEN
			RAISE 'cannot move a column of relation "%"', t.relname USING ERRCODE = 'wrong_object_type', DETAIL = 'It is no table.';
		ELSIF NOT pg_has_role(t.relowner, 'USAGE') THEN
			RAISE 'must be owner of table %', t.relname USING ERRCODE = 'insufficient_privilege';
		ELSIF t.nspname = 'pg_catalog' THEN
			RAISE 'permission denied: "%" is a system catalog', t.relname USING ERRCODE = 'insufficient_privilege';
		END IF;

		WITH RECURSIVE types (type) AS (
			SELECT a.atttypid FROM pg_attribute AS a
				WHERE a.attrelid = idgen_hold_column.relation AND a.attname = idgen_hold_column.column_name
			UNION
			SELECT y.typbasetype FROM types AS d JOIN pg_type AS y ON y.oid = d.type WHERE y.typtype = 'd'
		)
		SELECT a.*, y.typdefaultbin, d.adbin, (SELECT b.type FROM types AS b JOIN pg_type AS p ON p.oid = b.type WHERE p.typtype <> 'd') AS base
			INTO c FROM pg_attribute AS a JOIN pg_type AS y ON y.oid = a.atttypid
				LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
			WHERE a.attrelid = idgen_hold_column.relation AND a.attname = idgen_hold_column.column_name AND NOT a.attisdropped;
		IF NOT FOUND THEN
			RAISE 'column "%" of relation "%" does not exist', idgen_hold_column.column_name, t.relname USING ERRCODE = 'undefined_column';
		ELSIF c.attnum < 0 THEN
			RAISE 'cannot move system column "%"', c.attname USING ERRCODE = 'feature_not_supported';
		ELSIF c.attinhcount > 0 THEN
			RAISE 'cannot move inherited column "%" of relation "%"', c.attname, t.relname
				USING ERRCODE = 'invalid_table_definition',
					HINT = CASE WHEN t.relispartition THEN 'Move the column of the partitioned table.'
						ELSE 'Move the column of the table that it is inherited from.' END;
		ELSIF c.attgenerated <> '' THEN
			RAISE 'column "%" of relation "%" is a generated column', c.attname, t.relname
				USING ERRCODE = 'object_not_in_prerequisite_state';
		ELSIF c.base <> ALL ('{smallint, integer, bigint}'::regtype[]) THEN
			RAISE 'column "%" of relation "%" must be of type smallint, integer, or bigint', c.attname, t.relname
				USING ERRCODE = 'datatype_mismatch', DETAIL = format('Its type is %s.', format_type(c.atttypid, NULL));
		END IF;

		SELECT string_agg(p.privilege, ', ') INTO missing FROM unnest(idgen_hold_column.privileges) AS p (privilege)
			WHERE NOT has_table_privilege('@extschema@.id_sequences'::regclass, p.privilege)
				AND CASE p.privilege WHEN 'DELETE' THEN true ELSE NOT has_any_column_privilege('@extschema@.id_sequences'::regclass, p.privilege) END;
		IF missing IS NOT NULL THEN
			RAISE 'permission denied for table id_sequences' USING ERRCODE = 'insufficient_privilege',
				HINT = format('The owner of the table can GRANT %s ON %s TO %I.', missing, '@extschema@.id_sequences', current_user);
		END IF;

		CONTINUE WHEN look = 2;
		PERFORM @extschema@.idgen_hold(idgen_hold_column.relation::oid, 0::smallint, true::boolean);
	END LOOP;

	members := ARRAY(WITH RECURSIVE heirs (member) AS (
		SELECT idgen_hold_column.relation::oid
		UNION
		SELECT i.inhrelid FROM heirs AS h JOIN pg_inherits AS i ON i.inhparent = h.member
	) SELECT h.member FROM heirs AS h);
	FOR m IN SELECT r.relname, r.relkind, r.relpersistence, r.relowner FROM pg_class AS r WHERE r.oid = ANY (members) LOOP
		IF m.relpersistence = 't' THEN
			RAISE 'cannot move a column of temporary table "%"', m.relname
				USING ERRCODE = 'feature_not_supported', DETAIL = 'An id sequence outlives the session.';
		ELSIF m.relkind = 'f' THEN
			RAISE 'cannot move a column that foreign table "%" has inherited', m.relname
				USING ERRCODE = 'feature_not_supported', DETAIL = 'Its rows cannot be locked.';
		ELSIF NOT pg_has_role(m.relowner, 'USAGE') THEN
			RAISE 'must be owner of table %', m.relname USING ERRCODE = 'insufficient_privilege';
		END IF;
	END LOOP;
	table_name := t.nspname || '.' || t.relname;
	relation_name := format('%I.%I', t.nspname, t.relname);
	title := format('column "%s" of table "%s"', c.attname, table_name);
	change := format('ALTER TABLE %s ALTER COLUMN %I', relation_name, c.attname);
	owner := t.relowner;
	partitioned := t.relkind = 'p';
	attnum := c.attnum;
	type_end := CASE c.base WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END;
	identity := c.attidentity;
	has_default := c.atthasdef;
	expression := CASE WHEN c.atthasdef THEN c.adbin ELSE c.typdefaultbin END;
	domain := CASE WHEN NOT c.atthasdef AND c.typdefaultbin IS NOT NULL THEN c.atttypid END;
	this := format('%s.%I', relation_name, c.attname);
	rows_of := ARRAY(SELECT s.name FROM ONLY @extschema@.id_sequences AS s WHERE s.owned_by OPERATOR(@extschema@.=) this);
END
$$;

-- The calls by which a column draws, in each of its tables.
CREATE FUNCTION @extschema@.idgen_member_calls(members oid[], column_name name, OUT table_name text, OUT form text, OUT name text, OUT sequence oid) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
	SELECT n.nspname || '.' || r.relname, k.form, k.name, k.sequence
	FROM pg_attribute AS a JOIN pg_type AS y ON y.oid = a.atttypid
		JOIN pg_class AS r ON r.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
		LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		CROSS JOIN LATERAL @extschema@.idgen_calls(CASE WHEN a.atthasdef THEN d.adbin ELSE y.typdefaultbin END) AS k
	WHERE a.attrelid = ANY (members) AND a.attname = column_name AND NOT a.attisdropped;
END;

-- Lock the native sequences of a column, until no more are found: those that
-- belong to it are to be dropped, and the others stay. ALTER SEQUENCE ... OWNED
-- BY locks no table, so one may come and go before.
CREATE FUNCTION @extschema@.idgen_hold_sequences(
	members oid[],
	column_name name,
	OUT owned oid[],
	OUT used oid[],
	OUT last_id numeric -- that they have given out, or could have
)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	held oid[];
	s oid;
BEGIN
	LOOP
		owned := ARRAY(SELECT DISTINCT u.objid FROM pg_attribute AS a
				JOIN pg_depend AS u ON u.refclassid = 'pg_class'::regclass AND u.refobjid = a.attrelid AND u.refobjsubid = a.attnum
					AND u.classid = 'pg_class'::regclass
				JOIN pg_sequence AS q ON q.seqrelid = u.objid
			WHERE a.attrelid = ANY (idgen_hold_sequences.members) AND a.attname = idgen_hold_sequences.column_name ORDER BY u.objid);
		used := ARRAY(SELECT DISTINCT k.sequence
			FROM @extschema@.idgen_member_calls(idgen_hold_sequences.members::oid[], idgen_hold_sequences.column_name::name) AS k
			WHERE k.form = 'nextval' AND k.name IS NULL AND k.sequence <> ALL (owned) ORDER BY k.sequence);
		EXIT WHEN owned || '{0}' || used = held;
		held := owned || '{0}' || used;
		FOR s IN SELECT q FROM unnest(owned || used) AS q ORDER BY q LOOP
			PERFORM @extschema@.idgen_hold(s::oid, 0::smallint, (s = ANY (owned))::boolean);
		END LOOP;
	END LOOP;
	IF EXISTS (SELECT FROM pg_class AS r WHERE r.oid = ANY (owned || used) AND pg_is_other_temp_schema(r.relnamespace)) THEN
		RAISE 'cannot access temporary sequences of other sessions' USING ERRCODE = 'feature_not_supported';
	END IF;
	IF EXISTS (SELECT FROM unnest(owned) AS q, LATERAL @extschema@.idgen_sequence_state(q::oid) AS n WHERE n.last_value IS NULL) THEN
		RAISE 'a sequence of column % is in use', quote_ident(column_name)
			USING ERRCODE = 'object_in_use', HINT = 'Try again.';
	END IF;
	last_id := (SELECT max(n.last_value::numeric + CASE WHEN n.is_called THEN q.seqincrement ELSE 0 END - 1)
		FROM pg_sequence AS q, LATERAL @extschema@.idgen_sequence_state(q.seqrelid::oid) AS n WHERE q.seqrelid = ANY (owned || used));
END
$$;

-- The first id that a column can go on with, after the last that is in use;
-- null if there was none.
CREATE FUNCTION @extschema@.idgen_first_free_id(title text, change text, last_id numeric, type_end bigint) RETURNS numeric
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF idgen_first_free_id.last_id >= idgen_first_free_id.type_end THEN
		RAISE 'no id is left for %', idgen_first_free_id.title
			USING ERRCODE = 'sequence_generator_limit_exceeded',
				DETAIL = format('The last value of its type is %s.', idgen_first_free_id.type_end),
				HINT = CASE WHEN idgen_first_free_id.type_end < 9223372036854775807
					THEN format('Widen it with %s TYPE bigint first.', idgen_first_free_id.change) ELSE 'There is no wider type.' END;
	END IF;
	RETURN coalesce(idgen_first_free_id.last_id + 1, 1);
END
$$;

-- What a sequence says is kept, or refused: MAXVALUE becomes max_value, if it
-- is not that of the type, and MINVALUE start_value.
CREATE FUNCTION @extschema@.idgen_adopt_column(relation regclass, column_name name, name text, refill text, search_path text) RETURNS text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	c record;
	q record;
	s record;
	user_of text;
	target text := idgen_adopt_column.name;
	last_id numeric;
	start numeric;
	least_value bigint;
	max_value bigint := 9223372036854775807;
	dropped text[] := '{}';
	to_drop text[] := '{}';
	kept text[] := '{}';
	report text;
BEGIN
	PERFORM @extschema@.idgen_new_row(idgen_adopt_column.name::text, 'table'::text, NULL::text, idgen_adopt_column.refill::text, NULL::text);
	IF num_nulls(idgen_adopt_column.relation, idgen_adopt_column.column_name, idgen_adopt_column.refill) > 0 THEN
		RAISE '% must not be null', CASE WHEN idgen_adopt_column.relation IS NULL THEN 'relation'
				WHEN idgen_adopt_column.column_name IS NULL THEN 'column_name' ELSE 'refill' END
			USING ERRCODE = 'null_value_not_allowed';
	ELSIF idgen_adopt_column.relation = '@extschema@.id_sequences'::regclass THEN
		RAISE 'columns of table "id_sequences" cannot draw from it' USING ERRCODE = 'wrong_object_type';
	ELSIF idgen_adopt_column.name LIKE '%/*' THEN
		RAISE '"%" is the name of a template, which has no ids', idgen_adopt_column.name
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Name one of its children, with anything else in place of the asterisk.';
	END IF;
	c := @extschema@.idgen_hold_column('idgen_adopt'::text, idgen_adopt_column.relation::regclass, idgen_adopt_column.column_name::name, '{INSERT}'::text[]);
	SELECT k.table_name INTO s FROM @extschema@.idgen_member_calls(c.members::oid[], idgen_adopt_column.column_name::name) AS k
		WHERE k.form <> 'nextval' AND k.name IS NOT NULL;
	IF FOUND THEN
		RAISE 'column "%" of table "%" already draws from an id sequence', idgen_adopt_column.column_name, s.table_name
			USING ERRCODE = 'object_not_in_prerequisite_state';
	END IF;

	-- native sequences
	q := @extschema@.idgen_hold_sequences(c.members::oid[], idgen_adopt_column.column_name::name);
	FOR s IN SELECT r.oid, r.relname, n.nspname || '.' || r.relname AS title, format('%I.%I', n.nspname, r.relname) AS name,
			p.seqincrement, p.seqcycle, p.seqmin, p.seqmax, p.seqmax = CASE p.seqtypid
				WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END AS unlimited
		FROM pg_sequence AS p JOIN pg_class AS r ON r.oid = p.seqrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
		WHERE p.seqrelid = ANY (q.owned || q.used) ORDER BY p.seqrelid
	LOOP
		IF s.seqincrement < 0 THEN
			RAISE 'cannot move a column that draws from descending sequence "%"', s.relname
				USING ERRCODE = 'feature_not_supported', DETAIL = 'Its ids would have to ascend from now on.';
		ELSIF s.seqincrement > 1 THEN
			RAISE 'cannot move a column that draws from sequence "%", which counts by %', s.relname, s.seqincrement
				USING ERRCODE = 'feature_not_supported',
					DETAIL = 'The id sequence would issue the ids between its values, too, which another server or program may have.',
					HINT = format('If nobody has: run ALTER SEQUENCE %s INCREMENT 1 RESTART %s before.', s.name, least(q.last_id + 1, s.seqmax));
		ELSIF s.seqcycle THEN
			RAISE 'cannot move a column that draws from sequence "%", which begins anew after its last value', s.relname
				USING ERRCODE = 'feature_not_supported', DETAIL = 'An id sequence ends there.',
					HINT = format('If it need not begin anew: run ALTER SEQUENCE %s NO CYCLE before.', s.name);
		END IF;
		least_value := least(least_value, s.seqmin);
		IF NOT s.unlimited THEN
			max_value := least(max_value, s.seqmax);
		END IF;
		IF s.oid = ANY (q.used) THEN
			kept := kept || format('sequence "%s", which does not belong to the column, is still there', s.title);
			CONTINUE;
		END IF;

		-- one that something else uses stays, and belongs to nothing
		user_of := (SELECT pg_describe_object(u.classid, u.objid, u.objsubid)
			FROM pg_depend AS u
			WHERE u.refclassid = 'pg_class'::regclass AND u.refobjid = s.oid AND NOT (u.classid = 'pg_attrdef'::regclass AND EXISTS (
				SELECT FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
				WHERE d.oid = u.objid AND d.adrelid = ANY (c.members) AND a.attname = idgen_adopt_column.column_name))
			LIMIT 1);
		IF user_of IS NULL THEN
			dropped := dropped || format('sequence "%s"', s.title);
			to_drop := to_drop || s.name;
		ELSIF c.identity <> '' THEN
			RAISE 'cannot drop sequence "%" of identity column "%" because something else uses it', s.title, idgen_adopt_column.column_name
				USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('It is %s.', user_of),
					HINT = 'Drop that first, or have it use something else.';
		ELSE
			PERFORM @extschema@.idgen_run(idgen_adopt_column.search_path::text, format('ALTER SEQUENCE %s OWNED BY NONE', s.name)::text);
			RAISE NOTICE 'sequence "%" was not dropped', s.title USING DETAIL = format('It is used by %s.', user_of);
		END IF;
	END LOOP;
	last_id := greatest(q.last_id, @extschema@.idgen_column_end(idgen_adopt_column.relation::oid, c.attnum::smallint, true::boolean, NULL::text, 'wait'::text));

	-- the row, which may be there: a migration has undone an adoption, or
	-- programs draw for the column
	IF target IS NULL AND cardinality(c.rows_of) = 1 THEN
		target := c.rows_of[1];
	ELSIF target IS NULL THEN
		FOR g IN 0 .. 1000 LOOP
			target := concat(c.table_name, '.', idgen_adopt_column.column_name, nullif(g, 0));
			EXIT WHEN target = ANY (c.rows_of) OR NOT EXISTS (SELECT FROM ONLY @extschema@.id_sequences AS w WHERE w.name = target);
		END LOOP;
	END IF;
	IF target = ANY (c.rows_of) THEN
		SELECT w.source INTO s FROM ONLY @extschema@.id_sequences AS w WHERE w.name = target FOR UPDATE;
		IF s.source <> 'table' THEN
			RAISE 'id sequence "%" with source "%" cannot be moved', target, s.source
				USING ERRCODE = 'feature_not_supported',
					HINT = 'Set the default of the column by ALTER TABLE, or give another name as the third argument.';
		END IF;
		PERFORM @extschema@.idgen_move_past(idgen_adopt_column.search_path::text, target::text, s.source::text, last_id::numeric);
		report := format('%s draws from id sequence "%s", which belongs to it already', c.title, target);
	ELSIF target IN ('transaction', 'worker', 'auto') AND c.table_name NOT LIKE '%.' || target THEN
		RAISE 'invalid name "%"', target
			USING ERRCODE = 'invalid_parameter_value',
				DETAIL = 'The third argument is the name of the id sequence, the fourth one is the refill.',
				HINT = format('Write refill => %L.', target);
	ELSE
		start := @extschema@.idgen_first_free_id(c.title::text, c.change::text, last_id::numeric, c.type_end::bigint);
		IF start > max_value THEN
			RAISE 'no id is left for %', c.title USING ERRCODE = 'sequence_generator_limit_exceeded',
				DETAIL = format('The MAXVALUE of its sequence is %s.', max_value), HINT = 'Raise that first.';
		END IF;
		INSERT INTO @extschema@.id_sequences AS w (name, next_block_start, block_size, max_value, refill, owned_by, start_value)
			VALUES (target, start, current_setting('idgen.default_block_size')::integer, max_value, idgen_adopt_column.refill,
				c.this, least(start, coalesce(least_value, 1)))
			ON CONFLICT ON CONSTRAINT id_sequences_pkey DO NOTHING;
		IF NOT FOUND THEN
			RAISE 'id sequence "%" already exists', target USING ERRCODE = 'duplicate_object',
				HINT = 'Give another name as the third argument, or delete that row if nothing draws from it.';
		END IF;
		report := format('%s now draws from id sequence "%s", beginning with %s, with refill "%s"', c.title, target, start, idgen_adopt_column.refill);
	END IF;

	-- inheritors have identities of their own; since 17, partitions share that
	-- of the partitioned table, and it is gone from all at once
	FOR s IN SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I DROP IDENTITY', n.nspname, r.relname, idgen_adopt_column.column_name) AS command, r.oid
		FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = ANY (c.members)
		ORDER BY r.relispartition
	LOOP
		CONTINUE WHEN NOT EXISTS (SELECT FROM pg_attribute AS a
			WHERE a.attrelid = s.oid AND a.attname = idgen_adopt_column.column_name AND a.attidentity <> '');
		PERFORM @extschema@.idgen_run(idgen_adopt_column.search_path::text, s.command::text);
	END LOOP;
	PERFORM @extschema@.idgen_run(idgen_adopt_column.search_path::text,
		format('%s SET DEFAULT %s(%L::pg_catalog.text)', c.change, '@extschema@.idgen_next', target)::text);
	FOR s IN SELECT d.name FROM unnest(to_drop) AS d (name) WHERE to_regclass(d.name) IS NOT NULL LOOP
		PERFORM @extschema@.idgen_run(idgen_adopt_column.search_path::text, format('DROP SEQUENCE %s', s.name)::text);
	END LOOP;

	-- programs may take these for the sequence of a serial column, and go on
	-- using them
	FOR s IN SELECT n.nspname || '.' || r.relname AS title
		FROM unnest(c.members) AS m (member) JOIN pg_class AS t ON t.oid = m.member
			JOIN pg_class AS r ON r.relnamespace = t.relnamespace AND r.relkind = 'S'
				AND r.relname = @extschema@.idgen_serial_name(t.relname::name, idgen_adopt_column.column_name::name)
			JOIN pg_namespace AS n ON n.oid = r.relnamespace
		WHERE r.oid = ANY (q.used) OR NOT EXISTS (SELECT FROM pg_depend AS u
			WHERE u.classid = 'pg_class'::regclass AND u.objid = r.oid AND u.refclassid = 'pg_class'::regclass AND u.deptype IN ('a', 'i'))
	LOOP
		RAISE WARNING 'sequence "%" is still there', s.title
			USING DETAIL = format('Ids that programs take from it by nextval() are issued by id sequence "%s", too.', target),
				HINT = format('Drop it if nothing else needs it. Have such programs leave ids to the default of the column and read them by RETURNING, not by currval() or lastval(), or call %s().', '@extschema@.idgen_next');
	END LOOP;

	dropped := CASE WHEN c.identity <> '' THEN '{identity}' WHEN c.has_default THEN '{default}' ELSE '{}' END::text[] || dropped;
	RETURN report
		|| CASE cardinality(dropped) WHEN 0 THEN '' WHEN 1 THEN format('; its %s was dropped', dropped[1])
			ELSE format('; its %s and %s were dropped', array_to_string(trim_array(dropped, 1), ', '), dropped[cardinality(dropped)]) END
		|| coalesce('; ' || nullif(array_to_string(kept, '; '), ''), '')
		|| CASE WHEN c.domain IS NOT NULL THEN format('; the default of domain %s does not apply to it any more', format_type(c.domain, NULL)) ELSE '' END
		|| CASE c.identity WHEN 'a' THEN '; explicit values are accepted from now on' ELSE '' END;
END
$$;

CREATE FUNCTION @extschema@.idgen_adopt(relation regclass, column_name name, name text DEFAULT NULL, refill text DEFAULT 'auto') RETURNS text
	LANGUAGE sql VOLATILE PARALLEL UNSAFE
	RETURN @extschema@.idgen_adopt_column(relation, column_name, name, refill, current_setting('search_path'));

-- Other sessions may still draw cached ids until this transaction commits, but
-- these lie below where the new sequence begins.
CREATE FUNCTION @extschema@.idgen_release_column(relation regclass, column_name name, kind text, search_path text) RETURNS text
	LANGUAGE plpgsql STRICT VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	c record;
	q record;
	w record;
	s record;
	target text;
	start numeric;
	sequence oid;
	report text;
BEGIN
	IF idgen_release_column.kind NOT IN ('identity', 'serial') THEN
		RAISE 'invalid kind "%"', idgen_release_column.kind
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid values are: identity, serial.';
	END IF;
	c := @extschema@.idgen_hold_column('idgen_release'::text, idgen_release_column.relation::regclass, idgen_release_column.column_name::name,
		'{SELECT, UPDATE, DELETE}'::text[]);

	-- the id sequence that it draws from or, if it has lost its default, the
	-- one that belongs to it
	target := (SELECT k.name FROM @extschema@.idgen_calls(c.expression::pg_node_tree) AS k WHERE k.form = 'bigint' AND k.source IS NULL AND k.plain);
	IF target IS NULL THEN
		target := c.rows_of[1];
		IF cardinality(c.rows_of) <> 1 THEN
			RAISE '% does not draw from an id sequence', c.title
				USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Its default is not a plain call of idgen_next() with a constant name.';
		ELSIF c.expression IS NOT NULL OR c.identity <> '' THEN
			RAISE '% does not draw from id sequence "%", which belongs to it', c.title, target
				USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It has another default, or is an identity column.',
					HINT = 'To keep that, delete the row of the id sequence. To have the column draw from it again, call @extschema@.idgen_adopt().';
		END IF;
	END IF;
	IF idgen_release_column.kind = 'identity' AND NOT c.partitioned AND cardinality(c.members) > 1 THEN
		RAISE 'cannot make an identity column of a column that other tables have inherited'
			USING ERRCODE = 'feature_not_supported',
				DETAIL = format('Table "%s" has inheritance children, and they would not inherit the identity.', c.table_name),
				HINT = 'Children inherit the default of a column of kind "serial".';
	END IF;
	SELECT k.table_name INTO s FROM @extschema@.idgen_member_calls(c.members::oid[], idgen_release_column.column_name::name) AS k
		WHERE k.form <> 'nextval' AND k.name <> target;
	IF FOUND THEN
		RAISE 'column "%" of table "%" draws from another id sequence', idgen_release_column.column_name, s.table_name
			USING ERRCODE = 'object_not_in_prerequisite_state';
	END IF;

	-- who else draws from it, and counts
	FOR s IN
		-- subqueries, lest other columns are looked up
		SELECT 'another column' AS what, d.adrelid AS relation,
				(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = d.adrelid AND a.attnum = d.adnum) AS attname,
				(SELECT n.nspname || '.' || r.relname FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = d.adrelid) AS title,
				(SELECT r.relowner FROM pg_class AS r WHERE r.oid = d.adrelid) AS owner
			FROM pg_attrdef AS d CROSS JOIN LATERAL @extschema@.idgen_calls(d.adbin::pg_node_tree) AS k
			WHERE k.form <> 'nextval' AND k.name = target
		UNION ALL
		SELECT 'a domain', NULL, NULL, format_type(y.oid, NULL), y.typowner
			FROM pg_type AS y CROSS JOIN LATERAL @extschema@.idgen_calls(y.typdefaultbin::pg_node_tree) AS k
			WHERE k.form <> 'nextval' AND k.name = target
	LOOP
		CONTINUE WHEN s.relation = ANY (c.members) AND s.attname = idgen_release_column.column_name
			OR NOT @extschema@.idgen_counts(s.owner::oid, c.owner::oid, NULL::oid);
		RAISE 'cannot delete id sequence "%" because % draws from it', target, s.what
			USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Have that draw from another id sequence first.',
				DETAIL = format(CASE WHEN s.relation IS NULL THEN 'It is domain %2$s.' ELSE 'It is column "%s" of table "%s".' END, s.attname, s.title);
	END LOOP;

	q := @extschema@.idgen_hold_sequences(c.members::oid[], idgen_release_column.column_name::name);
	SELECT r.* INTO w FROM ONLY @extschema@.id_sequences AS r WHERE r.name = target FOR UPDATE;
	IF NOT FOUND THEN
		RAISE 'id sequence "%" does not exist', target USING ERRCODE = 'undefined_object',
			HINT = format('Run %s(%L, %L), which creates it, past the ids that the column has.', '@extschema@.idgen_sync', c.relation_name, idgen_release_column.column_name);
	ELSIF w.source <> 'table' THEN
		RAISE 'cannot move back a column that draws from id sequence "%" with source "%"', target, w.source
			USING ERRCODE = 'feature_not_supported',
				HINT = 'Set source to ''table'' and next_block_start behind all of its ids before. Or set the default of the column by ALTER TABLE, and delete the row.';
	ELSIF w.period IS NOT NULL THEN
		RAISE 'cannot move back a column whose ids start anew each %', w.period
			USING ERRCODE = 'feature_not_supported', DETAIL = format('Id sequence "%s" has periods.', target);
	ELSIF w.layout <> 'plain' THEN
		RAISE 'cannot move back a column that draws % ids', CASE w.layout WHEN 'scrambled' THEN 'scrambled' ELSE 'composed' END
			USING ERRCODE = 'feature_not_supported', DETAIL = format('The layout of id sequence "%s" is not "plain".', target);
	END IF;
	start := @extschema@.idgen_first_free_id(c.title::text, c.change::text, greatest(q.last_id,
		w.next_block_start::numeric - CASE WHEN w.exhausted = 1 AND w.next_block_start = 9223372036854775807 THEN 0 ELSE 1 END,
		@extschema@.idgen_column_end(idgen_release_column.relation::oid, c.attnum::smallint, true::boolean, NULL::text, 'wait'::text))::numeric, c.type_end::bigint);

	-- The server looks whether CHECKs say so already, and may run functions in
	-- them. None of several owners may run the code of another. Nor may the
	-- table be found by its name, which may lead to another one by now: its
	-- owner may have renamed the schema.
	SELECT bool_or(r.relchecks > 0 AND NOT a.attnotnull) AS checked, count(DISTINCT r.relowner) > 1 AS shared INTO s
		FROM pg_class AS r JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attname = idgen_release_column.column_name
		WHERE r.oid = ANY (c.members);
	IF s.checked AND s.shared THEN
		RAISE 'cannot set column "%" of table "%" NOT NULL for several owners', idgen_release_column.column_name,
				(SELECT r.relname FROM pg_class AS r WHERE r.oid = idgen_release_column.relation) USING ERRCODE = 'insufficient_privilege',
			DETAIL = 'Tables that inherit it have other owners, whose CHECK constraints could run with the rights of another.',
			HINT = 'Set it NOT NULL in each table, as its owner, before.';
	END IF;
	PERFORM @extschema@.idgen_set_not_null(idgen_release_column.relation::oid, idgen_release_column.column_name::name, (NOT s.shared)::boolean);
	IF idgen_release_column.kind = 'serial' THEN
		sequence := @extschema@.idgen_make_serial(idgen_release_column.relation::oid, idgen_release_column.column_name::name, start::bigint);
		SELECT n.nspname, r.relname INTO s FROM pg_class AS r JOIN pg_namespace AS n ON n.oid = r.relnamespace WHERE r.oid = sequence;
		PERFORM @extschema@.idgen_run(idgen_release_column.search_path::text, format('%s SET DEFAULT pg_catalog.nextval(%L::pg_catalog.regclass)',
			c.change, format('%I.%I', s.nspname, s.relname))::text);
		report := format('%s now draws from sequence "%s.%s"', c.title, s.nspname, s.relname);
	ELSE
		PERFORM @extschema@.idgen_run(idgen_release_column.search_path::text, format('%s DROP DEFAULT, ALTER COLUMN %I ADD GENERATED BY DEFAULT AS IDENTITY (START WITH %s MINVALUE %s)',
			c.change, idgen_release_column.column_name, start, least(start, 1))::text);
		report := format('%s is now an identity column', c.title);
	END IF;
	DELETE FROM ONLY @extschema@.id_sequences AS r WHERE r.name = target;
	IF NOT FOUND THEN
		RAISE 'permission denied for table id_sequences' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN format('%s, beginning with %s; id sequence "%s" was deleted%s', report, start, target,
		CASE WHEN idgen_release_column.kind = 'identity' AND cardinality(c.members) > 1 AND NOT EXISTS (
			SELECT FROM pg_attribute AS a WHERE a.attrelid = ANY (c.members) AND a.attrelid <> idgen_release_column.relation AND a.attidentity <> '')
		THEN '; rows inserted directly into a partition get no id' END);
END
$$;

CREATE FUNCTION @extschema@.idgen_release(relation regclass, column_name name, kind text DEFAULT 'identity') RETURNS text
	LANGUAGE sql VOLATILE PARALLEL UNSAFE
	RETURN @extschema@.idgen_release_column(relation, column_name, kind, current_setting('search_path'));

COMMENT ON FUNCTION @extschema@.idgen_adopt(regclass, name, text, text) IS 'have a column draw from a new id sequence';
COMMENT ON FUNCTION @extschema@.idgen_release(regclass, name, text) IS 'have a column draw from a native sequence again, as an identity or serial column';

COMMENT ON FUNCTION @extschema@.idgen_stats_reset() IS 'set the counters in idgen_stats to zero';

CREATE VIEW @extschema@.idgen_stats WITH (security_invoker = true) AS
	SELECT f.name COLLATE "C" AS name, f.source,
		CASE WHEN f.native IS NULL THEN f.object_name ELSE f.native::regclass::text END AS source_name,
		coalesce(f.refill, 'transaction') AS refill, f.cache, f.ids_issued, f.ids_cached,
		least(f.ids_lost_changed::numeric + f.ids_lost_prepared + f.ids_lost_crowded, 9223372036854775807)::bigint AS ids_lost,
		f.ids_lost_changed, f.ids_lost_prepared, f.ids_lost_crowded,
		f.blocks_taken, f.refills, f.waits, f.last_refill,
		CASE WHEN f.refill <> 'transaction' AND f.source <> 'function' THEN f.prefetch_blocks END AS prefetch_blocks,
		round(@extschema@.idgen_percent_left(e, e.limit_value), 2) AS percent_left,
		f.session_refills, f.counted_since,
		f.refill_ms_total, f.wait_ms_total
	FROM @extschema@.idgen_facts(true, true) AS f CROSS JOIN LATERAL @extschema@.idgen_extent_of(f) AS e
	WHERE f.cache IS NOT NULL AND f.usable
	ORDER BY name, f.cache, f.native;

CREATE VIEW @extschema@.idgen_cache WITH (security_invoker = true) AS
	SELECT f.name COLLATE "C" AS name, b.first_id, b.last_id, b.state
	FROM @extschema@.idgen_facts(true, true) AS f,
		unnest(f.block_starts, f.block_ends, f.block_states) AS b (first_id, last_id, state)
	ORDER BY name, b.last_id, f.native, b.state = 'pending', b.first_id DESC;

CREATE VIEW @extschema@.idgen_server WITH (security_invoker = true) AS
	SELECT * FROM @extschema@.idgen_server_state();

CREATE VIEW @extschema@.idgen_health WITH (security_invoker = true) AS
	SELECT name COLLATE "C" AS name, source, source_name, refill, columns,
		limit_value, limited_by,
		round(percent_left, 2) AS percent_left,
		round(ids_per_second::numeric, 3) AS ids_per_second,
		counted_since, used_up_on, worker, problem_kind, problem
	FROM @extschema@.idgen_conditions()
	ORDER BY name, source_name;

CREATE VIEW @extschema@.idgen_columns WITH (security_invoker = true) AS
	SELECT * FROM @extschema@.idgen_all_columns();

CREATE VIEW @extschema@.idgen_watermarks WITH (security_invoker = true) AS
	SELECT f.name COLLATE "C" AS name, CASE WHEN w.last_id >= -9223372036854775808 THEN w.last_id::bigint END AS watermark, (d.last_id - w.last_id)::bigint AS lag,
		nullif(f.noted_pid, 0) AS held_by_pid, nullif(f.noted_xid, '0') AS held_by_transaction, f.noted_since AS held_since
	FROM @extschema@.idgen_facts(false, true) AS f CROSS JOIN LATERAL @extschema@.idgen_extent_of(f) AS e
		CROSS JOIN LATERAL (SELECT least(coalesce(e.next_value - 1, e.last_value), f.next_cached::numeric - 1) AS last_id) AS d
		LEFT JOIN LATERAL (SELECT least(d.last_id, f.noted_id::numeric - 1) AS last_id) AS w ON f.watermark_known
	WHERE f.watermark
	ORDER BY name;

CREATE VIEW @extschema@.idgen_centre_marks WITH (security_invoker = true) AS
	SELECT f.name::varchar(255) COLLATE "C" AS name, CASE WHEN f.usable AND NOT f.object_missing THEN f.object_name::name END AS server,
		f.centre_last_id AS last_id, f.centre_system AS system_identifier, f.centre_timeline AS timeline,
		CASE WHEN f.usable THEN f.went_back END AS went_back
	FROM @extschema@.idgen_facts(false, true) AS f
	WHERE f.source = 'server'
	ORDER BY name;

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
COMMENT ON COLUMN @extschema@.idgen_stats.ids_lost_crowded IS 'ids that became a gap because there was no room for another block in the cache';
COMMENT ON COLUMN @extschema@.idgen_stats.blocks_taken IS 'blocks that refills brought';
COMMENT ON COLUMN @extschema@.idgen_stats.refills IS 'number of refills';
COMMENT ON COLUMN @extschema@.idgen_stats.waits IS 'how often a session waited for a refill of another session, or of the worker';
COMMENT ON COLUMN @extschema@.idgen_stats.last_refill IS 'time of the last refill';
COMMENT ON COLUMN @extschema@.idgen_stats.prefetch_blocks IS 'number of blocks that the worker asked for last; null if it does not refill';
COMMENT ON COLUMN @extschema@.idgen_stats.percent_left IS 'percentage of the ids from start_value to max_value that no block holds yet; null if not known';
COMMENT ON COLUMN @extschema@.idgen_stats.session_refills IS 'refills that a session did itself, and not the worker';
COMMENT ON COLUMN @extschema@.idgen_stats.counted_since IS 'since when all this is counted';
COMMENT ON COLUMN @extschema@.idgen_stats.refill_ms_total IS 'milliseconds that refills took in all';
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
COMMENT ON COLUMN @extschema@.idgen_cache.state IS 'published: for all sessions; pending: for the current transaction only';
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
COMMENT ON COLUMN @extschema@.idgen_server.ids_evicted IS 'cached ids that became a gap because their id sequence gave way to another one';
COMMENT ON COLUMN @extschema@.idgen_server.ids_lost IS 'ids_lost of the id sequences that gave way or were deleted, and ids that were allocated for those';
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
-- What becomes of an id sequence when its column is dropped. The triggers come
-- last, so that they do not fire for this script. They are fired "always", like
-- those on the table.
--

CREATE FUNCTION @extschema@.idgen_columns_dropped() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'idgen_columns_dropped' LANGUAGE C;

CREATE EVENT TRIGGER idgen_columns_dropped ON sql_drop
	EXECUTE FUNCTION @extschema@.idgen_columns_dropped();

ALTER EVENT TRIGGER idgen_columns_dropped ENABLE ALWAYS;

-- Refuses to rename the schema, which the bodies of functions name; and to make
-- triggers on tables of somebody else. What stands on these runs with the
-- rights of their owner when somebody draws, or a server leases a node number,
-- so the privilege TRIGGER does not suffice.
CREATE FUNCTION @extschema@.idgen_refuse() RETURNS event_trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relation regclass;
BEGIN
	IF to_regnamespace('@extschema@') IS NULL THEN
		RAISE 'cannot rename schema % because it has extension "idgen"', '@extschema@'
			USING ERRCODE = 'feature_not_supported';
	END IF;
	SELECT t.tgrelid INTO relation
		FROM pg_event_trigger_ddl_commands() AS d JOIN pg_trigger AS t ON t.oid = d.objid JOIN pg_class AS r ON r.oid = t.tgrelid
		WHERE d.classid = 'pg_trigger'::regclass AND NOT pg_has_role(r.relowner, 'USAGE')
			-- which takes no privilege on the schema, as regclass does
			AND r.relnamespace = to_regnamespace('@extschema@') AND r.relname IN ('id_sequences', 'idgen_secrets', 'idgen_marks', 'idgen_node_numbers', 'idgen_leases');
	IF FOUND THEN
		RAISE 'must be owner of table % to make a trigger there', relation
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = 'It would run with the rights of the owner when somebody draws, or leases a node number.';
	END IF;
END
$$;

CREATE EVENT TRIGGER idgen_refuse ON ddl_command_end
	WHEN TAG IN ('ALTER SCHEMA', 'CREATE TRIGGER')
	EXECUTE FUNCTION @extschema@.idgen_refuse();

ALTER EVENT TRIGGER idgen_refuse ENABLE ALWAYS;

--
-- Rights. At first all that there is belongs to its owner alone, whatever
-- default privileges give or take. Then each object gets what it is for. What
-- has no comment by then is a function that nobody calls by name.
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
				FROM members JOIN pg_type ON classid = 'pg_type'::regclass AND objid = oid
				-- since 18, row types of tables and arrays are members, too
				WHERE typcategory <> 'A' AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = typrelid AND c.relkind <> 'c'))
		SELECT DISTINCT format('REVOKE ALL ON %s %s FROM %s', kind, identity,
				CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
			FROM objects, aclexplode(acl) WHERE grantee <> owner
		UNION ALL SELECT format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', identity)
			FROM members JOIN pg_proc ON classid = 'pg_proc'::regclass AND objid = oid
			WHERE (prorettype <> ALL ('{trigger, event_trigger}'::regtype[]) OR proname = 'idgen_number_at_commit') AND
				proname <> ALL ('{idgen_next_support, idgen_fdw_validator, idgen_stats_reset,
					idgen_lease_node, idgen_reserve_node}')
		UNION ALL SELECT format('COMMENT ON FUNCTION %s IS %L', identity, 'internal: see the script that makes it')
			FROM members WHERE classid = 'pg_proc'::regclass AND obj_description(objid, 'pg_proc') IS NULL
		ORDER BY 1 DESC -- REVOKE before GRANT
	LOOP
		EXECUTE command;
	END LOOP;
END
$$;

GRANT USAGE ON TYPE @extschema@.idgen_column TO PUBLIC;

-- A role that may read a row may draw from it.
GRANT SELECT ON @extschema@.id_sequences TO PUBLIC;

GRANT SELECT ON @extschema@.idgen_stats, @extschema@.idgen_health, @extschema@.idgen_cache, @extschema@.idgen_server, @extschema@.idgen_columns, @extschema@.idgen_watermarks, @extschema@.idgen_centre_marks TO PUBLIC;

-- The table has only hashes of tokens in it, and is dumped by the owner of the
-- database, as marks are. Nobody else reads idgen_leases, which has the tokens,
-- and idgen_secrets.
GRANT SELECT ON @extschema@.idgen_node_numbers, @extschema@.idgen_nodes, @extschema@.idgen_marks TO pg_monitor, pg_database_owner;
