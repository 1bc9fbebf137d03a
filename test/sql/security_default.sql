--
-- Anybody can make a default that draws, of whatever constant. Those who drop
-- or move another table read it: that does no harm
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by FROM id_sequences ORDER BY name;
CREATE TYPE regress_idgen_color AS ENUM ('red');
CREATE FUNCTION regress_idgen_text(regress_idgen_color) RETURNS text LANGUAGE sql AS $$SELECT 'o'$$;
CREATE CAST (regress_idgen_color AS text) WITH FUNCTION regress_idgen_text(regress_idgen_color);
CREATE TABLE odd (
	boolean bigint DEFAULT idgen_next(true::text),
	source bigint DEFAULT idgen_next('q', true::text),
	char bigint DEFAULT idgen_next('o'::"char"::text),
	enum bigint DEFAULT idgen_next('red'::regress_idgen_color::text),
	null_name bigint DEFAULT idgen_next(NULL),
	computed bigint DEFAULT idgen_next('o' || 'p'));

-- names that are found, in whatever type
CREATE TABLE named (id bigint);
CREATE TABLE padded (id bigint);
CREATE TABLE varying (id bigint);
CREATE TABLE orders (id bigserial);
SELECT idgen_adopt('orders', 'id', 'o') IS NOT NULL;
ALTER TABLE named ALTER id SET DEFAULT idgen_next('o'::name);
DROP TABLE orders;
TABLE owned;
ALTER TABLE padded ALTER id SET DEFAULT idgen_next('o'::char(5));
DROP TABLE named;
TABLE owned;
ALTER TABLE varying ALTER id SET DEFAULT idgen_next('o'::varchar);
DROP TABLE padded;
TABLE owned;
SELECT idgen_sync('varying', 'id');
SELECT idgen_release('varying', 'id');
SELECT * FROM idgen_sync();
DROP TABLE varying;

DROP TABLE odd;
DROP CAST (regress_idgen_color AS text);
DROP FUNCTION regress_idgen_text;
DROP TYPE regress_idgen_color;
DROP VIEW owned;
DROP EXTENSION idgen;
