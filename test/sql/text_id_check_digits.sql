--
-- Check digits are those of the standards, and notice what these say
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');

-- the text id that a format makes of a number
CREATE FUNCTION written(f text, id bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	UPDATE id_sequences SET format = f WHERE name = 'x';
	PERFORM idgen_restart('x', id);
	RETURN idgen_next_text('x', '2026-11-22');
END $$;
-- is it a text id of the format that was used last?
CREATE FUNCTION is_valid(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_text_value('x', id);
	RETURN true;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range THEN
	RETURN false;
END $$;

-- ISO/IEC 7812-1: its example, and card numbers that are published for tests
SELECT written('{id}{luhn}', 7992739871), written('4{id:14}{luhn}', 11111111111111), written('{id}{luhn}', 37828224631000);
-- ISO/IEC 7064: its example
SELECT written('{id}{mod97}', 794);
-- IBANs of ISO 13616, a creditor reference of ISO 11649, and a LEI of ISO 17442
SELECT written('GB{mod97}WEST{id:14}', 12345698765432), written('DE{mod97}37040044{id:10}', 532013000), written('RF{mod97}{id}', 539007547034);
SELECT written('529900T8BM49AURS{id:base36}{mod97}', 13 * 36 + 24);
-- literal digits, a year, and letters count; other characters do not
SELECT written('1-{YYYY}.{id:4}/{luhn}', 7), written('{id}{luhn}', 120260007);
SELECT written('ab{id:3}{mod97}', 7), written('AB-{id:3} {mod97}', 7);
SELECT written('{mod97}{id}', 0), written('{id}{luhn}', 0);

-- each wrong digit, and two adjacent ones that have changed places
CREATE FUNCTION unnoticed(f text, id bigint, digits text, part text) RETURNS TABLE (wrong_digit bigint, changed_places bigint) LANGUAGE sql AS $$
	WITH written AS MATERIALIZED (SELECT written(f, id) AS w),
	places AS (SELECT w, p FROM written, generate_series(1, length(w)) p WHERE substr(w, p, 1) ~ part)
	SELECT (SELECT count(*) FROM places, regexp_split_to_table(digits, '') d
			WHERE substr(w, p, 1) <> d AND is_valid(overlay(w PLACING d FROM p))),
		(SELECT count(*) FROM places WHERE p < length(w) AND substr(w, p, 1) <> substr(w, p + 1, 1)
			AND is_valid(overlay(w PLACING substr(w, p + 1, 1) || substr(w, p, 1) FROM p)))
$$;
SELECT f, id, u.* FROM (VALUES ('{id:9}{luhn}', 123456781), ('{id:9}{luhn}', 100901567),
	('{id:9}{mod97}', 100901567), ('{mod97}{id:9}', 987654321)) v (f, id),
	unnoticed(f, id, '0123456789', '[0-9]') u;
-- where letters and digits change, one mistake of 97 is not noticed
SELECT f, id, u.* FROM (VALUES ('{id:base36:9}{mod97}', 100901567890), ('{id:base16:9}{mod97}', 987654321)) v (f, id),
	unnoticed(f, id, '0123456789ABCDEF', '[0-9A-Z]') u;
DROP FUNCTION written, is_valid, unnoticed;
DROP EXTENSION idgen;
