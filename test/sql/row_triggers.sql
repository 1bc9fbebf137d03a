--
-- Row triggers of others on id_sequences see every refill, as they see every
-- UPDATE.
--
CREATE EXTENSION idgen;

CREATE TABLE log (id serial, op text, name text, old_start bigint, new_start bigint, new_exhausted int);
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (op, name, old_start, new_start, new_exhausted)
		VALUES (TG_WHEN || ' ' || TG_OP, NEW.name, OLD.next_block_start, NEW.next_block_start, NEW.exhausted);
	RETURN NEW;
END $$;
CREATE TRIGGER zz_audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();

INSERT INTO id_sequences (name, next_block_start, block_size, max_value)
	VALUES ('parts', 1, 5, 1000), ('short', 1, 5, 8), ('gapless', 1, 1, 1000);
SELECT count(idgen_next('parts')) FROM generate_series(1, 12);
SELECT count(idgen_next('short')) FROM generate_series(1, 8);
SELECT op, name, old_start, new_start, new_exhausted FROM log ORDER BY id;

-- of a gapless id sequence, the ids that go back at commit as well
TRUNCATE log;
SELECT count(idgen_next('gapless')) FROM generate_series(1, 20);
SELECT name, min(old_start), max(new_start) FROM log GROUP BY name;
SELECT new_start, (SELECT next_block_start FROM id_sequences WHERE name = 'gapless')
	FROM log ORDER BY id DESC LIMIT 1;
-- each begins where the one before has ended
SELECT count(*) FROM (SELECT old_start, lag(new_start) OVER (ORDER BY id) AS before FROM log) AS l
	WHERE old_start <> before;

-- what a rollback undoes, triggers are undone with
TRUNCATE log;
BEGIN;
SELECT count(idgen_next('parts')) FROM generate_series(1, 12);
ROLLBACK;
SELECT count(*) FROM log;

-- the columns that an UPDATE would name, and conditions
TRUNCATE log;
CREATE TRIGGER of_start AFTER UPDATE OF next_block_start ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start > OLD.next_block_start) EXECUTE FUNCTION audit();
CREATE TRIGGER of_layout AFTER UPDATE OF layout ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
CREATE TRIGGER of_none AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.next_block_start < OLD.next_block_start) EXECUTE FUNCTION audit();
DROP TRIGGER zz_audit ON id_sequences;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT op, name, old_start, new_start FROM log ORDER BY id;
DROP TRIGGER of_start ON id_sequences;
DROP TRIGGER of_layout ON id_sequences;
DROP TRIGGER of_none ON id_sequences;

-- a disabled trigger does not fire; one for replicas does in one
TRUNCATE log;
CREATE TRIGGER zz_audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
ALTER TABLE id_sequences DISABLE TRIGGER zz_audit;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(*) FROM log;
ALTER TABLE id_sequences ENABLE REPLICA TRIGGER zz_audit;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
SELECT count(*) FROM log;
SET session_replication_role = replica;
SELECT count(idgen_next('parts')) FROM generate_series(1, 5);
RESET session_replication_role;
SELECT count(*) FROM log;

-- rows that auto_create makes are seen, too
DROP TRIGGER zz_audit ON id_sequences;
TRUNCATE log;
CREATE FUNCTION audit_insert() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (op, name, new_start) VALUES (TG_WHEN || ' ' || TG_OP, NEW.name, NEW.next_block_start);
	RETURN NEW;
END $$;
CREATE TRIGGER before_insert BEFORE INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit_insert();
CREATE TRIGGER after_insert AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit_insert();
SET idgen.auto_create = on;
SELECT idgen_next('made');
RESET idgen.auto_create;
SELECT op, name, new_start FROM log ORDER BY id;

DROP EXTENSION idgen;
DROP TABLE log;
DROP FUNCTION audit, audit_insert;
