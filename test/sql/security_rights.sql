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
		AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}') AS without_search_path
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
