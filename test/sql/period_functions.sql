--
-- Functions that are not for rows with periods; columns that draw from these
--
CREATE EXTENSION idgen;
SELECT idgen_create('bill', period => 'year', block_size => 1, owned_by => NULL);
CREATE TABLE bill (id bigint PRIMARY KEY DEFAULT idgen_next('bill'));
INSERT INTO bill VALUES (7), (8);

-- hints name the child of today, which a test cannot know
CREATE FUNCTION try(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RETURN 'ok';
EXCEPTION
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN regexp_replace(concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, nullif(detail, ''), nullif(hint, '')), '/\d{4}', '/9999', 'g');
END $$;
\x on
SELECT try($$SELECT idgen_restart('bill', 100)$$);
SELECT try($$SELECT idgen_sync('bill', 'id')$$);
SELECT try($$SELECT idgen_release('bill', 'id')$$);
SELECT try($$SELECT idgen_adopt('bill', 'id', 'other')$$);
SELECT try($$SELECT idgen_next('bill', 'sequence')$$);
SELECT try($$SELECT idgen_next_range('bill', 0)$$);
\x off
SELECT regexp_replace(idgen_sync('bill'), '/\d{4}', '/9999', 'g');

-- the same for one period works, also before there is a row for it
SELECT try($$SELECT idgen_restart('bill/' || to_char(now() AT TIME ZONE 'UTC', 'YYYY'), 9)$$);
INSERT INTO bill DEFAULT VALUES RETURNING id;
SELECT try($$SELECT idgen_restart('bill/' || to_char(now() AT TIME ZONE 'UTC', 'YYYY'), 20)$$);
INSERT INTO bill DEFAULT VALUES RETURNING id;

-- a row with periods can belong to a column; its children stay
UPDATE id_sequences SET owned_by = 'public.bill.id' WHERE name = 'bill';
SELECT idgen_next('bill');
SELECT count(*) FROM id_sequences WHERE template = 'bill' AND owned_by IS NULL;
SELECT idgen_next('bill/2001');
DROP TABLE bill;
SELECT regexp_replace(name, '[^/]\d\d[^1]$', '9999') AS name FROM id_sequences ORDER BY 1;

DROP FUNCTION try;
DROP EXTENSION idgen;
