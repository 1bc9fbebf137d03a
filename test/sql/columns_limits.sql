--
-- idgen_columns: what limits the ids of a column
--
CREATE EXTENSION idgen;
CREATE VIEW limits AS
	SELECT column_name, type, draws_from, last_value AS last, limit_value AS limit, limited_by, percent_used AS used
	FROM idgen_columns;

-- types
CREATE DOMAIN short AS smallint CHECK (VALUE <> 13);
CREATE DOMAIN shorter AS short;
CREATE DOMAIN digits AS numeric(6, 2);
SELECT idgen_create('gen', block_size => 100);
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
CREATE TABLE types (a smallint DEFAULT idgen_next('gen'), b integer DEFAULT idgen_next('gen'),
	c bigint DEFAULT idgen_next('gen'), d numeric DEFAULT idgen_next('gen'), e numeric(5) DEFAULT idgen_next('gen'),
	f digits DEFAULT idgen_next('gen'), g shorter DEFAULT idgen_next('gen'), h numeric(18) DEFAULT idgen_next('gen'),
	i numeric(19) DEFAULT idgen_next('gen'), j numeric(2, 2) DEFAULT idgen_next('gen'), k text DEFAULT idgen_next('gen'),
	l double precision DEFAULT idgen_next('gen'), m integer DEFAULT 10 + idgen_next('gen'));
TABLE limits;
UPDATE id_sequences SET max_value = 20000;
SELECT column_name, "limit", limited_by, used FROM limits WHERE column_name < 'g';
DROP TABLE types;

-- big_base
SELECT idgen_create('big', big_base => 1000), idgen_create('below', big_base => -1000),
	idgen_create('great', big_base => 10::numeric ^ 20);
CREATE TABLE bases (a bigint DEFAULT idgen_next('big'), b bigint DEFAULT idgen_next_big('big'),
	c numeric(4) DEFAULT idgen_next_big('big'), d numeric(4) DEFAULT idgen_next_big('below'), e numeric(3) DEFAULT idgen_next_big('big'),
	f numeric(20) DEFAULT idgen_next_big('great'), g numeric(21) DEFAULT idgen_next_big('great'), h bigint DEFAULT idgen_next_big('great'),
	i numeric DEFAULT idgen_next_big('great'), j numeric(19) DEFAULT idgen_next_big('below'));
SELECT column_name, type, draws_from, "limit", limited_by, used FROM limits;
DROP TABLE bases;

-- composed ids
SELECT idgen_create('pre', layout => 'prefixed'), idgen_create('ses', layout => 'session_reversed'),
	idgen_create('few', layout => 'prefixed', max_value => 1000);
CREATE TABLE composed (a bigint DEFAULT idgen_next('pre'), b bigint DEFAULT idgen_next('ses'), c integer DEFAULT idgen_next('pre'),
	d numeric(19) DEFAULT idgen_next('pre'), e numeric(18) DEFAULT idgen_next('pre'), f numeric(38) DEFAULT idgen_next_big('pre'),
	g numeric(37) DEFAULT idgen_next_big('pre'), h bigint DEFAULT idgen_next_big('pre'), i bigint DEFAULT idgen_next('few'),
	j varchar(19) DEFAULT idgen_next_text('pre'), k varchar(18) DEFAULT idgen_next_text('pre'));
SELECT column_name, type, draws_from, "limit", limited_by, used FROM limits;
DROP TABLE composed;

-- scrambled ids: any of them may come first
SELECT idgen_create('scr', layout => 'scrambled', max_value => 2147483647), idgen_create('all', layout => 'scrambled');
CREATE TABLE scrambled (a integer DEFAULT idgen_next('scr'), b smallint DEFAULT idgen_next('scr'), c bigint DEFAULT idgen_next('all'),
	d integer DEFAULT idgen_next('all'));
SELECT column_name, type, draws_from, "limit", limited_by, used FROM limits;
DROP TABLE scrambled;

