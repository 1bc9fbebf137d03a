--
-- An adopted column's id sequence is named schema.table.column, as they are, or
-- as one likes
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SET idgen.default_block_size = 1;
\t on
CREATE SCHEMA "My Shop";
CREATE TABLE "My Shop"."Order ""new"" 'x'" ("Id.\no" serial, "select" integer);
SELECT idgen_adopt('"My Shop"."Order ""new"" ''x''"', 'Id.\no');
INSERT INTO "My Shop"."Order ""new"" 'x'" DEFAULT VALUES RETURNING "Id.\no";
SELECT idgen_adopt('"My Shop"."Order ""new"" ''x''"', 'select');
INSERT INTO "My Shop"."Order ""new"" 'x'" DEFAULT VALUES RETURNING *;
\getenv inputdir PG_ABS_SRCDIR
\set nonstandard_strings :inputdir '/include/nonstandard_strings.sql'
\i :nonstandard_strings
SET backslash_quote = off;
CREATE TABLE "back\slash" ("don't" serial);
SELECT idgen_adopt(E'"back\\slash"', 'don''t');
INSERT INTO "back\slash" DEFAULT VALUES RETURNING *;
RESET standard_conforming_strings;
RESET backslash_quote;
CREATE TABLE "Größe" ("täglich" serial);
SELECT idgen_adopt('"Größe"', 'täglich');
SELECT name FROM id_sequences ORDER BY name;

-- and back
SELECT idgen_release('"My Shop"."Order ""new"" ''x''"', 'Id.\no');
INSERT INTO "My Shop"."Order ""new"" 'x'" DEFAULT VALUES RETURNING "Id.\no";
SELECT idgen_release('"back\slash"', 'don''t');
INSERT INTO "back\slash" DEFAULT VALUES RETURNING *;

-- the third argument
CREATE TABLE a (id serial, other integer);
SELECT idgen_adopt('a', 'id', 'it''s "mine"');
INSERT INTO a DEFAULT VALUES RETURNING id;
SELECT idgen_adopt(relation => 'a', column_name => 'other', name => NULL);
SELECT name FROM id_sequences WHERE name IN ('it''s "mine"', 'public.a.other');

-- a name that is taken
CREATE TABLE b (id serial);
SELECT idgen_adopt('b', 'id', 'it''s "mine"');
\echo :SQLSTATE
\d b
INSERT INTO b DEFAULT VALUES RETURNING id;
SELECT idgen_create('public.b.id');
SELECT idgen_adopt('b', 'id', 'public.b.id');
\echo :SQLSTATE

-- without a name, the next one that is free: a table that was renamed has the
-- first one still
SELECT idgen_adopt('b', 'id');
ALTER TABLE b RENAME TO old_b;
CREATE TABLE b (id serial);
SELECT idgen_adopt('b', 'id');
DROP TABLE old_b;

-- names that cannot be
CREATE TABLE c (id serial);
\set VERBOSITY terse
SELECT idgen_adopt('c', 'id', '');
\echo :SQLSTATE
SELECT idgen_adopt('c', 'id', repeat('x', 256));
\echo :SQLSTATE
SELECT idgen_adopt(NULL, 'id');
\echo :SQLSTATE
SELECT idgen_adopt('c', NULL);
\echo :SQLSTATE
SELECT idgen_release(NULL, 'id') IS NULL, idgen_release('c', NULL) IS NULL;

-- renaming the table or the column later changes nothing
ALTER TABLE a RENAME COLUMN id TO number;
ALTER TABLE a RENAME TO a2;
INSERT INTO a2 DEFAULT VALUES RETURNING number;
SELECT idgen_release('a2', 'number');
INSERT INTO a2 DEFAULT VALUES RETURNING number;
\t off

DROP TABLE "My Shop"."Order ""new"" 'x'", "back\slash", "Größe", a2, b, c;
DROP SCHEMA "My Shop";
DROP EXTENSION idgen;

-- the extension in a schema that is not searched, with a name that needs quotes
CREATE SCHEMA "My ids";
CREATE EXTENSION idgen SCHEMA "My ids";
CREATE TABLE orders (id serial PRIMARY KEY);
INSERT INTO orders DEFAULT VALUES;
SELECT "My ids".idgen_adopt('orders', 'id');
\d orders
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT "My ids".idgen_adopt('orders', 'id');
\echo :SQLSTATE
SELECT "My ids".idgen_release('orders', 'id');
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT count(*) FROM "My ids".id_sequences;

DROP TABLE orders;
DROP EXTENSION idgen;
DROP SCHEMA "My ids";
