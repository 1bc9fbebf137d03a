--
-- Security: who may do what
--

--
-- Nothing of the extension that sessions draw by or look at runs with the
-- rights of the role that has created it: what a role may see and draw from is
-- a matter of its own rights on id_sequences, whatever else it may do. Only the
-- function by which servers lease node numbers does; it is not for everybody.
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_monitor;
CREATE ROLE regress_idgen_backup;
CREATE ROLE regress_idgen_user;
GRANT pg_monitor, pg_read_all_stats, pg_write_all_data TO regress_idgen_monitor;
GRANT pg_read_all_data TO regress_idgen_backup;

SELECT count(*) FILTER (WHERE prosecdef) AS security_definer,
	count(*) FILTER (WHERE lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL
		AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}'
		AND proname <> 'idgen_number_at_commit') AS without_search_path
	FROM pg_proc p JOIN pg_language l ON l.oid = prolang JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen');
SELECT relname, reloptions FROM pg_class WHERE relname ~ '^idgen_' AND relkind = 'v' ORDER BY relname;

-- a view of a superuser's on those views shows as much as its reader may draw
-- from
SELECT idgen_create('shown'), idgen_create('hidden'), idgen_create('gapless', block_size => 1);
CREATE VIEW of_superuser AS SELECT s.name, c.first_id FROM idgen_stats s JOIN idgen_cache c USING (name);
GRANT SELECT ON of_superuser TO PUBLIC;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences TO regress_idgen_user USING (name = 'shown');
SELECT idgen_next('shown'), idgen_next('hidden');
SET ROLE regress_idgen_user;
SELECT * FROM of_superuser;
RESET ROLE;
SELECT * FROM of_superuser ORDER BY name;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- to watch the server, or to write all tables, is not to draw: it shows how all
-- id sequences stand, but no ids
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE SEQUENCE native_seq;
REVOKE ALL ON SEQUENCE native_seq FROM PUBLIC;
SELECT idgen_next('native', 'sequence');
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_monitor;
SELECT name, source, ids_issued, percent_left > 99 AS plenty FROM idgen_stats;
SELECT idgen_next('shown');
\echo :SQLSTATE
SELECT idgen_peek('shown');
\echo :SQLSTATE
TABLE idgen_cache;
\echo :SQLSTATE
SET ROLE regress_idgen_user;
SELECT name FROM idgen_stats;
\echo :SQLSTATE
SET ROLE regress_idgen_monitor;
SELECT idgen_stats_reset();
\echo :SQLSTATE

-- to read all tables is
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;
SET ROLE regress_idgen_backup;
SELECT idgen_next('gapless');
RESET ROLE;

-- ranges, with which few calls use up an id sequence, can be taken from
-- everybody
GRANT SELECT ON id_sequences TO PUBLIC;
REVOKE EXECUTE ON FUNCTION idgen_next_range(text, bigint), idgen_next_range(text, bigint, text) FROM PUBLIC;
SET ROLE regress_idgen_user;
SELECT * FROM idgen_next_range('shown', 4611686018427387904);
\echo :SQLSTATE
SELECT idgen_next('gapless');
RESET ROLE;

DROP VIEW of_superuser;
DROP EXTENSION idgen;
DROP SEQUENCE native_seq;
DROP ROLE regress_idgen_monitor, regress_idgen_backup, regress_idgen_user;

\c -
--
-- Whatever default privileges there are, the members of the extension have the
-- rights that they are made for: nobody reads a secret or may call what is the
-- owner's alone, and everybody may draw
--
CREATE ROLE regress_idgen_reader;
CREATE ROLE "regress_idgen odd""reader";

-- what each role but the owner may do with each member
CREATE FUNCTION rights() RETURNS TABLE (member text, grantee oid, privilege text, grantable boolean) LANGUAGE sql AS $$
	SELECT i.identity, a.grantee, a.privilege_type, a.is_grantable
		FROM pg_depend d CROSS JOIN pg_identify_object(d.classid, d.objid, 0) i
			LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
			LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
			LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
			CROSS JOIN aclexplode(coalesce(c.relacl, p.proacl, t.typacl,
				CASE WHEN p.oid IS NOT NULL THEN acldefault('f', p.proowner) WHEN t.oid IS NOT NULL THEN acldefault('T', t.typowner) END)) a
		WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen') AND d.deptype = 'e' AND
			a.grantee <> coalesce(c.relowner, p.proowner, t.typowner)
$$;

CREATE EXTENSION idgen;
CREATE TEMPORARY TABLE made AS SELECT * FROM rights();

-- without any: what is there for some only, and for all
SELECT c.relname, has_table_privilege('regress_idgen_reader', c.oid, 'SELECT') AS read FROM pg_class c
	JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
	WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen') ORDER BY c.relname COLLATE "C";
SELECT p.oid::regprocedure::text AS not_for_all FROM pg_proc p
	JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen') AND
		NOT has_function_privilege('regress_idgen_reader', p.oid, 'EXECUTE')
	ORDER BY p.proname COLLATE "C";
DROP EXTENSION idgen;

-- given: to roles, and to all
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_idgen_reader, "regress_idgen odd""reader" WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO regress_idgen_reader, "regress_idgen odd""reader" WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO regress_idgen_reader, "regress_idgen odd""reader" WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO pg_monitor, pg_database_owner;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO pg_read_all_settings;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO pg_read_all_settings;
CREATE EXTENSION idgen;
SELECT r.member, r.grantee::regrole, r.privilege AS too_much FROM (SELECT * FROM rights() EXCEPT TABLE made) r;
SELECT r.member, r.grantee::regrole, r.privilege AS too_little FROM (TABLE made EXCEPT SELECT * FROM rights()) r;
SET ROLE regress_idgen_reader;
SELECT token FROM idgen_leases;
SELECT * FROM idgen_secrets;
SELECT idgen_lease_node(NULL, 0, '', 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL);
RESET ROLE;
DROP EXTENSION idgen;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM regress_idgen_reader, "regress_idgen odd""reader", PUBLIC, pg_monitor, pg_database_owner;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM regress_idgen_reader, "regress_idgen odd""reader";
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TYPES FROM regress_idgen_reader, "regress_idgen odd""reader";
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM pg_read_all_settings;
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON FUNCTIONS FROM pg_read_all_settings;

-- taken: what the server gives all roles by itself
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TYPES FROM PUBLIC;
CREATE EXTENSION idgen;
SELECT r.member, r.grantee::regrole, r.privilege AS too_much FROM (SELECT * FROM rights() EXCEPT TABLE made) r;
SELECT r.member, r.grantee::regrole, r.privilege AS too_little FROM (TABLE made EXCEPT SELECT * FROM rights()) r;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO PUBLIC;
SELECT * FROM pg_default_acl;

-- what is granted later stays in a dump: no right is taken for one that the
-- extension gives
SELECT count(*) = 0 AS none_missing FROM pg_init_privs i RIGHT JOIN (
		SELECT c.oid, c.relacl FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
		WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen') AND c.relacl IS NOT NULL) c
	ON i.objoid = c.oid AND i.classoid = 'pg_class'::regclass
	WHERE i.initprivs IS DISTINCT FROM c.relacl;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_reader, "regress_idgen odd""reader";
