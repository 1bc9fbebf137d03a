--
-- View idgen_health shows members of pg_monitor all id sequences, and other
-- roles those that they may draw from
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_monitor;
CREATE ROLE regress_idgen_reader;
GRANT pg_monitor TO regress_idgen_monitor;
CREATE SEQUENCE native_seq;
CREATE SEQUENCE bare_seq INCREMENT 10;
SELECT idgen_create('open');
SELECT idgen_create('hidden');
SELECT idgen_create('native', source => 'sequence');
SELECT idgen_next('bare', 'sequence');

-- privileges on native sequences
SELECT name FROM idgen_health WHERE name IS NOT NULL;
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
SET ROLE regress_idgen_monitor;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
GRANT USAGE ON SEQUENCE bare_seq TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;

-- privileges on other servers
CREATE SERVER regress_idgen_central FOREIGN DATA WRAPPER idgen_fdw;
SELECT idgen_create('remote', source => 'server', source_name => 'regress_idgen_central');
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
SET ROLE regress_idgen_monitor;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER regress_idgen_central TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
DROP SERVER regress_idgen_central;
DELETE FROM id_sequences WHERE name = 'remote';

-- privileges on functions
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'VALUES (1::bigint, 10::bigint)';
REVOKE EXECUTE ON FUNCTION allocate FROM PUBLIC;
SELECT idgen_create('by function', source => 'function', source_name => 'allocate');
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
SET ROLE regress_idgen_monitor;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
GRANT EXECUTE ON FUNCTION allocate TO regress_idgen_reader;
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
DELETE FROM id_sequences WHERE name = 'by function';
DROP FUNCTION allocate;

-- row security
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY open ON id_sequences FOR SELECT USING (name = 'open');
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
SET ROLE regress_idgen_monitor;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- without the privilege to draw at all
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_reader;
SELECT name FROM idgen_health WHERE name IS NOT NULL;
\echo :SQLSTATE
SET ROLE regress_idgen_monitor;
SELECT name FROM idgen_health WHERE name IS NOT NULL;

-- a member of pg_monitor needs no privilege on schemas in which sequences are
RESET ROLE;
CREATE SCHEMA regress_idgen_closed;
CREATE SEQUENCE regress_idgen_closed.s;
SELECT idgen_create('closed', source => 'sequence', source_name => 'regress_idgen_closed.s');
SET ROLE regress_idgen_monitor;
SELECT name, source_name, percent_left, problem FROM idgen_health WHERE name = 'closed';
RESET ROLE;

-- a table that cannot be opened, since that takes more stack than there is,
-- does not keep others from being shown
CREATE TABLE unopened (id bigint PRIMARY KEY);
SELECT idgen_adopt('unopened', 'id') IS NOT NULL;
DO $$
BEGIN
	FOR depth IN REVERSE 20000 .. 1000 BY 500 LOOP
		BEGIN
			EXECUTE format('CREATE POLICY deep ON unopened USING (id > 0 %s)', repeat('+ 1', depth));
			DROP POLICY deep ON unopened;
			EXECUTE format('CREATE POLICY deep ON unopened USING (id > 0 %s)', repeat('+ 1', depth / 3));
			EXIT;
		EXCEPTION WHEN statement_too_complex THEN
			NULL;
		END;
	END LOOP;
END$$;
ALTER TABLE unopened ENABLE ROW LEVEL SECURITY;
\c
SET max_stack_depth = '600kB';
SELECT count(*) FROM unopened;
SELECT name, problem FROM idgen_health WHERE name LIKE '%unopened%' OR name = 'open';
RESET max_stack_depth;
DROP TABLE unopened;

DROP EXTENSION idgen;
DROP SCHEMA regress_idgen_closed CASCADE;
DROP SEQUENCE native_seq, bare_seq;
DROP ROLE regress_idgen_monitor;
DROP ROLE regress_idgen_reader;
