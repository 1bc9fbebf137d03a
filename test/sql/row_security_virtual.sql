--
-- Policies that use generated columns that are not stored, which PostgreSQL 18
-- has
--
SELECT current_setting('server_version_num')::integer < 180000 AS none \gset
\if :none
\quit
\endif
CREATE EXTENSION idgen;
ALTER TABLE id_sequences
	ADD tenant text GENERATED ALWAYS AS (split_part(name::text, '.', 1)) VIRTUAL,
	ADD used_up boolean GENERATED ALWAYS AS (next_block_start > 3) VIRTUAL;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('regress_idgen_ann.a', 1, 1), ('regress_idgen_bob.b', 1, 1);
CREATE ROLE regress_idgen_ann;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION asked(boolean) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'asked';
	RETURN $1;
END $$;

-- the answer is remembered
CREATE POLICY p ON id_sequences USING (asked(tenant = current_user));
SET ROLE regress_idgen_ann;
SELECT idgen_next('regress_idgen_ann.a');
SELECT idgen_next('regress_idgen_ann.a');
SELECT idgen_next('regress_idgen_bob.b');
\echo :SQLSTATE
SELECT name FROM idgen_stats;
RESET ROLE;

-- and here it is not
ALTER POLICY p ON id_sequences USING (NOT used_up);
SET ROLE regress_idgen_ann;
SELECT idgen_next('regress_idgen_ann.a');
SELECT idgen_next('regress_idgen_ann.a');
\echo :SQLSTATE
RESET ROLE;

-- all columns at once
ALTER POLICY p ON id_sequences USING ((id_sequences).tenant = current_user AND id_sequences.* IS DISTINCT FROM NULL);
SET ROLE regress_idgen_ann;
SELECT idgen_next('regress_idgen_ann.a');
SELECT idgen_next('regress_idgen_bob.b');
\echo :SQLSTATE
RESET ROLE;

-- a subquery
ALTER POLICY p ON id_sequences USING (tenant IN (SELECT current_user));
SET ROLE regress_idgen_ann;
SELECT idgen_next('regress_idgen_ann.a');
SELECT idgen_next('regress_idgen_bob.b');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
DROP EXTENSION idgen;
DROP FUNCTION asked;
DROP ROLE regress_idgen_ann;
