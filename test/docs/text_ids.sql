-- docs/numbers.md, "Text ids"

SELECT idgen_create('t', format => 'RE-{YYYY}-{id:6}');

-- claim: idgen_next_text draws as idgen_next does.
SELECT idgen_next_text('t', '2026-11-22'), idgen_next('t'), idgen_next_text('t', '2026-11-22');
-- gives: RE-2026-000001|2|RE-2026-000003

-- claim: Longer numbers grow.
SELECT idgen_restart('t', 1234567);
SELECT idgen_next_text('t', '2026-11-22');
-- gives: RE-2026-1234567

-- claim: A brace that is text is written twice.
UPDATE id_sequences SET format = '{{{id}}}' WHERE name = 't';
SELECT idgen_next_text('t');
-- gives: {1234587}

-- claim: There is exactly one {id}.
UPDATE id_sequences SET format = '{id}{id}' WHERE name = 't';
-- gives: ERROR 22023
UPDATE id_sequences SET format = 'x' WHERE name = 't';
-- gives: ERROR 22023

-- claim: At most one field of check digits.
UPDATE id_sequences SET format = '{id}{luhn}{mod97}' WHERE name = 't';
-- gives: ERROR 22023

-- claim: A width is 1 to 64, which is itself written without zeros in front.
UPDATE id_sequences SET format = '{id:64}' WHERE name = 't';
UPDATE id_sequences SET format = '{id:65}' WHERE name = 't';
-- gives: ERROR 22023
UPDATE id_sequences SET format = '{id:06}' WHERE name = 't';
-- gives: ERROR 22023

-- claim: The greatest bigint has 19, 16, 13, 13, 11 or 11 digits.
CREATE FUNCTION greatest_in(base int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	PERFORM idgen_create('g' || base, 9223372036854775807, format => format('{id:base%s}', base));
	RETURN length(idgen_next_text('g' || base));
END $$;
SELECT greatest_in(10), greatest_in(16), greatest_in(32), greatest_in(36), greatest_in(58), greatest_in(62);
-- gives: 19|16|13|13|11|11

-- claim: Crockford's base 32: a reader takes I and L for 1, O for 0, passes over hyphens.
SELECT idgen_create('c', 33, format => '{id:base32:4}');
SELECT idgen_next_text('c'), idgen_text_value('c', 'ooil'), idgen_text_value('c', '00-1-1');
-- gives: 0011|33|33

-- claim: Up to 36, digits are read in any case.
SELECT idgen_create('h', 255, format => '{id:base16}');
SELECT idgen_next_text('h'), idgen_text_value('h', 'fF');
-- gives: FF|255

-- claim: 58 and 62 tell capitals from small letters.
SELECT idgen_create('k', 255, format => '{id:base62}');
SELECT idgen_text_value('k', 'a') = idgen_text_value('k', 'A');
-- gives: f

-- claim: luhn: all decimal digits in front of it, literal text and date as well.
UPDATE id_sequences SET format = '1-{YYYY}-{id}-{luhn}' WHERE name = 't';
SELECT idgen_restart('t', 7);
SELECT idgen_next_text('t', '2026-11-22');
UPDATE id_sequences SET format = '{id}-{luhn}' WHERE name = 't';
SELECT idgen_restart('t', 120267);
SELECT idgen_next_text('t', '2026-11-22');
-- gives: 1-2026-7-0
-- gives: 120267-0

-- claim: luhn misses 09 for 90.
SELECT idgen_text_value('t', '1902-6'), idgen_text_value('t', '1092-6');
-- gives: 1902|1092

-- claim: luhn stands behind {id}.
UPDATE id_sequences SET format = '{luhn}{id}' WHERE name = 't';
-- gives: ERROR 22023

-- claim: And takes it in base 10 only; mod97 goes with bases up to 36.
UPDATE id_sequences SET format = '{id:base36}{luhn}' WHERE name = 't';
-- gives: ERROR 22023
UPDATE id_sequences SET format = '{id:base36}{mod97}' WHERE name = 't';
UPDATE id_sequences SET format = '{mod97}{id:base58}' WHERE name = 't';
-- gives: ERROR 22023

-- claim: mod97 is that of an IBAN.
UPDATE id_sequences SET format = 'DE{mod97}37040044{id:10}' WHERE name = 't';
SELECT idgen_restart('t', 532013000);
SELECT idgen_next_text('t');
-- gives: DE89370400440532013000

-- claim: B1 and 1B both count as 111.
UPDATE id_sequences SET format = '{id:base36}{mod97}' WHERE name = 't';
SELECT idgen_text_value('t', 'B156'), idgen_text_value('t', '1B56');
-- gives: 397|47

-- claim: The client's TimeZone has no say in the day.
UPDATE id_sequences SET format = '{YYYY}-{MM}-{DD}/{id}', time_zone = 'Asia/Tokyo' WHERE name = 't';
SET TIME ZONE 'America/Los_Angeles';
SELECT idgen_next_text('t') LIKE to_char(now() AT TIME ZONE 'Asia/Tokyo', 'YYYY-MM-DD') || '/%';
-- gives: t
RESET TIME ZONE;

-- claim: The year must be 1 to 9999.
SELECT idgen_next_text('t', '10000-01-01');
-- gives: ERROR 22008

-- claim: A format has at most 255 characters.
UPDATE id_sequences SET format = repeat('x', 251) || '{id}' WHERE name = 't';
UPDATE id_sequences SET format = repeat('x', 252) || '{id}' WHERE name = 't';
-- gives: ERROR 22023

-- claim: Without a format, text ids are plain decimal digits.
UPDATE id_sequences SET format = NULL WHERE name = 't';
SELECT idgen_restart('t', 42);
SELECT idgen_next_text('t');
-- gives: 42

-- claim: A negative number has its sign in front of its digits and zeros.
SELECT idgen_create('n', -5, format => '#{id:3}');
SELECT idgen_next_text('n'), idgen_text_value('n', '#-004');
-- gives: #-005|-4

-- claim: The detail says what is wrong; 22003 says that the number is no bigint.
SELECT idgen_text_value('n', 'x004');
-- gives: ERROR 22P02
SELECT idgen_text_value('n', '#9223372036854775808');
-- gives: ERROR 22003

-- claim: It is what idgen_next would return, without big_base; idgen_last returns it, too.
SELECT idgen_create('b', big_base => 1e20, format => 'B{id}');
SELECT idgen_next_text('b'), idgen_last('b'), idgen_text_value('b', 'B1');
-- gives: B1|1|1

-- claim: A number that grows may become too long for varchar(n).
CREATE TABLE v (id varchar(2) DEFAULT idgen_next_text('v'));
SELECT idgen_create('v', 9, format => 'V{id}');
INSERT INTO v VALUES (DEFAULT);
INSERT INTO v VALUES (DEFAULT);
-- gives: ERROR 22001
