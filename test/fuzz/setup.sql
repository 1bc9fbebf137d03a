-- What the generator's statements use, made new, by a superuser.
BEGIN;
SET LOCAL lock_timeout = '2s';
SET LOCAL statement_timeout = '60s';
SET LOCAL search_path = public;
RESET ROLE;
DROP EVENT TRIGGER IF EXISTS e;
DROP EXTENSION IF EXISTS idgen CASCADE;
DROP SCHEMA IF EXISTS public, other, centre CASCADE;
CREATE SCHEMA public;
CREATE SCHEMA other;
CREATE SCHEMA centre;
GRANT ALL ON SCHEMA public, other, centre TO PUBLIC;
CREATE EXTENSION idgen;
ALTER TABLE id_sequences OWNER TO fuzz_owner;
ALTER TABLE idgen_secrets OWNER TO fuzz_owner;
ALTER TABLE idgen_leases OWNER TO fuzz_owner;
ALTER TABLE idgen_marks OWNER TO fuzz_owner;
ALTER TABLE idgen_node_numbers OWNER TO fuzz_owner;
ALTER VIEW idgen_nodes OWNER TO fuzz_owner;
ALTER VIEW id_sequences_by_last_id OWNER TO fuzz_owner;
GRANT ALL ON FOREIGN DATA WRAPPER idgen_fdw TO fuzz_owner;

-- Other servers: this database, another one, one that never answers, one that
-- is not there.
CREATE TABLE centre.id_sequences (
	name varchar(255) PRIMARY KEY,
	next_block_start bigint NOT NULL,
	block_size integer NOT NULL,
	exhausted smallint NOT NULL DEFAULT 0);
INSERT INTO centre.id_sequences VALUES ('server', 1, 20);
GRANT ALL ON centre.id_sequences TO PUBLIC;
DO $$
DECLARE
	server record;
BEGIN
	FOR server IN
		SELECT * FROM (VALUES ('loop', current_database()), ('other', 'fuzz_latin1')) AS v (name, database)
	LOOP
		EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER idgen_fdw
			OPTIONS (host %L, port %L, dbname %L, schema_name ''centre'', remote_name ''server'')',
			server.name, current_setting('unix_socket_directories'), current_setting('port'), server.database);
	END LOOP;
	EXECUTE format('CREATE SERVER silent FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L)', current_setting('fuzz.silent'));
