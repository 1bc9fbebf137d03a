--
-- idgen_gaps: numbers that are missing
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- with an index and without: children, a null among them, and rows without a
-- number
CREATE TABLE bills (tenant text, number bigint, UNIQUE (tenant, number));
SELECT * FROM idgen_gaps('bills', 'number');
INSERT INTO bills SELECT 'a', g FROM generate_series(1, 10) g WHERE g NOT IN (3, 5, 6, 7);
INSERT INTO bills VALUES ('b', 100), ('b', 100 + 2), ('c', 7), (NULL, 1), (NULL, 3), ('a', NULL), (NULL, NULL);
SELECT * FROM idgen_gaps('bills', 'number', 'tenant') ORDER BY child, first_missing;
SELECT * FROM idgen_gaps('bills', 'number') ORDER BY child, first_missing;
VACUUM bills;
SELECT * FROM idgen_gaps('bills', 'number', 'tenant') ORDER BY child, first_missing;
BEGIN;
DELETE FROM bills WHERE number = 2;
INSERT INTO bills VALUES ('a', 6);
SELECT * FROM idgen_gaps('bills', 'number', 'tenant') WHERE child = 'a' ORDER BY first_missing;
ROLLBACK;
ALTER TABLE bills DROP CONSTRAINT bills_tenant_number_key;
SELECT * FROM idgen_gaps('bills', 'number', 'tenant') ORDER BY child, first_missing;
CREATE INDEX ON bills (tenant DESC, number DESC);
SELECT * FROM idgen_gaps('bills', 'number', 'tenant') ORDER BY child, first_missing;
CREATE INDEX ON bills (number DESC NULLS LAST);
SELECT * FROM idgen_gaps('bills', 'number') ORDER BY first_missing;

-- children of several types; values that count as equal are still two
CREATE TABLE kinds (n name, e numeric, d date, c char(3), number integer);
INSERT INTO kinds VALUES ('one', 1.0, '2026-01-01', 'x', 1), ('one', 1.00, '2026-01-01', 'x', 2), ('one', 1.0, '2026-01-02', 'xy', 4), ('two', 1.00, '2026-01-02', 'xy', 6);
CREATE INDEX ON kinds (n, number);
CREATE INDEX ON kinds (e, number);
CREATE INDEX ON kinds (d, number);
CREATE INDEX ON kinds (c, number);
SELECT * FROM idgen_gaps('kinds', 'number', 'n');
SELECT * FROM idgen_gaps('kinds', 'number', 'e') ORDER BY 1;
SELECT * FROM idgen_gaps('kinds', 'number', 'd');
SELECT * FROM idgen_gaps('kinds', 'number', 'c');

-- an index that has the number only along
CREATE TABLE along (tenant integer, number integer);
CREATE INDEX ON along (tenant) INCLUDE (number);
INSERT INTO along VALUES (1, 3), (1, 1);
SELECT * FROM idgen_gaps('along', 'number', 'tenant');

-- negative numbers, the ends of bigint, the same number twice
CREATE DOMAIN small AS smallint;
CREATE TABLE ends (number bigint, little small);
INSERT INTO ends VALUES (-9223372036854775808, -32768), (9223372036854775807, 32767), (-2, 0), (2, 0), (2, -1), (9223372036854775807, 1);
SELECT * FROM idgen_gaps('ends', 'number') ORDER BY first_missing;
SELECT * FROM idgen_gaps('ends', 'little') ORDER BY first_missing;
CREATE INDEX ON ends (number);
SELECT * FROM idgen_gaps('ends', 'number') ORDER BY first_missing;

-- text ids, in the order of their numbers; with a period, each is a child
SELECT idgen_create('plain'), idgen_create('inv/*', format => 'R{id:3}-{YY}'), idgen_create('yearly/*', period => 'year', format => '{MM}/{YYYY}-{id}');
CREATE TABLE texts (tenant integer, plain text PRIMARY KEY, inv varchar(10), yearly char(20));
INSERT INTO texts VALUES (1, '9', 'R998-26', '01/2026-9'), (1, '11', 'R1001-27', '12/2026-11'), (2, '20', 'R1003-27', '03/2027-1'), (2, '22', 'R1005-27', '03/2027-3'), (2, '24', NULL, NULL);
SELECT * FROM idgen_gaps('texts', 'plain', name => 'plain') ORDER BY first_missing;
SELECT * FROM idgen_gaps('texts', 'plain', 'tenant', 'plain') ORDER BY first_missing;
SELECT * FROM idgen_gaps('texts', 'inv', name => 'inv/*') ORDER BY first_missing;
SELECT * FROM idgen_gaps('texts', 'yearly', name => 'yearly/*') ORDER BY child, first_missing;
SELECT * FROM idgen_gaps('texts', 'yearly', 'tenant', 'yearly/*') ORDER BY child, first_missing;
INSERT INTO texts VALUES (3, 'x', 'R01-26');
SELECT * FROM idgen_gaps('texts', 'plain', name => 'plain');
\echo :SQLSTATE
SELECT * FROM idgen_gaps('texts', 'inv', name => 'inv/*');
SELECT * FROM idgen_gaps('texts', 'inv');
\echo :SQLSTATE
SELECT * FROM idgen_gaps('texts', 'tenant', name => 'inv/*');
SELECT * FROM idgen_gaps('texts', 'inv', name => 'nothing');
\echo :SQLSTATE

