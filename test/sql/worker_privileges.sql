--
-- Who may draw with refill = 'worker': the same as without, and nobody needs
-- more
--
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 1, 'worker'), ('hidden', 1, 1, 'worker');
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_owner;

-- SELECT is enough to make the worker write
SET ROLE regress_idgen_user;
SELECT max(idgen_next('gen')), max(idgen_next_big('gen')) FROM generate_series(1, 50);
SELECT idgen_restart('gen', 1);
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'transaction';
\echo :SQLSTATE
SELECT name, refill, ids_issued FROM idgen_stats;
RESET ROLE;
REVOKE SELECT ON id_sequences FROM PUBLIC;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
\echo :SQLSTATE
RESET ROLE;
GRANT SELECT ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
RESET ROLE;

-- row security says what can be drawn from, to whom it applies
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences FOR SELECT USING (name <> 'hidden');
SET ROLE regress_idgen_user;
SELECT max(idgen_next('gen')) FROM generate_series(102, 200);
SELECT idgen_next('hidden');
\echo :SQLSTATE
RESET ROLE;
SELECT idgen_next('hidden');

-- it does not keep the worker from rows that are hidden from the owner
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;
ALTER TABLE id_sequences FORCE ROW LEVEL SECURITY;
SELECT max(idgen_next('hidden')) FROM generate_series(2, 50);
SET ROLE regress_idgen_owner;
SELECT idgen_next('hidden');
\echo :SQLSTATE
SELECT idgen_next('gen');
RESET ROLE;

-- nor does what the owner has taken from itself
REVOKE ALL ON id_sequences FROM regress_idgen_owner;
SET ROLE regress_idgen_user;
SELECT max(idgen_next('gen')) FROM generate_series(202, 300);
RESET ROLE;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user, regress_idgen_owner;
