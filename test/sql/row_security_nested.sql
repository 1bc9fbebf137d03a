--
-- A policy whose subquery draws from an id sequence itself, and changes roles
-- while it is at it
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start) VALUES ('outer', 1), ('inner', 1);
CREATE ROLE regress_idgen_user;
CREATE FUNCTION may_see(name text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF name = 'outer' THEN
		EXECUTE 'ALTER ROLE regress_idgen_user VALID UNTIL ''' || clock_timestamp() + interval '1 day' || '''';
		PERFORM idgen_next('inner');
	END IF;
	RETURN true;
END $$;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY nested ON id_sequences USING ((SELECT may_see(name)));
SET ROLE regress_idgen_user;
SELECT idgen_next('outer') FROM generate_series(1, 3);
RESET ROLE;
SELECT idgen_next('inner') > 3 AS drawn;

DROP EXTENSION idgen;
DROP FUNCTION may_see;
DROP ROLE regress_idgen_user;
