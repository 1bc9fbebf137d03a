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

-- all is as before
SELECT idgen_next('gen');
SELECT name, next_block_start, block_size FROM id_sequences ORDER BY name;

DROP PROCEDURE call_all, fire_all;
DROP VIEW internals;
DROP TABLE other;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
