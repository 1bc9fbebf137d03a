--
-- A role that may create operators at the centre cannot have them run with the
-- rights of the role as which nodes connect
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

-- an operator for every pair of types that none of the server's own is made for
CREATE SCHEMA trap;
CREATE FUNCTION make_traps() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	types regtype[] := '{smallint,integer,bigint,numeric,text,varchar,bpchar}';
	trap record;
	traps bigint := 0;
BEGIN
	FOR trap IN
		SELECT o.name, l.type AS left, r.type AS right, row_number() OVER () AS n
		FROM unnest('{=,<,>,<=,>=,<>,+,-,*,/}'::text[]) AS o (name), unnest(types) AS l (type), unnest(types) AS r (type)
		WHERE NOT EXISTS (SELECT FROM pg_operator p WHERE p.oprname = o.name AND p.oprleft = l.type AND p.oprright = r.type)
	LOOP
		EXECUTE format('CREATE FUNCTION trap.f%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION %L; END$f$',
			trap.n, trap.left, trap.right, CASE WHEN trap.name ~ '[=<>]' THEN 'boolean' ELSE 'numeric' END,
			format('trapped: %s %s %s', trap.left, trap.name, trap.right));
		EXECUTE format('CREATE OPERATOR trap.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = trap.f%s)',
			trap.name, trap.left, trap.right, trap.n);
		traps := traps + 1;
	END LOOP;
	RETURN traps;
END $$;
SELECT make_traps() > 100 AS many;

DO $$
BEGIN
	EXECUTE format('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, options %L)',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database(),
		'-c search_path=centre,trap');
	EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user %L)', current_user);
END$$;
CREATE SCHEMA centre;
CREATE TABLE centre.id_sequences (name varchar(255) PRIMARY KEY, next_block_start bigint, block_size integer, exhausted smallint);
INSERT INTO centre.id_sequences VALUES ('gen', 1, 3, 0);
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT idgen_peek('gen');
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 20);
SELECT idgen_next_range('gen', 10);

-- with other columns of an id_sequences that is idgen's, too
ALTER TABLE centre.id_sequences ADD max_value bigint DEFAULT 40, ADD source text DEFAULT 'table';
SELECT idgen_next_range('gen', 5);
SELECT array_agg(idgen_next('gen')) FROM generate_series(1, 5);
SELECT idgen_next('gen');
SELECT * FROM centre.id_sequences;

-- and the traps work
SET search_path = public, trap;
SELECT 1.5 + 1::bigint;
RESET search_path;

SET client_min_messages = warning;
DROP SCHEMA centre, trap CASCADE;
DROP FUNCTION make_traps();
DROP EXTENSION idgen CASCADE;