-- text ids
SELECT idgen_create('inv', format => 'INV-{id:4}'), idgen_create('b32', format => 'ß{id:base32}-{mod97}');
CREATE TABLE texts (a varchar(8) DEFAULT idgen_next_text('inv'), b char(10) DEFAULT idgen_next_text('inv'), c varchar(7) DEFAULT idgen_next_text('inv'),
	d varchar(7) DEFAULT idgen_next_text('b32'), e varchar DEFAULT idgen_next_text('inv'), f varchar(3) DEFAULT idgen_next_text('gen'),
	g varchar(100) DEFAULT idgen_next_text('inv'), h text DEFAULT idgen_next_text('inv'));
SELECT column_name, type, draws_from, "limit", limited_by, used FROM limits;
-- it is so
ALTER TABLE texts ADD n integer;
UPDATE id_sequences SET next_block_start = 32 ^ 3 - 1, block_size = 1 WHERE name = 'b32';
UPDATE id_sequences SET next_block_start = 9999, block_size = 1 WHERE name = 'inv';
INSERT INTO texts (c, f, n) VALUES ('', '', 1) RETURNING a, d;
INSERT INTO texts (c, d, f, n) VALUES ('', '', '', 2);
\echo :SQLSTATE
INSERT INTO texts (a, c, f, n) VALUES ('', '', '', 3);
\echo :SQLSTATE
DROP TABLE texts;

-- native sequences behind id sequences, by what their values stand for
CREATE SEQUENCE lo_seq INCREMENT 10 MAXVALUE 1000;
CREATE SEQUENCE hi_seq MAXVALUE 50;
CREATE SEQUENCE down_seq INCREMENT -10 MINVALUE -100000;
SELECT idgen_create('lo', source => 'sequence', source_name => 'lo_seq'),
	idgen_create('hi', 1, 20, source => 'sequence', source_name => 'hi_seq', pooling => 'hilo'),
	idgen_create('hi_end', 1, 20, max_value => 100, source => 'sequence', source_name => 'hi_seq', pooling => 'hilo'),
	idgen_create('down', source => 'sequence', source_name => 'down_seq'),
	idgen_create('gone', source => 'sequence', source_name => 'lo_seq');
UPDATE id_sequences SET source_name = 'nowhere_seq' WHERE name = 'gone';
SELECT idgen_next('lo'), idgen_next('hi'), idgen_next('down');
CREATE TABLE natives (a integer DEFAULT idgen_next('lo'), b integer DEFAULT idgen_next('hi'), c smallint DEFAULT idgen_next('down'),
	d integer DEFAULT idgen_next('down'), e integer DEFAULT idgen_next('gone'), f integer DEFAULT idgen_next('hi_end'));
TABLE limits;
DROP TABLE natives;

-- periods: of the row with periods, today's child
SELECT idgen_create('yearly', period => 'year', max_value => 100);
CREATE TABLE periods (a integer DEFAULT idgen_next('yearly'), b integer DEFAULT idgen_next('yearly/2020'));
SELECT column_name, draws_from, last, "limit", limited_by, used FROM limits;
INSERT INTO periods (b) VALUES (1);
SELECT column_name, draws_from, last, "limit", limited_by, used FROM limits;
DROP TABLE periods;

-- a row that nothing has checked keeps no other column from being shown
CREATE TABLE unchecked (id varchar(9) DEFAULT idgen_next_text('unchecked'));
SELECT idgen_create('unchecked');
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET format = '{id' WHERE name = 'unchecked';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT last, "limit", limited_by FROM limits WHERE draws_from = 'unchecked';
DROP TABLE unchecked;
DELETE FROM id_sequences WHERE name = 'unchecked';

-- an adopted column counts from 1
CREATE TABLE adopted (id serial);
SELECT setval('adopted_id_seq', 1600000000);
SELECT last, limited_by, used FROM limits;
SELECT count(idgen_adopt('adopted', 'id'));
SELECT last, limited_by, used FROM limits;
SELECT percent_left FROM idgen_stats WHERE name = 'public.adopted.id';
INSERT INTO adopted DEFAULT VALUES;
SELECT percent_left FROM idgen_stats WHERE name = 'public.adopted.id';
SELECT count(idgen_release('adopted', 'id'));
SELECT last, limited_by, used FROM limits;

DROP TABLE adopted;
DROP SEQUENCE lo_seq, hi_seq, down_seq;
DROP VIEW limits;
DROP DOMAIN digits, shorter, short;
DROP EXTENSION idgen;
