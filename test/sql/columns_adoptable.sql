--
-- idgen_columns.adoptable: what idgen_adopt accepts
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE SCHEMA adoptable;
SET search_path = adoptable, public;

-- what adopt does, undone at once
CREATE FUNCTION try_to_adopt(relation regclass, column_name name) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_adopt(relation, column_name);
	RAISE EXCEPTION USING ERRCODE = 'T0000', MESSAGE = 'accepted';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;

CREATE TABLE kinds (a serial, b bigint GENERATED ALWAYS AS IDENTITY, c smallint);
CREATE SEQUENCE shared_seq;
CREATE SEQUENCE down_seq INCREMENT -1;
CREATE SEQUENCE steps_seq INCREMENT 100;
ALTER TABLE kinds ADD d integer DEFAULT nextval('shared_seq'), ADD e bigint DEFAULT 1 + nextval('shared_seq'),
	ADD f numeric DEFAULT nextval('shared_seq'), ADD g integer DEFAULT nextval('down_seq'), ADD h text DEFAULT nextval('shared_seq'),
	ADD i smallint DEFAULT nextval('steps_seq'), ADD j integer DEFAULT nextval('nowhere_seq'::text);
SELECT idgen_create('gen'), idgen_create('owned', owned_by => 'kinds.c');
ALTER TABLE kinds ADD k integer DEFAULT idgen_next('gen'), ADD l integer DEFAULT 1 + idgen_next('gen'),
	ADD m bigint DEFAULT idgen_next(current_user), ADD n integer DEFAULT idgen_next('gen') + nextval('shared_seq');

-- the last value
CREATE TABLE ends (a smallserial, b smallserial, c smallserial, d smallint DEFAULT nextval('steps_seq'));
SELECT setval('ends_a_seq', 32766), setval('ends_b_seq', 32767), setval('ends_c_seq', 32767, false), setval('steps_seq', 32667);
CREATE TABLE more_ends (a smallint DEFAULT nextval('steps_seq'));

-- relations
CREATE VIEW viewed AS SELECT a FROM kinds;
ALTER VIEW viewed ALTER a SET DEFAULT nextval('shared_seq');
CREATE TEMPORARY TABLE temporary (a serial);
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE foreign_table (a bigint DEFAULT nextval('shared_seq')) SERVER nowhere;
CREATE DOMAIN id AS integer DEFAULT nextval('shared_seq');
CREATE TABLE domains (a id, b id DEFAULT nextval('shared_seq'));
ALTER TABLE id_sequences ALTER start_value SET DEFAULT nextval('shared_seq');

-- what inherits
CREATE TABLE parent (a serial);
CREATE TABLE child (b serial) INHERITS (parent);
ALTER TABLE child ALTER a SET DEFAULT nextval('shared_seq');
CREATE TABLE parent_of_foreign (a serial);
CREATE FOREIGN TABLE foreign_child () INHERITS (parent_of_foreign) SERVER nowhere;
CREATE TABLE parent_of_temporary (a serial);
CREATE TEMPORARY TABLE temporary_child () INHERITS (parent_of_temporary);
CREATE TABLE parent_of_adopted (a serial);
CREATE TABLE adopted_child () INHERITS (parent_of_adopted);
ALTER TABLE adopted_child ALTER a SET DEFAULT idgen_next('gen');
CREATE TABLE parent_of_down (a serial);
CREATE TABLE down_child () INHERITS (parent_of_down);
ALTER TABLE down_child ALTER a SET DEFAULT nextval('down_seq');
CREATE TABLE whole (a serial, b integer) PARTITION BY LIST (b);
CREATE TABLE part PARTITION OF whole DEFAULT;

-- sequences that something else needs
CREATE TABLE needed (a serial, b serial, c serial, d serial, e serial);
ALTER TABLE needed ADD f integer DEFAULT nextval('needed_a_seq');
CREATE VIEW needs AS SELECT nextval('needed_b_seq');
CREATE DOMAIN needing AS integer DEFAULT nextval('needed_c_seq');
CREATE FUNCTION needing() RETURNS bigint BEGIN ATOMIC SELECT nextval('needed_d_seq'); END;

SELECT relation, column_name, adoptable, try_to_adopt(relation, column_name) AS adopt FROM idgen_columns
	ORDER BY adoptable DESC, relation::text, column_name;
SELECT relation, column_name FROM (SELECT *, try_to_adopt(relation, column_name) AS adopt FROM idgen_columns) AS tried
	WHERE adoptable <> (adopt = 'accepted');

-- all that can be, in one go
SET client_min_messages = warning;
SELECT count(idgen_adopt(relation, column_name)) FROM
	(SELECT * FROM idgen_columns WHERE adoptable AND kind IN ('serial', 'identity') ORDER BY relation::text OFFSET 0) AS adopted;
RESET client_min_messages;
SELECT relation, column_name, kind FROM idgen_columns WHERE adoptable ORDER BY relation::text, column_name;

ALTER TABLE id_sequences ALTER start_value DROP DEFAULT;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA adoptable CASCADE;
DROP TABLE pg_temp.temporary;
DROP SERVER nowhere;
DROP FOREIGN DATA WRAPPER nothing;
DROP EXTENSION idgen;