END
$$;
CREATE SERVER nowhere FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/nonexistent');
CREATE USER MAPPING FOR PUBLIC SERVER loop OPTIONS (user 'fuzz_super', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER other OPTIONS (user 'fuzz_super', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER silent OPTIONS (user 'fuzz_super', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER nowhere OPTIONS (user 'fuzz_super', password_required 'false');
GRANT USAGE ON FOREIGN SERVER loop, other, silent, nowhere TO PUBLIC;

-- What follows belongs to the owner of id_sequences.
SET LOCAL ROLE fuzz_owner;
CREATE SEQUENCE seq_seq INCREMENT BY 20;
CREATE SEQUENCE ones_seq;
CREATE SEQUENCE cycling_seq INCREMENT BY 7 MAXVALUE 1000 CYCLE;
CREATE SEQUENCE descending_seq INCREMENT BY -3;
CREATE SEQUENCE pooled_seq INCREMENT BY 20;
CREATE SEQUENCE hilo_seq;
CREATE SEQUENCE "Odd Name" INCREMENT BY 5 CACHE 10;

-- Functions; the generator replaces most of them.
CREATE FUNCTION alloc_good(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql SECURITY DEFINER AS $$
	SELECT n * 20 + 1, n * 20 + 20 FROM (SELECT nextval('ones_seq') AS n FROM generate_series(1, least(blocks, 100))) s
$$;
CREATE FUNCTION alloc_strange(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$
	SELECT * FROM alloc_good(name, blocks)
$$;
CREATE FUNCTION alloc_nonsense(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$
	VALUES (NULL::bigint, 5::bigint)
$$;
CREATE FUNCTION alloc_drawing(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$
	SELECT n * 20, n * 20 + 19 FROM idgen_next('plain') AS n
$$;
CREATE FUNCTION called() RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN idgen_next('plain'); END
$$;
CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM idgen_next('plain'); RETURN NEW; END
$$;
CREATE FUNCTION evented() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM idgen_next('worker'); END
$$;
CREATE FUNCTION recurse(n integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	IF n > 0 THEN
		PERFORM recurse(n - 1);
	END IF;
	RETURN idgen_next('plain') + idgen_next('func');
END
$$;

-- Id sequences of every kind
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name, refill, layout, big_base) VALUES
	('plain', 1, 20, 'table', NULL, 'transaction', 'plain', 0),
	('gapless', 1, 1, 'table', NULL, 'transaction', 'plain', 0),
	('worker', 1, 20, 'table', NULL, 'worker', 'plain', 0),
	('gapless_worker', 1, 1, 'table', NULL, 'worker', 'plain', 0),
	('native', 1, 20, 'sequence', 'public.seq_seq', 'transaction', 'plain', 0),
	('native_worker', 1, 20, 'sequence', 'public.seq_seq', 'worker', 'plain', 0),
	('ones_worker', 1, 50, 'sequence', 'public.ones_seq', 'worker', 'plain', 0),
	('cycling', 1, 20, 'sequence', 'public.cycling_seq', 'transaction', 'plain', 0),
	('descending', 1, 20, 'sequence', 'public.descending_seq', 'worker', 'plain', 0),
	('func', 1, 20, 'function', 'public.alloc_good', 'transaction', 'plain', 0),
	('strange', 1, 20, 'function', 'public.alloc_strange', 'transaction', 'plain', 0),
	('drawing', 1, 20, 'function', 'public.alloc_drawing', 'transaction', 'plain', 0),
	('nonsense', 1, 1, 'function', 'public.alloc_nonsense', 'transaction', 'plain', 0),
	('server', 1, 20, 'server', 'loop', 'transaction', 'plain', 0),
	('server_worker', 1, 20, 'server', 'loop', 'worker', 'plain', 0),
	('other', 1, 20, 'server', NULL, 'transaction', 'plain', 0),
	('silent', 1, 20, 'server', NULL, 'transaction', 'plain', 0),
	('silent_worker', 1, 20, 'server', 'silent', 'worker', 'plain', 0),
	('nowhere', 1, 20, 'server', NULL, 'worker', 'plain', 0),
	('big', 1, 20, 'table', NULL, 'transaction', 'plain', 1e37),
	('prefixed', 1, 20, 'table', NULL, 'transaction', 'prefixed', 0),
	('session', 1, 20, 'sequence', 'public.ones_seq', 'transaction', 'session', 5),
	('reversed', 1, 20, 'table', NULL, 'transaction', 'prefixed_reversed', 0),
	('worker_reversed', 1, 20, 'table', NULL, 'worker', 'session_reversed', 0),
	('exhausted', 1, 20, 'table', NULL, 'transaction', 'plain', 0),
	('nearly', 9223372036854775800, 3, 'table', NULL, 'worker', 'plain', 0),
	('negative', -9223372036854775808, 20, 'table', NULL, 'transaction', 'plain', 0),
	('far', 99999999999990, 20, 'table', NULL, 'transaction', 'prefixed', 0),
	('auto', 1, 20, 'table', NULL, 'auto', 'plain', 0),
	('gapless_auto', 1, 1, 'table', NULL, 'auto', 'plain', 0),
	('native_auto', 1, 20, 'sequence', 'public.seq_seq', 'auto', 'plain', 0),
	('server_auto', 1, 20, 'server', 'loop', 'auto', 'plain', 0);
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name, refill, pooling) VALUES
	('pooled', 1, 20, 'sequence', 'public.pooled_seq', 'transaction', 'pooled'),
	('hilo', 1, 20, 'sequence', 'public.hilo_seq', 'auto', 'hilo'),
	('legacy', 1, 20, 'sequence', 'public.seq_seq', 'worker', 'pooled');
INSERT INTO id_sequences (name, next_block_start, format) VALUES
	('text', 1, 'INV-{YYYY}-{id:6}{luhn}'),
	('key', 1, '{id:base58:11}');
UPDATE id_sequences SET max_value = 100, exhausted = 1 WHERE name = 'exhausted';
INSERT INTO id_sequences (name, next_block_start, block_size, refill, max_children, period, time_zone, format) VALUES
	('invoice/*', 1, 1, 'transaction', NULL, NULL, NULL, 'INV-{id:6}'),
	('invoice/b/*', 1, 20, 'worker', NULL, NULL, NULL, NULL),
	('limited/*', 1, 20, 'auto', 3, NULL, NULL, NULL),
	('book/*', 1, 1, 'transaction', 5, 'month', 'Asia/Tokyo', 'B{YYYY}{MM}{id:4}'),
	('yearly', 1, 1, 'transaction', NULL, 'year', NULL, 'INV-{YYYY}-{id:6}'),
	('daily', 1, 20, 'worker', NULL, 'day', 'UTC', NULL),
	('checked', 1, 20, 'auto', NULL, NULL, NULL, '{id:9}{luhn}');
INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name, layout, max_value, format) VALUES
	('scrambled', 1, 20, 'table', NULL, 'scrambled', 9223372036854775807, NULL),
	('secret', 1, 20, 'sequence', 'public.ones_seq', 'scrambled', 9223372036854775807, '{id:base58:11}'),
	('coded/*', 1, 20, 'table', NULL, 'scrambled', 1000, '{id:base36:3}'),
	('funcs/*', 1, 20, 'function', 'public.alloc_good', 'plain', 9223372036854775807, NULL),
	('natives/*', 1, 20, 'sequence', 'public.seq_seq', 'plain', 9223372036854775807, NULL),
	('servers/*', 1, 20, 'server', 'loop', 'plain', 9223372036854775807, NULL);

-- Columns to adopt, and others
CREATE TABLE t_serial (id serial PRIMARY KEY, v integer);
CREATE TABLE t_identity (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v integer);
CREATE TABLE t_plain (id integer PRIMARY KEY, v integer);
CREATE TABLE t_small (id smallserial, v integer);
CREATE TABLE t_default (id bigint DEFAULT idgen_next('plain') PRIMARY KEY, v integer);
CREATE TABLE t_text (id text DEFAULT idgen_next_text('text') PRIMARY KEY, v integer);
CREATE TABLE t_composed (
	id bigint DEFAULT idgen_next('prefixed'),
	n numeric DEFAULT idgen_next_big('big'),
	w bigint DEFAULT idgen_next('worker'),
	f bigint DEFAULT idgen_next('func'),
	u bigint DEFAULT idgen_unique_id(),
	v integer);
CREATE TABLE t_parts (id bigserial, v integer) PARTITION BY RANGE (id);
CREATE TABLE t_parts_1 PARTITION OF t_parts FOR VALUES FROM (1) TO (1000);
CREATE TABLE t_parts_2 PARTITION OF t_parts DEFAULT;
CREATE TABLE t_parent (id serial, v integer);
CREATE TABLE t_child (w integer) INHERITS (t_parent);
CREATE TABLE t_generated (id integer DEFAULT 5, v integer, gone integer, d integer GENERATED ALWAYS AS (id + 1) STORED);
ALTER TABLE t_generated DROP gone;
CREATE TABLE t_owner (id bigint DEFAULT idgen_next('owned') PRIMARY KEY, v integer);
SELECT idgen_create('owned', owned_by => 't_owner.id', refill => 'auto');
INSERT INTO t_owner VALUES (3), (30);
CREATE TABLE t_many AS SELECT g AS id FROM generate_series(1, 1000) AS g;
INSERT INTO t_plain VALUES (7, 1);
CREATE VIEW v_view AS SELECT * FROM t_serial;
CREATE MATERIALIZED VIEW m_view AS SELECT id, v FROM t_plain;
CREATE FOREIGN TABLE f_table (id serial, v integer) SERVER nowhere;
GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO PUBLIC;
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON id_sequences FROM PUBLIC;
COMMIT;
