--
-- What CREATE EXTENSION installs
--
CREATE EXTENSION idgen;
\pset format unaligned
\df idgen_*
\pset format aligned
\d id_sequences
\d idgen_secrets
\d id_sequences_by_last_id
\d idgen_stats
\d idgen_cache
\d idgen_server
\d idgen_columns
\d idgen_centre_marks
\d idgen_node_numbers
\d idgen_leases
\d idgen_nodes
SELECT unnest(reloptions) FROM pg_class WHERE oid = 'id_sequences'::regclass ORDER BY 1;

-- all of it belongs to the extension
SELECT pg_describe_object(classid, objid, 0) COLLATE "C" AS object FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND classid <> 'pg_type'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen')
	ORDER BY object;
DROP TABLE id_sequences;
\echo :SQLSTATE
DROP FUNCTION idgen_next(text);
\echo :SQLSTATE

-- and all that people look at has a comment
SELECT attrelid::regclass || '.' || attname AS uncommented FROM pg_attribute
	WHERE attrelid IN ('id_sequences'::regclass, 'idgen_secrets'::regclass, 'id_sequences_by_last_id'::regclass, 'idgen_stats'::regclass, 'idgen_cache'::regclass, 'idgen_server'::regclass, 'idgen_columns'::regclass, 'idgen_centre_marks'::regclass, 'idgen_nodes'::regclass)
		AND attnum > 0 AND col_description(attrelid, attnum) IS NULL
	UNION ALL
	SELECT oid::regprocedure::text FROM pg_proc WHERE proname LIKE 'idgen\_%' AND obj_description(oid, 'pg_proc') IS NULL;

-- which says so of the functions that are there for triggers, views, the
-- planner and the wrapper only
SELECT oid::regprocedure AS internal FROM pg_proc
	WHERE proname LIKE 'idgen\_%' AND obj_description(oid, 'pg_proc') LIKE 'internal: %' ORDER BY proname, pronargs;
SELECT DISTINCT refobjid::regprocedure AS not_said_so FROM pg_depend
	WHERE refclassid = 'pg_proc'::regclass AND refobjid::regproc::text LIKE 'idgen\_%'
		AND classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_foreign_data_wrapper'::regclass)
		AND obj_description(refobjid, 'pg_proc') NOT LIKE 'internal: %';

-- the privileges of everybody
SELECT relname, privilege_type FROM pg_class, aclexplode(relacl)
	WHERE grantee = 0 AND relname ~ '^idgen_|^id_sequences' ORDER BY relname;
SELECT proname FROM pg_proc
	WHERE proname LIKE 'idgen\_%' AND NOT EXISTS (
		SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0)
	ORDER BY proname;

-- pg_dump takes the rows along
SELECT extconfig = ARRAY['id_sequences'::regclass::oid, 'idgen_secrets'::regclass::oid, 'idgen_marks'::regclass::oid, 'idgen_node_numbers'::regclass::oid] AS dumped, extcondition FROM pg_extension WHERE extname = 'idgen';

-- triggers fire for replicated rows as well
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 10);
SELECT idgen_next('gen');
SET session_replication_role = replica;
UPDATE id_sequences SET next_block_start = 5;
RESET session_replication_role;
SELECT idgen_next('gen');
SET session_replication_role = replica;
TRUNCATE id_sequences;
INSERT INTO id_sequences (name, next_block_start) VALUES ('gen', 50);
INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('bad', 1, 'none');
\echo :SQLSTATE
RESET session_replication_role;
SELECT idgen_next('gen');

-- those of others see refills and other changes
CREATE FUNCTION notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '% of %', TG_OP, NEW.name;
	RETURN NEW;
END $$;
CREATE TRIGGER notice BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION notice();
SELECT idgen_restart('gen', 1);
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);

-- gone without a trace
DROP EXTENSION idgen;
DROP FUNCTION notice;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen\_%';
SELECT count(*) FROM pg_class WHERE relname ~ '^idgen_|^id_sequences';
