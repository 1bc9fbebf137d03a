--
-- A policy that depends on what a refill writes, or a trigger then, or on the
-- default of an argument, holds for the next draw already
--
CREATE EXTENSION idgen;
SELECT idgen_create('generated', block_size => 1), idgen_create('triggered', block_size => 1);
ALTER TABLE id_sequences
	ADD used bigint GENERATED ALWAYS AS (next_block_start / 2 + 1) STORED,
	ADD note text DEFAULT 'new';
CREATE ROLE regress_idgen_user;
CREATE FUNCTION take_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.note := NEW.next_block_start;
	RETURN NEW;
END $$;
CREATE TRIGGER take_note BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION take_note();
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (name = 'generated' AND used <= 2 OR name = 'triggered' AND note <> '3');

SET ROLE regress_idgen_user;
PREPARE draw AS SELECT idgen_next('generated');
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
\echo :SQLSTATE
SELECT idgen_next('triggered');
SELECT idgen_next('triggered');
SELECT idgen_next('triggered');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
SELECT idgen_create('tenant');
CREATE FUNCTION allowed(name text, tenant text DEFAULT current_setting('regress.tenant', true)) RETURNS boolean
	LANGUAGE sql STABLE AS 'SELECT name = tenant';
CREATE POLICY p ON id_sequences USING (allowed(name));
SET ROLE regress_idgen_user;
SET regress.tenant = 'tenant';
SELECT idgen_next('tenant');
SET regress.tenant = 'another';
SELECT idgen_next('tenant');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
DROP EXTENSION idgen;
DROP FUNCTION take_note;
DROP FUNCTION allowed;
DROP ROLE regress_idgen_user;
