--
-- A trigger on id_sequences that draws: from others it may; not from the id
-- sequence that is being refilled.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size)
	VALUES ('parts', 1, 2), ('gapless', 1, 1), ('log', 1, 3), ('log gapless', 1, 1);
CREATE TABLE log (id bigint PRIMARY KEY DEFAULT idgen_next('log'), number bigint DEFAULT idgen_next('log gapless'), name text);
CREATE TABLE checked (name text PRIMARY KEY);
INSERT INTO checked VALUES ('parts'), ('gapless');
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO log (name) VALUES (NEW.name);
	RETURN NULL;
END $$;

CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
SELECT idgen_next('parts');
\echo :SQLSTATE
DROP TRIGGER audit ON id_sequences;

CREATE TRIGGER audit AFTER UPDATE ON id_sequences FOR EACH ROW
	WHEN (NEW.name NOT LIKE 'log%') EXECUTE FUNCTION audit();
SELECT idgen_next('parts') FROM generate_series(1, 4);
SELECT count(idgen_next('gapless')) FROM generate_series(1, 10);
SELECT name, count(*), min(id), max(id), min(number), max(number) FROM log GROUP BY name ORDER BY min(id);
SELECT name, next_block_start FROM id_sequences WHERE name LIKE '%gapless' ORDER BY name;

-- it cannot leave anything to be checked at the end: that would have the rights
-- of whoever commits
ALTER TABLE log ADD FOREIGN KEY (name) REFERENCES checked DEFERRABLE INITIALLY DEFERRED;
SELECT idgen_next('gapless');
\echo :SQLSTATE
ALTER TABLE log ALTER CONSTRAINT log_name_fkey NOT DEFERRABLE;
SELECT idgen_next('gapless');

DROP TABLE log, checked;
DROP EXTENSION idgen;
DROP FUNCTION audit;
