--
-- Defaults that draw from id sequences without rows, as a dump of the schema
-- leaves them: idgen_sync() makes the rows
--
-- needs test/idgen.conf
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE parts (id integer PRIMARY KEY DEFAULT idgen_next('public.parts.id'), item text);
CREATE TABLE copies (id bigint DEFAULT idgen_next('shared'));
CREATE TABLE originals (id smallint DEFAULT idgen_next('shared'::varchar(10), 'table'));
CREATE TABLE there (id bigint DEFAULT idgen_next('there'));
CREATE TABLE children (id bigint DEFAULT idgen_next('template/child'), month bigint DEFAULT idgen_next('invoices/2026-11'));
INSERT INTO parts (id) VALUES (41);
INSERT INTO copies VALUES (7);
INSERT INTO originals VALUES (-3);
SELECT idgen_create('there', next_block_start => 5), idgen_create('template/*'), idgen_create('invoices', period => 'month');

-- the hint says so, and what it says helps
INSERT INTO parts DEFAULT VALUES;
SELECT * FROM idgen_sync();
INSERT INTO parts DEFAULT VALUES RETURNING id;
INSERT INTO copies DEFAULT VALUES RETURNING id;
SELECT name, next_block_start, start_value, max_value, refill, owned_by FROM id_sequences ORDER BY name;
SELECT * FROM idgen_sync();

-- of one table; with another refill; a column that inherits; a domain's default
CREATE DOMAIN number AS bigint DEFAULT idgen_next('number');
CREATE TABLE numbers (a number, b bigint DEFAULT 3);
CREATE TABLE parent (id bigint DEFAULT idgen_next('parent')) PARTITION BY RANGE (id);
CREATE TABLE child PARTITION OF parent FOR VALUES FROM (1) TO (1000);
INSERT INTO child VALUES (100);
SELECT * FROM idgen_sync('parts');
SELECT * FROM idgen_sync('parent', refill => 'transaction');
SELECT * FROM idgen_sync('numbers', refill => 'worker');
SELECT name, next_block_start, refill, owned_by FROM id_sequences WHERE name IN ('parent', 'number') ORDER BY name;

-- where only the row can say what the ids are like, none is made
CREATE TABLE left_alone (
	big numeric DEFAULT idgen_next_big('big'),
	text_id text DEFAULT idgen_next_text('text'),
	computed bigint DEFAULT idgen_next('computed') * 10,
	word text DEFAULT idgen_next('word'),
	remote bigint DEFAULT idgen_next('remote', 'server'),
	native bigint DEFAULT idgen_next('native', 'sequence'),
	any_name bigint DEFAULT idgen_next(current_user),
	no_name bigint DEFAULT idgen_next(''),
	template bigint DEFAULT idgen_next('a/*'),
	full_up smallint DEFAULT idgen_next('full'));
INSERT INTO left_alone (full_up, big, text_id, computed, word, remote, native, any_name, no_name, template) VALUES (32767, 1, 1, 1, 1, 1, 1, 1, 1, 1);
SELECT * FROM idgen_sync();

-- what is not made is told of once, however many columns draw from it, and
-- keeps nothing else from being made: not even code of the owner of a table
DROP TABLE left_alone;
CREATE TABLE full_up (id smallint DEFAULT idgen_next('full'), again smallint DEFAULT idgen_next('full')) PARTITION BY RANGE (id);
CREATE TABLE full_up_1 PARTITION OF full_up DEFAULT;
INSERT INTO full_up VALUES (32767, 1);
CREATE VIEW broken AS SELECT 1 / 0 AS id;
ALTER VIEW broken ALTER id SET DEFAULT idgen_next('broken');
CREATE TABLE whole (id bigint DEFAULT idgen_next('whole'));
SELECT * FROM idgen_sync();
DROP TABLE full_up;
DROP VIEW broken;

-- an undone subtransaction, and a rollback, leave nothing
CREATE TABLE more (id bigint DEFAULT idgen_next('more'));
BEGIN;
SELECT * FROM idgen_sync();
INSERT INTO more DEFAULT VALUES RETURNING id;
ROLLBACK;
INSERT INTO more DEFAULT VALUES;

-- dropping the column drops the row
SELECT * FROM idgen_sync();
DROP TABLE more, parts;
SELECT name FROM id_sequences WHERE name IN ('more', 'public.parts.id');

-- arguments
SELECT * FROM idgen_sync(refill => 'now');
SELECT * FROM idgen_sync(refill => NULL);
SELECT * FROM idgen_sync(0);
SELECT * FROM idgen_sync('no_table');
BEGIN READ ONLY;
SELECT * FROM idgen_sync();
ROLLBACK;

DROP EXTENSION idgen CASCADE;
DROP TABLE copies, originals, there, children, parent, numbers;
