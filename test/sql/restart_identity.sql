--
-- TRUNCATE … RESTART IDENTITY restarts the id sequences that belong to the
-- columns of the tables, as it does native ones
--
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE TABLE t (id bigserial PRIMARY KEY, what text, other int);
SELECT idgen_adopt('t', 'id'), idgen_create('other', 100, owned_by => 't.other', block_size => 1);
ALTER TABLE t ALTER other SET DEFAULT idgen_next('other');
INSERT INTO t (what) VALUES ('a'), ('b') RETURNING *;

TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('c') RETURNING *;
-- as ever
TRUNCATE t;
TRUNCATE t CONTINUE IDENTITY;
INSERT INTO t (what) VALUES ('d') RETURNING *;

-- in the same transaction, and undone with it
BEGIN;
INSERT INTO t (what) VALUES ('e') RETURNING *;
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('f') RETURNING *;
SAVEPOINT s;
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('g') RETURNING *;
ROLLBACK TO s;
INSERT INTO t (what) VALUES ('h') RETURNING id > 1 AS id, other;
ROLLBACK;
SELECT count(*) FROM t;
INSERT INTO t (what) VALUES ('i') RETURNING other;
BEGIN;
TRUNCATE t RESTART IDENTITY;
COMMIT;
INSERT INTO t (what) VALUES ('j') RETURNING *;

-- one that is used up, and where it began
UPDATE id_sequences SET max_value = 3, start_value = 2 WHERE name = 'public.t.id';
INSERT INTO t (what) VALUES ('k'), ('l');
INSERT INTO t (what) VALUES ('m');
TRUNCATE t RESTART IDENTITY;
INSERT INTO t (what) VALUES ('n') RETURNING id;

-- along with tables that refer to it, and with partitions and children
CREATE TABLE detail (id bigserial PRIMARY KEY, t bigint REFERENCES t);
SELECT idgen_adopt('detail', 'id');
INSERT INTO detail (t) VALUES (2) RETURNING id;
TRUNCATE t RESTART IDENTITY CASCADE;
INSERT INTO detail (t) VALUES (NULL) RETURNING id;
CREATE TABLE parted (id bigint) PARTITION BY RANGE (id);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
SELECT idgen_create('parted', owned_by => 'parted.id'), idgen_create('parted1', owned_by => 'parted1.id');
SELECT idgen_next('parted'), idgen_next('parted1');
TRUNCATE parted RESTART IDENTITY;
SELECT idgen_next('parted'), idgen_next('parted1');
-- by a function, of which one part raises
CREATE FUNCTION truncates() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE parted1 RESTART IDENTITY;
	BEGIN
		TRUNCATE parted, nobody RESTART IDENTITY;
	EXCEPTION WHEN undefined_table THEN
		RAISE NOTICE 'undone';
	END;
END $$;
SELECT idgen_next('parted'), idgen_next('parted1');
SELECT truncates();
SELECT idgen_next('parted'), idgen_next('parted1');

-- what does not count itself stays: a native sequence that belongs to the
-- column is restarted by the server
CREATE SEQUENCE native_seq OWNED BY detail.t;
SELECT idgen_create('native', source => 'sequence', owned_by => 'detail.t');
SELECT idgen_next('native'), idgen_next('native');
TRUNCATE detail RESTART IDENTITY;
SELECT idgen_next('native'), idgen_next('public.detail.id');
DELETE FROM id_sequences WHERE name = 'native';
DROP SEQUENCE native_seq;

-- it takes to own the table, as with native sequences
CREATE ROLE regress_idgen_truncates;
CREATE TABLE plain (id bigint);
GRANT TRUNCATE ON t, detail, plain TO regress_idgen_truncates;
SET ROLE regress_idgen_truncates;
TRUNCATE plain RESTART IDENTITY;
TRUNCATE t, detail RESTART IDENTITY;
\echo :SQLSTATE
TRUNCATE t, detail;
RESET ROLE;
GRANT CREATE ON SCHEMA public TO regress_idgen_truncates;
ALTER TABLE t OWNER TO regress_idgen_truncates;
ALTER TABLE detail OWNER TO regress_idgen_truncates;
SET ROLE regress_idgen_truncates;
TRUNCATE t, detail RESTART IDENTITY;
INSERT INTO t (what) VALUES ('o') RETURNING id;
RESET ROLE;

-- without the extension, nothing happens
DROP TABLE t, detail, parted;
DROP FUNCTION truncates;
DROP EXTENSION idgen;
TRUNCATE plain RESTART IDENTITY;
DROP TABLE plain;
REVOKE CREATE ON SCHEMA public FROM regress_idgen_truncates;
DROP ROLE regress_idgen_truncates;
