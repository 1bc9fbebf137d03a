--
-- What the extension has for its triggers, views, the planner and the wrapper
-- does no harm, whoever calls it or makes another trigger of it
--
CREATE EXTENSION idgen;
SELECT idgen_create('gen', block_size => 1), idgen_create('scrambled', layout => 'scrambled');
SELECT idgen_next('gen');
REVOKE SELECT ON id_sequences FROM PUBLIC;
CREATE ROLE regress_idgen_user;
CREATE VIEW internals AS
	SELECT oid::regproc AS name, prorettype::regtype AS type,
			ARRAY(SELECT format('NULL::%s', a::regtype) FROM unnest(proargtypes) AS a) AS nulls
		FROM pg_proc WHERE obj_description(oid, 'pg_proc') LIKE 'internal: %' AND 'internal'::regtype <> ALL (proargtypes);
GRANT SELECT ON internals TO PUBLIC;
SELECT count(*) > 10 AS many, count(*) FILTER (WHERE type = 'trigger'::regtype) > 1 AS triggers FROM internals;

-- A function that is called gives a row, or an error that says what is wrong.
CREATE PROCEDURE call_all() LANGUAGE plpgsql AS $$
DECLARE
	f internals;
BEGIN
	FOR f IN SELECT * FROM internals LOOP
		BEGIN
			EXECUTE format('SELECT %s(%s)', f.name, array_to_string(f.nulls, ', '));
			ASSERT f.type NOT IN ('trigger', 'event_trigger'), f.name || ' can be called';
		EXCEPTION WHEN OTHERS THEN
			IF SQLSTATE ~ '^(XX|P0)' THEN
				RAISE WARNING '%: % %', f.name, SQLSTATE, SQLERRM;
			END IF;
		END;
	END LOOP;
END $$;
CALL call_all();
SET ROLE regress_idgen_user;
CALL call_all();

-- Nobody makes a trigger of one on a table of his own.
CREATE TEMPORARY TABLE mine (name varchar(255) COLLATE "C", key bytea);
DO $$
DECLARE
	f internals;
BEGIN
	FOR f IN SELECT * FROM internals WHERE type = 'trigger'::regtype LOOP
		BEGIN
			EXECUTE format('CREATE TRIGGER t AFTER UPDATE ON mine EXECUTE FUNCTION %s()', f.name);
			RAISE WARNING '% is allowed', f.name;
		EXCEPTION WHEN insufficient_privilege THEN
		END;
	END LOOP;
END $$;
DROP TABLE mine;
RESET ROLE;

-- Who may, gets an error when it fires: on another table always, on the
-- extension's own where they are not meant to be.
CREATE TABLE other (name text, value bytea);
CREATE PROCEDURE fire_all(relation regclass, statement text) LANGUAGE plpgsql AS $$
DECLARE
	f internals;
	at text;
BEGIN
	FOREACH at IN ARRAY ARRAY['BEFORE %s ON %s FOR EACH ROW', 'AFTER %s ON %s FOR EACH ROW',
		'BEFORE %s ON %s FOR EACH STATEMENT', 'AFTER %s ON %s FOR EACH STATEMENT']
	LOOP
		FOR f IN SELECT * FROM internals WHERE type = 'trigger'::regtype LOOP
			BEGIN
				EXECUTE format('CREATE TRIGGER zz ' || at || ' EXECUTE FUNCTION %s()', split_part(statement, ' ', 1), relation, f.name);
				EXECUTE statement;
				RAISE SQLSTATE 'ZZ001';
			EXCEPTION WHEN OTHERS THEN
				IF SQLSTATE ~ '^(XX|P0)' OR SQLSTATE = 'ZZ001' AND relation = 'other'::regclass THEN
					RAISE WARNING '% % %: % %', f.name, at, statement, SQLSTATE, SQLERRM;
				END IF;
			END;
		END LOOP;
	END LOOP;
END $$;
CALL fire_all('other', $$INSERT INTO other VALUES ('a', '\x00')$$);
INSERT INTO other VALUES ('a', '\x00');
CALL fire_all('other', $$UPDATE other SET name = 'b'$$);
CALL fire_all('other', $$DELETE FROM other$$);
CALL fire_all('id_sequences', $$INSERT INTO id_sequences (name, next_block_start) VALUES ('new', 1)$$);
CALL fire_all('id_sequences', $$UPDATE id_sequences SET block_size = 5$$);
CALL fire_all('id_sequences', $$DELETE FROM id_sequences$$);
CALL fire_all('idgen_secrets', $$INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s FROM (SELECT decode(repeat('00', 80), 'hex')) AS v(s)$$);

-- They tell nobody of hidden rows, nor do they touch these.
SELECT idgen_create('hidden'), idgen_create('hidden/*');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON id_sequences USING (name = 'gen');
GRANT SELECT, UPDATE ON id_sequences TO regress_idgen_user;
SELECT idgen_next('hidden');
SET ROLE regress_idgen_user;
SELECT (idgen_child('hidden/a', '')).name;
SELECT idgen_drop_cached('hidden');
RESET ROLE;
SELECT (idgen_child('hidden/a', '')).name;
SELECT idgen_next('hidden');
REVOKE ALL ON id_sequences FROM regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT (idgen_child('hidden/a', '')).name;
RESET ROLE;
SELECT idgen_child('hidden/' || repeat('x', 300), '') IS NULL AS too_long;
DROP POLICY shown ON id_sequences;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
DELETE FROM id_sequences WHERE name LIKE 'hidden%';

-- What is gone is no error.
SELECT idgen_refused_code(0), idgen_base_type(0, 0), idgen_column_end(0, 1::smallint, true, NULL, 'wait');

-- A monitor sees how far ids have got, and nothing else of a table.
CREATE DOMAIN drawn AS bigint DEFAULT idgen_next('gen');
CREATE TABLE paid (own bigint DEFAULT idgen_next('gen'), by_domain drawn, owned bigint, native serial, amount integer DEFAULT 5, paid_by numeric);
CREATE INDEX ON paid (own);
CREATE INDEX ON paid (by_domain);
CREATE INDEX ON paid (owned);
CREATE INDEX ON paid (native);
CREATE INDEX ON paid (amount);
CREATE INDEX ON paid (paid_by);
INSERT INTO paid VALUES (1, 2, 3, 4, 5, 6);
SELECT idgen_create('owned', owned_by => 'paid.owned');
GRANT pg_monitor TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT attname, idgen_column_end(attrelid, attnum, true, NULL, 'brief') FROM pg_attribute
	WHERE attrelid = 'paid'::regclass ORDER BY attnum;
RESET ROLE;
CREATE TABLE unknown (id bigint DEFAULT idgen_next('unknown'));
SET ROLE regress_idgen_user;
SELECT name, problem_kind FROM idgen_health WHERE problem_kind = 'missing';
RESET ROLE;
DROP TABLE paid, unknown;
DROP DOMAIN drawn;

-- all is as before
SELECT idgen_next('gen');
SELECT name, next_block_start, block_size FROM id_sequences ORDER BY name;

DROP PROCEDURE call_all, fire_all;
DROP VIEW internals;
DROP TABLE other;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
