--
-- Triggers of others on id_sequences
--
-- needs test/idgen.conf
--

--
-- A refill fires those triggers on id_sequences that an UPDATE of what it sets
-- would fire. Others cost it nothing.
--
CREATE EXTENSION idgen;
\set VERBOSITY terse
CREATE TABLE log (id serial, trigger text, name text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (trigger, name) VALUES (TG_NAME, NEW.name);
	RETURN NEW;
END $$;
SELECT idgen_create('gen', block_size => 2), idgen_create('child/*', block_size => 2), idgen_create('one', block_size => 1);

-- triggers for columns: those that are set
CREATE TRIGGER c_refilled_at AFTER UPDATE OF refilled_at ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
SELECT idgen_next('child/0');
SELECT trigger, name FROM log ORDER BY id;
TRUNCATE log;
CREATE TRIGGER a_start AFTER UPDATE OF next_block_start ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER b_exhausted BEFORE UPDATE OF exhausted ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER e_layout BEFORE UPDATE OF layout, format ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER f_increased AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start > OLD.next_block_start + 2) EXECUTE FUNCTION note();
SELECT idgen_next('gen') FROM generate_series(1, 2);
SELECT trigger, name FROM log ORDER BY id;
TRUNCATE log;
SELECT idgen_next('child/1');
SELECT trigger, name FROM log ORDER BY id;
TRUNCATE log;
SELECT first_id FROM idgen_next_range('gen', 10);
SELECT trigger, name FROM log ORDER BY id;
TRUNCATE log;
UPDATE id_sequences SET layout = 'session' WHERE name = 'gen';
SELECT trigger, name FROM log ORDER BY id;
DO $$
DECLARE
	t text;
BEGIN
	FOR t IN SELECT tgname FROM pg_trigger WHERE tgfoid = 'note'::regproc LOOP
		EXECUTE format('DROP TRIGGER %I ON id_sequences', t);
	END LOOP;
END $$;

-- to lock the row first, which a trigger that fires asks for, takes a record of
-- the WAL more
CREATE TABLE measured (what text, records int);
CREATE FUNCTION measure(text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, WAL, FORMAT JSON) SELECT idgen_next(''one'')' INTO plan;
	INSERT INTO measured VALUES ($1, (plan -> 0 -> 'Plan' ->> 'WAL Records')::int);
END $$;
SELECT measure('nothing');
SELECT measure('nothing');
SELECT measure('nothing');

CREATE TABLE uses (id_sequence text COLLATE "C" REFERENCES id_sequences (name) ON UPDATE CASCADE);
INSERT INTO uses VALUES ('one'), ('gen');
CREATE TRIGGER layout BEFORE UPDATE OF layout ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER disabled AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start > 0) EXECUTE FUNCTION note();
ALTER TABLE id_sequences DISABLE TRIGGER disabled;
CREATE TRIGGER inserts AFTER INSERT OR DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
SELECT measure('others');
SELECT measure('others');
SELECT measure('others');

ALTER TABLE id_sequences ENABLE TRIGGER disabled;
SELECT measure('fired');
SELECT measure('fired');
SELECT measure('fired');
SELECT what, min(records) - (SELECT min(records) FROM measured WHERE what = 'nothing') AS more_records
	FROM measured WHERE what <> 'fired' GROUP BY what ORDER BY what;
SELECT min(records) > (SELECT min(records) FROM measured WHERE what = 'others') AS more_records
	FROM measured WHERE what = 'fired';
DROP TRIGGER disabled ON id_sequences;

-- foreign keys hold: one that refers to the name has nothing to do with refills
UPDATE id_sequences SET name = 'renamed' WHERE name = 'gen';
TABLE uses;
DELETE FROM id_sequences WHERE name = 'renamed';
\echo :SQLSTATE
DROP TABLE uses;

-- one that refers to what a refill sets has
ALTER TABLE id_sequences ADD UNIQUE (name, next_block_start);
CREATE TABLE marks (name text COLLATE "C", start bigint, FOREIGN KEY (name, start) REFERENCES id_sequences (name, next_block_start));
INSERT INTO marks SELECT name, next_block_start FROM id_sequences WHERE name = 'one';
SELECT idgen_next('one');
\echo :SQLSTATE
ALTER TABLE marks DROP CONSTRAINT marks_name_start_fkey,
	ADD FOREIGN KEY (name, start) REFERENCES id_sequences (name, next_block_start) ON UPDATE CASCADE;
SELECT idgen_next('one') = start AS drawn FROM marks;
SELECT next_block_start = start AS followed FROM marks JOIN id_sequences USING (name);
DROP TABLE marks;

-- one of id_sequences itself: a row that is new is checked, also if it has been
-- refilled since; a refill asks for all that is deferred at once
CREATE TABLE sizes (id int PRIMARY KEY);
INSERT INTO sizes SELECT DISTINCT block_size FROM id_sequences;
ALTER TABLE id_sequences ADD FOREIGN KEY (block_size) REFERENCES sizes DEFERRABLE INITIALLY DEFERRED;
SELECT idgen_next('one') IS NOT NULL AS drawn;
BEGIN;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('of nobody', 1, 99);
SELECT idgen_next('of nobody');
\echo :SQLSTATE
ROLLBACK;
BEGIN;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('of nobody', 1, 99);
COMMIT;
\echo :SQLSTATE

-- deferred triggers fire at once
CREATE CONSTRAINT TRIGGER deferred AFTER UPDATE ON id_sequences DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION note();
TRUNCATE log;
BEGIN;
SELECT idgen_next('one') IS NOT NULL AS drawn;
SELECT trigger, name FROM log;
COMMIT;
SELECT count(*) FROM log;

DROP EXTENSION idgen;
DROP TABLE log, measured, sizes;
DROP FUNCTION note, measure;
\set VERBOSITY default

\c -
--
-- What a trigger does to other rows when gapless ids go back before PREPARE
-- TRANSACTION is known to all when that transaction commits.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
CREATE SEQUENCE x_seq INCREMENT BY 10;
CREATE SEQUENCE other INCREMENT BY 10 START 5001;
CREATE FUNCTION add_row() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('x', 1, 'sequence', 'public.other');
	RETURN NULL;
END $$;
CREATE TRIGGER add_row AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start < OLD.next_block_start) EXECUTE FUNCTION add_row();

SELECT idgen_next('x', 'sequence');
BEGIN;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 17);
PREPARE TRANSACTION 'regress_idgen';
SELECT idgen_next('x', 'sequence');
COMMIT PREPARED 'regress_idgen';
SELECT idgen_next('x', 'sequence');

DROP EXTENSION idgen;
DROP SEQUENCE x_seq, other;
DROP FUNCTION add_row;
