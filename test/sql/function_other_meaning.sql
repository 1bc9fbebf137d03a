--
-- An allocator that looks at what else the name of its id sequence may mean
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq;
CREATE ROLE regress_idgen_user;
GRANT USAGE ON SEQUENCE gen_seq TO regress_idgen_user;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL idgen_test.hide = 'on';
	PERFORM idgen_last('gen');
	SET LOCAL idgen_test.hide = 'off';
	RETURN QUERY SELECT 5000::bigint, 5009::bigint;
END $$;
SELECT idgen_create('gen', source => 'function', source_name => 'allocate');
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY hidden ON id_sequences USING (current_setting('idgen_test.hide', true) IS DISTINCT FROM 'on');
SET ROLE regress_idgen_user;
SET idgen_test.hide = 'on';
SELECT idgen_next('gen', 'sequence');
SET idgen_test.hide = 'off';
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_next('gen', 'sequence');
\echo :SQLSTATE
RESET ROLE;
CREATE OR REPLACE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 5000, 5009';
SET ROLE regress_idgen_user;
SELECT idgen_next('gen');
RESET ROLE;

DROP EXTENSION idgen;
DROP FUNCTION allocate;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;
