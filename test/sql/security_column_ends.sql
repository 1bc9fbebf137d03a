--
-- To find how far the ids in a column have gone runs no code of anybody's, and
-- tells nothing of tables that the caller may not read
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_app;
CREATE SCHEMA app AUTHORIZATION regress_idgen_app;
SET ROLE regress_idgen_app;
CREATE FUNCTION app.f(bigint DEFAULT 1) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_idgen_app' THEN
		RAISE 'code of regress_idgen_app runs as somebody else';
	END IF;
	RETURN true;
END $$;
CREATE TABLE app.t (id bigint PRIMARY KEY, tenant boolean);
INSERT INTO app.t VALUES (1000, true);
RESET ROLE;
SELECT idgen_create('gen'), idgen_create('of view'), idgen_create('partitioned');
GRANT SELECT, INSERT, UPDATE ON id_sequences TO regress_idgen_app;

-- a view of the caller's, over a table of somebody else, is not read
GRANT DELETE ON id_sequences TO regress_idgen_app;
CREATE VIEW v AS SELECT id FROM app.t WHERE tenant = app.f();
ALTER VIEW v ALTER id SET DEFAULT idgen_next('of view');
CREATE VIEW missing AS SELECT id FROM app.t WHERE tenant = app.f();
ALTER VIEW missing ALTER id SET DEFAULT idgen_next('missing');
SELECT idgen_sync('v', 'id');
\echo :SQLSTATE
SELECT idgen_sync();
SELECT idgen_sync();

-- neither is one of somebody else, over a table that the caller may not read
CREATE TABLE secret (id bigint PRIMARY KEY);
INSERT INTO secret VALUES (123456);
CREATE VIEW app.few AS SELECT id FROM secret WHERE id < 10;
ALTER VIEW app.few ALTER id SET DEFAULT idgen_next('of view');
GRANT SELECT, INSERT ON app.few TO regress_idgen_app;
SET ROLE regress_idgen_app;
SELECT idgen_sync('app.few', 'id');
RESET ROLE;
DROP VIEW v, missing, app.few;
DROP TABLE secret;

-- a partition of somebody else
CREATE TABLE parent (id bigint DEFAULT idgen_next('partitioned')) PARTITION BY RANGE (id);
CREATE TABLE app.part PARTITION OF parent FOR VALUES FROM (1) TO (1000000);
ALTER TABLE app.part OWNER TO regress_idgen_app;
INSERT INTO parent VALUES (500);
SET ROLE regress_idgen_app;
CREATE INDEX ON app.part (id) WHERE app.f(1);
ALTER TABLE app.part ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.part FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON app.part USING (app.f(id) AND id < 10);
RESET ROLE;
SELECT idgen_sync('parent', 'id');
DELETE FROM id_sequences WHERE name = 'partitioned';
SELECT idgen_sync('parent');
DROP TABLE parent;

-- whoever moves columns of others over, and back
SET ROLE regress_idgen_app;
CREATE TABLE app.moved (id serial, other integer);
INSERT INTO app.moved VALUES (77);
CREATE INDEX ON app.moved (id) WHERE app.f(1);
ALTER TABLE app.moved ALTER id DROP NOT NULL, ADD CHECK (app.f(1) OR id > 0);
RESET ROLE;
SELECT idgen_adopt('app.moved', 'id');
SELECT idgen_release('app.moved', 'id');
SELECT idgen_adopt('app.moved', 'id');
ALTER TABLE app.moved ALTER id DROP NOT NULL;
SELECT idgen_release('app.moved', 'id', 'serial');
DROP TABLE app.moved;

-- where owners differ, nobody's CHECK is run with the rights of another
CREATE TABLE parent (id bigint) PARTITION BY RANGE (id);
CREATE TABLE app.part PARTITION OF parent FOR VALUES FROM (1) TO (1000000);
SELECT idgen_adopt('parent', 'id', 'of owners');
ALTER TABLE app.part OWNER TO regress_idgen_app;
SET ROLE regress_idgen_app;
ALTER TABLE app.part ADD CHECK (app.f(1) OR id > 0);
RESET ROLE;
SELECT substring(idgen_release('parent', 'id') FROM '^[^;]*; [^;]*');
\echo :SQLSTATE
SET ROLE regress_idgen_app;
ALTER TABLE app.part ALTER id SET NOT NULL;
RESET ROLE;
ALTER TABLE parent ALTER id SET NOT NULL;
SELECT substring(idgen_release('parent', 'id') FROM '^[^;]*; [^;]*');

DROP TABLE parent;
DROP EXTENSION idgen;
DROP SCHEMA app CASCADE;
DROP ROLE regress_idgen_app;
