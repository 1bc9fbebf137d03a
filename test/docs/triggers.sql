-- docs/sources.md, "Triggers and constraints on id_sequences"

-- claim: A refill fires triggers for UPDATE, of each row, with their conditions; not those of each statement.
CREATE TABLE fired (id serial, what text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$ BEGIN INSERT INTO fired (what) VALUES (TG_NAME); RETURN new; END $$;
SELECT idgen_create('tg');
CREATE TRIGGER before_row BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER after_statement AFTER UPDATE ON id_sequences EXECUTE FUNCTION note();
CREATE TRIGGER never AFTER UPDATE ON id_sequences FOR EACH ROW WHEN (NEW.next_block_start < OLD.next_block_start) EXECUTE FUNCTION note();
SELECT count(idgen_next('tg')) FROM generate_series(1, 20);
-- gives: 20
SELECT what FROM fired ORDER BY id;
-- gives: before_row

-- claim: Those for UPDATE OF columns fire if a refill sets one of these.
DROP TRIGGER before_row ON id_sequences;
DROP TRIGGER after_statement ON id_sequences;
TRUNCATE fired;
CREATE TRIGGER of_start AFTER UPDATE OF next_block_start ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER of_format AFTER UPDATE OF format ON id_sequences FOR EACH ROW EXECUTE FUNCTION note();
SELECT idgen_next('tg');
-- gives: 21
SELECT what FROM fired;
-- gives: of_start
DROP TRIGGER of_start ON id_sequences;
DROP TRIGGER of_format ON id_sequences;
DROP TRIGGER never ON id_sequences;

SELECT idgen_create('cr', block_size => 2);
SELECT idgen_next('cr');
-- gives: 1

-- claim: A BEFORE trigger that returns NULL makes the refill fail; nothing is lost.
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER suppress BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION suppress();
SELECT idgen_next('cr');
-- gives: 2
SELECT idgen_next('cr');
-- gives: ERROR 09000
DROP TRIGGER suppress ON id_sequences;
SELECT idgen_next('cr');
-- gives: 3

-- claim: An AFTER trigger that changes next_block_start makes it fail, too.
CREATE FUNCTION back() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$ BEGIN UPDATE id_sequences SET next_block_start = 1 WHERE name = new.name; RETURN NULL; END $$;
CREATE TRIGGER back AFTER UPDATE ON id_sequences FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION back();
SELECT idgen_create('bk');
SELECT idgen_next('bk');
-- gives: ERROR 09000
DROP TRIGGER back ON id_sequences;

-- claim: A trigger may not draw from the id sequence that is being refilled, but from others.
CREATE TABLE numbered (id bigint DEFAULT idgen_next('log'), name text);
CREATE FUNCTION number() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$ BEGIN INSERT INTO numbered (name) VALUES (new.name); RETURN NULL; END $$;
SELECT idgen_create('log');
CREATE TRIGGER number AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION number();
SELECT idgen_next('log');
-- gives: ERROR 55000
DROP TRIGGER number ON id_sequences;
CREATE TRIGGER number AFTER UPDATE ON id_sequences FOR EACH ROW WHEN (NEW.name <> 'log') EXECUTE FUNCTION number();
SELECT idgen_next('bk');
-- gives: 1
TABLE numbered;
-- gives: 1|bk
DROP TRIGGER number ON id_sequences;

-- claim: Deferred constraint triggers fire at once.
TRUNCATE fired;
CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON id_sequences DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note();
SELECT idgen_create('df');
BEGIN;
SELECT idgen_next('df');
-- gives: 1
SELECT what FROM fired;
-- gives: late
COMMIT;
DROP TRIGGER late ON id_sequences;

-- claim: CHECK constraints hold for refills.
ALTER TABLE id_sequences ADD CONSTRAINT limited CHECK (next_block_start <= 1001);
SELECT idgen_create('ck', block_size => 600);
SELECT idgen_next('ck');
-- gives: 1
SELECT count(idgen_next('ck')) FROM generate_series(1, 700);
-- gives: ERROR 23514
