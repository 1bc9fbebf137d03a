--
-- A role that may write rows may name any function there. But nobody else runs
-- one whose owner may not have others run code, whichever way it has come there
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_program;
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_a AUTHORIZATION regress_idgen_program;
GRANT USAGE ON SCHEMA regress_a TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON id_sequences TO regress_idgen_program;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1001::bigint, 1020::bigint';
SELECT idgen_create('orders'), idgen_create('gen'), idgen_create('func', source => 'function', source_name => 'allocate');

SET ROLE regress_idgen_program;
CREATE FUNCTION regress_a.trap(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'for %, as a superuser: %', name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
	RETURN QUERY SELECT 1::bigint, 20::bigint;
END$$;
UPDATE id_sequences SET source = 'function', source_name = 'regress_a.trap' WHERE name = 'gen';
UPDATE id_sequences SET source_name = 'regress_a.trap' WHERE name = 'func';
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('inserted', 1, 'function', 'regress_a.trap');
MERGE INTO id_sequences s USING (VALUES ('merged')) AS v (name) ON s.name = v.name
	WHEN NOT MATCHED THEN INSERT (name, next_block_start, source, source_name) VALUES ('merged', 1, 'function', 'regress_a.trap');
COPY id_sequences (name, next_block_start, source, source_name) FROM stdin;
copied	1	function	regress_a.trap
\.
SELECT idgen_create('created', source => 'function', source_name => 'regress_a.trap'),
	idgen_create('own', source => 'function', source_name => 'regress_a.trap'),
	idgen_create('child/*', source => 'function', source_name => 'regress_a.trap');
UPDATE id_sequences SET name = 'orders before' WHERE name = 'orders';
UPDATE id_sequences SET name = 'orders' WHERE name = 'own';
INSERT INTO id_sequences (name, next_block_start, source_name) VALUES ('two steps', 1, 'regress_a.trap');
UPDATE id_sequences SET source = 'function' WHERE name = 'two steps';

-- the role may run its own
SELECT idgen_next('gen');
RESET ROLE;

-- what becomes of a draw by a superuser, and by a role with no more rights than
-- the first one has
CREATE FUNCTION outcome(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN idgen_next(outcome.name);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_create('gen', source => 'function', source_name => 'regress_a.trap');
SELECT name, outcome(name) FROM unnest('{gen,func,inserted,merged,copied,created,orders,child/1,two steps}'::text[]) AS name;
SET ROLE regress_idgen_other;
SELECT name, outcome(name) FROM unnest('{gen,orders,child/1}'::text[]) AS name;
RESET ROLE;

-- those of owners with the rights of whoever draws can be chosen
SET ROLE regress_idgen_program;
UPDATE id_sequences SET source_name = 'public.allocate' WHERE name = 'gen';
RESET ROLE;
SELECT outcome('gen');
GRANT ALL ON id_sequences TO regress_idgen_program;
SELECT outcome('orders');

DROP EXTENSION idgen;
DROP FUNCTION allocate, outcome;
DROP SCHEMA regress_a CASCADE;
DROP ROLE regress_idgen_program, regress_idgen_other;
