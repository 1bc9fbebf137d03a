-- What a superuser does once, in template1 or in each database: the extension
-- in a schema of its own, and what role "app", which migrates, needs of it.
-- docs: setup
CREATE SCHEMA idgen;
CREATE EXTENSION idgen SCHEMA idgen;
GRANT USAGE ON SCHEMA idgen TO PUBLIC;        -- to draw, in defaults
GRANT INSERT, UPDATE, DELETE ON idgen.id_sequences TO app; -- to migrate: create, adopt, release
-- docs: end
