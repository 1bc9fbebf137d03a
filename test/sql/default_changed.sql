--
-- What undoes an adoption: idgen_health tells of it, idgen_adopt() takes the
-- row again, and idgen_release() ends it
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE FUNCTION problems() RETURNS TABLE (name text, problem_kind text, problem text) LANGUAGE sql
	AS 'SELECT name, problem_kind, problem FROM idgen_health WHERE problem IS NOT NULL ORDER BY name';
CREATE TABLE legacy (id serial PRIMARY KEY, item text);
CREATE FUNCTION kinds() RETURNS TABLE (kind text, draws_from text) LANGUAGE sql
	AS $$SELECT kind, draws_from FROM idgen_columns WHERE relation = 'legacy'::regclass AND column_name = 'id' ORDER BY kind, draws_from$$;
INSERT INTO legacy (item) SELECT 'a' FROM generate_series(1, 3);
SELECT idgen_adopt('legacy', 'id', refill => 'transaction');
INSERT INTO legacy (item) VALUES ('b') RETURNING id;
SELECT * FROM problems();

-- the default is dropped
ALTER TABLE legacy ALTER id DROP DEFAULT;
SELECT * FROM kinds();
SELECT * FROM problems();
SELECT idgen_adopt('legacy', 'id');
SELECT * FROM kinds();
SELECT * FROM problems();
INSERT INTO legacy (item) VALUES ('c') RETURNING id;

-- a default of a native sequence in its place, from which ids are drawn
CREATE SEQUENCE legacy_id_seq START 100 OWNED BY legacy.id;
ALTER TABLE legacy ALTER id SET DEFAULT nextval('legacy_id_seq');
INSERT INTO legacy (item) VALUES ('d') RETURNING id;
SELECT * FROM kinds();
SELECT * FROM problems();
SELECT idgen_release('legacy', 'id');
SELECT nextval('legacy_id_seq');
SELECT idgen_adopt('legacy', 'id');
INSERT INTO legacy (item) VALUES ('e') RETURNING id;
SELECT * FROM problems();

-- an identity
ALTER TABLE legacy ALTER id DROP DEFAULT, ALTER id ADD GENERATED ALWAYS AS IDENTITY (START 500);
SELECT * FROM kinds();
SELECT * FROM problems();
SELECT idgen_release('legacy', 'id');
SELECT idgen_adopt('legacy', 'id');
INSERT INTO legacy (item) VALUES ('f') RETURNING id;

-- the table is renamed: the row that belongs to the column is taken
ALTER TABLE legacy RENAME TO heritage;
ALTER TABLE heritage ALTER id DROP DEFAULT;
SELECT idgen_adopt('heritage', 'id');
SELECT name, owned_by FROM id_sequences;
ALTER TABLE heritage RENAME TO legacy;

-- a native sequence is left that nothing draws from
ALTER TABLE legacy ALTER id DROP DEFAULT;
CREATE SEQUENCE legacy_id_seq OWNED BY legacy.id;
SELECT * FROM kinds();
SELECT idgen_release('legacy', 'id', 'serial');
SELECT * FROM kinds();
INSERT INTO legacy (item) VALUES ('g') RETURNING id > 500 AS behind;
SELECT count(*) FROM id_sequences;
DROP TABLE legacy;

-- as an identity column; and of two columns of a table
CREATE TABLE legacy (id bigint PRIMARY KEY, other bigint);
SELECT idgen_create('a', owned_by => 'legacy.id'), idgen_create('b', owned_by => 'legacy.other');
SELECT name, problem_kind FROM problems();
SELECT idgen_release('legacy', column_name, 'serial') FROM unnest('{id,other}'::name[]) AS column_name;
SELECT name, problem_kind FROM problems();

-- a default that calls something unknown may draw; so may that of a domain
CREATE FUNCTION draws() RETURNS bigint LANGUAGE sql AS $$SELECT idgen_next('a')$$;
CREATE DOMAIN number AS bigint DEFAULT idgen_next('b');
CREATE TABLE unknown (id bigint DEFAULT draws(), other number);
SELECT idgen_create('a', owned_by => 'unknown.id'), idgen_create('b', owned_by => 'unknown.other');
SELECT name, problem_kind FROM problems();

-- what cannot be taken: another name, a source elsewhere, several rows
CREATE TABLE others (id bigint, twice bigint, composed bigint);
SELECT idgen_create('c', owned_by => 'others.id'), idgen_create('d', owned_by => 'others.twice'), idgen_create('e', owned_by => 'others.twice'),
	idgen_create('f', owned_by => 'others.composed', layout => 'prefixed');
SELECT idgen_adopt('others', 'twice', 'c');
SELECT idgen_adopt('others', 'composed');
SELECT idgen_release('others', 'twice');
SELECT idgen_adopt('others', 'twice', 'd');

DROP EXTENSION idgen CASCADE;
DROP FUNCTION problems, kinds;
DROP TABLE legacy, unknown, others;
DROP FUNCTION draws;