-- partitions, and tables that inherit, with the columns in another order
CREATE TABLE parts (tenant integer, number integer) PARTITION BY LIST (tenant);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 (number integer, gone text, tenant integer);
ALTER TABLE parts_2 DROP COLUMN gone;
SELECT * FROM idgen_gaps('parts', 'number', 'tenant');
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES IN (2, 3);
CREATE INDEX ON parts (tenant, number);
INSERT INTO parts VALUES (1, 1), (1, 3), (2, 10), (3, 12), (2, 14);
SELECT * FROM idgen_gaps('parts', 'number', 'tenant') ORDER BY child;
SELECT * FROM idgen_gaps('parts', 'number') ORDER BY first_missing;
SELECT * FROM idgen_gaps('parts_2', 'number', 'tenant') ORDER BY child;
CREATE TABLE above (number integer);
CREATE TABLE below (note text) INHERITS (above);
INSERT INTO above VALUES (1);
INSERT INTO below VALUES (3);
SELECT * FROM idgen_gaps('above', 'number');

-- who may not
CREATE ROLE regress_gaps_reader;
GRANT SELECT (tenant) ON bills TO regress_gaps_reader;
GRANT SELECT (number) ON parts TO regress_gaps_reader;
SET ROLE regress_gaps_reader;
SELECT * FROM idgen_gaps('bills', 'number');
\echo :SQLSTATE
SELECT * FROM idgen_gaps('parts', 'number', 'tenant');
SELECT count(*) FROM idgen_gaps('parts', 'number');
RESET ROLE;
GRANT SELECT ON bills TO regress_gaps_reader;
ALTER TABLE bills ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bills USING (tenant = 'a');
SET ROLE regress_gaps_reader;
SELECT * FROM idgen_gaps('bills', 'number');
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM idgen_gaps('bills', 'number');

-- what is no table, or no such column
CREATE VIEW looks AS SELECT * FROM bills;
SELECT * FROM idgen_gaps('looks', 'number');
\echo :SQLSTATE
SELECT * FROM idgen_gaps('bills_number_idx', 'number');
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE parts_4 PARTITION OF parts FOR VALUES IN (4) SERVER elsewhere;
SELECT * FROM idgen_gaps('parts', 'number');
SELECT * FROM idgen_gaps('bills', 'nothing');
\echo :SQLSTATE
SELECT * FROM idgen_gaps('bills', 'number', 'nothing');
SELECT * FROM idgen_gaps('bills', 'ctid');
SELECT * FROM idgen_gaps('bills', 'tenant');
SELECT * FROM idgen_gaps('kinds', 'e');
\echo :SQLSTATE
SELECT * FROM idgen_gaps(NULL, 'number');
SELECT * FROM idgen_gaps('bills', NULL);
\echo :SQLSTATE
SELECT * FROM idgen_gaps_in(1, 'number', '', '', '', '');
\echo :SQLSTATE

-- no code of the table's owner runs
CREATE TABLE trap (tenant integer, number integer);
INSERT INTO trap VALUES (1, 1), (1, 3);
CREATE FUNCTION sprung(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('trap.set', true) = 'on' THEN
		RAISE 'code of the owner runs';
	END IF;
	RETURN 1;
END $$;
CREATE INDEX ON trap (tenant, number) WHERE sprung(1) = 1;
CREATE INDEX ON trap (sprung(number), number);
CREATE INDEX ON trap (number) WHERE sprung(number) = 1;
ALTER TABLE trap ADD CHECK (sprung(number) = 1);
SET trap.set = on;
SELECT * FROM idgen_gaps('trap', 'number', 'tenant');
SELECT * FROM idgen_gaps('trap', 'number');

DROP TABLE bills, kinds, along, ends, texts, parts, above, trap CASCADE;
DROP FUNCTION sprung;
DROP DOMAIN small;
DROP FOREIGN DATA WRAPPER nothing CASCADE;
DROP ROLE regress_gaps_reader;
DROP EXTENSION idgen;
