--
-- COPY in batches with ids by default, wherever it is used; and everything else
-- goes on as before
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');
-- A table and its partitions have no pages before the first batch is stored.
CREATE FUNCTION pages(relation text) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT sum(pg_relation_size(oid)) / 8192 FROM pg_class
		WHERE relname = relation OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = relation::regclass));
END $$;
CREATE TABLE loaded (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages('loaded'));

-- each row of an old table gets an id of its own: before COPY, after it, after
-- one that failed, and in one
CREATE TABLE old AS SELECT generate_series(1, 3) AS line;
ALTER TABLE old ADD COLUMN before bigint DEFAULT idgen_next('x');
COPY loaded (line) FROM stdin;
1
2
\.
ALTER TABLE old ADD COLUMN after bigint DEFAULT idgen_next('x');
COPY loaded (line) FROM stdin;
3
no number
\.
ALTER TABLE old ADD COLUMN after_error bigint DEFAULT idgen_next('x');
DO $$
BEGIN
	COPY loaded (line) FROM PROGRAM 'echo no number';
EXCEPTION WHEN invalid_text_representation THEN
	ALTER TABLE old ADD COLUMN caught bigint DEFAULT idgen_next('x');
END $$;
CREATE FUNCTION alter_old() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	COPY loaded (line) FROM PROGRAM 'seq 10 11';
	ALTER TABLE old ADD COLUMN inside bigint DEFAULT idgen_next('x');
	RETURN NULL;
END $$;
CREATE TABLE outer_one (id bigint DEFAULT idgen_next('x'), line int);
CREATE TRIGGER alter_old AFTER INSERT ON outer_one EXECUTE FUNCTION alter_old();
COPY outer_one (line) FROM stdin;
1
2
\.
SELECT count(DISTINCT before), count(DISTINCT after), count(DISTINCT after_error), count(DISTINCT caught), count(DISTINCT inside) FROM old;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM loaded UNION ALL SELECT id FROM outer_one) AS both_tables;

-- an old table whose new column is of a domain, and a rewrite
CREATE DOMAIN id AS bigint DEFAULT idgen_next('x');
ALTER TABLE old ADD COLUMN domain id;
ALTER TABLE old ALTER line TYPE bigint USING idgen_next('x');
SELECT count(DISTINCT domain), count(DISTINCT line) FROM old;

-- savepoints: a rollback gives the block back, which nobody has by then
TRUNCATE loaded;
BEGIN;
SAVEPOINT s;
COPY loaded (line) FROM PROGRAM 'seq 100';
SELECT max(id) - min(id) AS ids, max(pages) FROM loaded;
ROLLBACK TO s;
COPY loaded (line) FROM PROGRAM 'seq 100';
SELECT count(DISTINCT id) FROM loaded;
COMMIT;
SELECT idgen_next('x') > max(id) AS goes_on FROM loaded;

-- with a condition, also one that draws
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 4' WHERE line <> 2;
SELECT line, id - min(id) OVER () AS id, pages FROM loaded ORDER BY line;
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 4' WHERE idgen_next('x') > line;
SELECT line, id - min(id) OVER () AS id FROM loaded ORDER BY line;

-- frozen
BEGIN;
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 3' (FREEZE);
SELECT count(DISTINCT id), max(pages) FROM loaded;
COMMIT;

-- several batches
TRUNCATE loaded;
COPY loaded (line) FROM PROGRAM 'seq 2500';
SELECT count(DISTINCT id), count(DISTINCT pages) FROM loaded;

-- partitions, one with a trigger
CREATE TABLE loaded_by_list (id bigint DEFAULT idgen_next('x'), line int, pages bigint DEFAULT pages('loaded_by_list')) PARTITION BY LIST (line);
CREATE TABLE loaded_1 PARTITION OF loaded_by_list FOR VALUES IN (1, 2);
CREATE TABLE loaded_3 PARTITION OF loaded_by_list DEFAULT;
COPY loaded_by_list (line) FROM PROGRAM 'seq 4';
SELECT count(DISTINCT id), max(pages) FROM loaded_by_list;
TRUNCATE loaded_by_list;
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(*) FROM %I', TG_ARGV[0]) INTO NEW.pages;
	RETURN NEW;
END $$;
CREATE TRIGGER counts BEFORE INSERT ON loaded_3 FOR EACH ROW EXECUTE FUNCTION counts('loaded_by_list');
COPY loaded_by_list (line) FROM PROGRAM 'seq 4';
SELECT line, id - min(id) OVER () AS id, pages FROM loaded_by_list ORDER BY line;

-- a trigger that looks at the table sees each row before its own
CREATE TRIGGER counts BEFORE INSERT ON loaded FOR EACH ROW EXECUTE FUNCTION counts('loaded');
TRUNCATE loaded, loaded_by_list;
COPY loaded (line) FROM PROGRAM 'seq 3';
SELECT line, id - min(id) OVER () AS id, pages FROM loaded ORDER BY line;
DROP TRIGGER counts ON loaded;

-- triggers and functions that draw meanwhile
CREATE FUNCTION draws() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	drawn bigint := idgen_next('x');
BEGIN
	RAISE NOTICE '% of %', drawn - NEW.id, (SELECT count(DISTINCT idgen_next('x')) FROM generate_series(1, 10));
	RETURN NULL;
END $$;
CREATE TRIGGER draws AFTER INSERT ON loaded FOR EACH ROW EXECUTE FUNCTION draws();
TRUNCATE loaded;
COPY loaded (line) FROM stdin;
1
2
\.
DROP TRIGGER draws ON loaded;

-- A check that draws stays with its domain, and draws from any source then.
CREATE DOMAIN checked AS bigint CHECK (VALUE < idgen_next('x'));
CREATE TABLE loaded_checked (id bigint DEFAULT idgen_next('x'), line checked);
COPY loaded_checked (line) FROM stdin;
1
2
\.
CREATE FUNCTION allocator(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 100000, 100009';
BEGIN;
UPDATE id_sequences SET source = 'function', source_name = 'public.allocator';
INSERT INTO loaded_checked (line) VALUES (3), (4);
SELECT line, id - 100000 AS id FROM loaded_checked WHERE line > 2 ORDER BY line;
ROLLBACK;

-- both ways, and the columns in the data
TRUNCATE loaded;
COPY (SELECT idgen_next('x') > 0 FROM generate_series(1, 2)) TO stdout;
COPY loaded (id, line) FROM stdin;
-1	1
-2	2
\.
COPY loaded (id, line) TO stdout;
\copy loaded (line) FROM PROGRAM 'seq 3 4'
SELECT count(DISTINCT id), max(pages) FROM loaded;

-- COPY by a function, of which there is a cached plan
CREATE FUNCTION load() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE loaded;
	COPY loaded (line) FROM PROGRAM 'seq 3';
	RETURN (SELECT max(pages) FROM loaded);
END $$;
SELECT load(), load();
PREPARE insert_one AS INSERT INTO loaded (line) VALUES (5) RETURNING id - idgen_last('x') AS is_last;
EXECUTE insert_one;

DROP TABLE old, loaded, outer_one, loaded_by_list, loaded_checked;
DROP DOMAIN id, checked;
DROP FUNCTION pages, allocator, alter_old, counts, draws, load;
DROP EXTENSION idgen;
