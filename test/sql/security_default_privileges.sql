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
