--
-- The extension in a schema of its own
--
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
\set VERBOSITY terse
SELECT idgen_next('gen');
\set VERBOSITY default
\echo :SQLSTATE
INSERT INTO ids.id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1), ('hidden', 1, 1);
SELECT ids.idgen_next('gen'), ids.idgen_next_big('gen'), ids.idgen_last('gen'), ids.idgen_peek('gen');
SELECT ids.idgen_create('created', 10, 1);
SELECT ids.idgen_restart('created', 20);
SELECT ids.idgen_next('created');
SELECT name, ids_issued FROM ids.idgen_stats ORDER BY name;
SELECT count(*) FROM ids.idgen_cache;
SET idgen.auto_create = on;
SELECT ids.idgen_next('by itself');
RESET idgen.auto_create;

-- a table of the same name that is found first does not matter
CREATE TABLE public.id_sequences (name text, next_block_start bigint);
INSERT INTO public.id_sequences VALUES ('gen', 1000);
SELECT ids.idgen_next('gen');

-- an ordinary user, with row security, and a column default
CREATE ROLE regress_idgen_user;
GRANT USAGE ON SCHEMA ids TO regress_idgen_user;
ALTER TABLE ids.id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON ids.id_sequences USING (name <> 'hidden');
CREATE TABLE orders (id bigint DEFAULT ids.idgen_next('gen'));
GRANT INSERT, SELECT ON orders TO regress_idgen_user;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT ids.idgen_next('hidden');
\echo :SQLSTATE
RESET ROLE;

-- the right to use the schema is not needed where the function is not named,
-- with row security or without
REVOKE USAGE ON SCHEMA ids FROM regress_idgen_user;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
RESET ROLE;
ALTER TABLE ids.id_sequences DISABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_user;
INSERT INTO orders DEFAULT VALUES RETURNING id;
SELECT ids.idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;

DROP TABLE orders, public.id_sequences;
DROP EXTENSION idgen;
DROP SCHEMA ids;
DROP ROLE regress_idgen_user;

-- names that need quotes
CREATE SCHEMA "My ids";
CREATE EXTENSION idgen SCHEMA "My ids";
SELECT "My ids".idgen_create('gen', 5);
SELECT "My ids".idgen_next('gen');
SELECT "My ids".idgen_restart('gen', 7);
SELECT "My ids".idgen_next('gen');
SET idgen.auto_create = on;
SELECT "My ids".idgen_next('new');
RESET idgen.auto_create;

-- It stays there, under that name: the bodies of functions name it. Other
-- schemas, and other changes of this one, are nobody's business.
ALTER EXTENSION idgen SET SCHEMA public;
ALTER SCHEMA "My ids" RENAME TO other;
\echo :SQLSTATE
SET session_replication_role = replica;
ALTER SCHEMA "My ids" RENAME TO other;
RESET session_replication_role;
ALTER SCHEMA "My ids" OWNER TO pg_monitor;
CREATE SCHEMA other;
ALTER SCHEMA other RENAME TO another;
-- also of a role that knows nothing of it
CREATE ROLE regress_idgen_other;
CREATE SCHEMA regress_idgen_own AUTHORIZATION regress_idgen_other;
SET ROLE regress_idgen_other;
CREATE TABLE regress_idgen_own.t (i int);
CREATE TRIGGER t BEFORE UPDATE ON regress_idgen_own.t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
ALTER SCHEMA regress_idgen_own OWNER TO regress_idgen_other;
RESET ROLE;
DROP TABLE regress_idgen_own.t;
DROP SCHEMA regress_idgen_own;
DROP ROLE regress_idgen_other;
DROP SCHEMA another;
SELECT "My ids".idgen_next('gen') > 7 AS works;
DROP EXTENSION idgen;
ALTER SCHEMA "My ids" RENAME TO other;
DROP SCHEMA other;
