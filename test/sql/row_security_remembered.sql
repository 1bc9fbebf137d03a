--
-- What row security answers is remembered, but not if it depends on more than
-- the columns that a refill leaves alone. The policy's function says when it is
-- asked.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gen', 1, 1000);
ALTER TABLE id_sequences
	ADD tenant text GENERATED ALWAYS AS (pg_catalog.lower(name::text)) STORED,
	ADD used bigint GENERATED ALWAYS AS (next_block_start / 2 + 1) STORED,
	ADD since timestamptz,
	ADD note text;
CREATE DOMAIN anything AS text;
CREATE FUNCTION asked(VARIADIC text[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'asked';
	RETURN true;
END $$;
CREATE FUNCTION asked_with_default(name text, more text DEFAULT current_setting('regress.setting', true)) RETURNS boolean
	LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'asked';
	RETURN true;
END $$;
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON id_sequences USING (true);
CREATE FUNCTION draw_twice() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_next('gen');
	PERFORM idgen_next('gen');
	RETURN 'drawn';
END $$;
SELECT draw_twice();

-- remembered
ALTER POLICY p ON id_sequences USING (asked(name, source, max_value::text, tenant, note, current_user));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- a generated column over one that refills write
ALTER POLICY p ON id_sequences USING (asked(used::text));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- a column that a trigger writes when refills come
CREATE FUNCTION take_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.note := NEW.next_block_start;
	RETURN NEW;
END $$;
CREATE TRIGGER take_note BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION take_note();
ALTER POLICY p ON id_sequences USING (asked(note));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;
DROP TRIGGER take_note ON id_sequences;
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- all columns
ALTER POLICY p ON id_sequences USING (id_sequences IS NOT NULL OR asked(name));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- a domain, which may get a check, or another one
ALTER POLICY p ON id_sequences USING (asked(name::anything::text));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;
ALTER POLICY p ON id_sequences USING (true);

-- an argument's default
ALTER POLICY p ON id_sequences USING (asked_with_default(name));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- functions of other kinds
ALTER POLICY p ON id_sequences USING (asked(since::text));
SET ROLE regress_idgen_user;
SELECT draw_twice();
RESET ROLE;

-- and with effect
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES ('gapless', 1, 1);
ALTER POLICY p ON id_sequences USING (used <= 2);
SET ROLE regress_idgen_user;
SELECT idgen_next('gapless');
SELECT idgen_next('gapless');
SELECT idgen_next('gapless');
SELECT idgen_next('gapless');
\echo :SQLSTATE
RESET ROLE;

DROP POLICY p ON id_sequences;
DROP EXTENSION idgen;
DROP FUNCTION draw_twice, asked, asked_with_default, take_note;
DROP DOMAIN anything;
DROP ROLE regress_idgen_user;
