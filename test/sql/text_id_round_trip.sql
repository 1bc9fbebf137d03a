--
-- What is written is read back, whatever the format and the number
--
CREATE EXTENSION idgen;
SELECT idgen_create('x');

-- what surrounds the number: also what could be taken for a part of it
CREATE TABLE around (before text, behind text);
INSERT INTO around VALUES
	('', ''), ('INV-', ''), ('', '-X'), ('0', ''), ('1', ''), ('', '0'), ('', '7'), ('123', '456'), ('-', ''), ('', '-'), ('-', '-'), ('Z', 'z'), ('ILO', 'ilo'),
	('{YYYY}', ''), ('', '{YYYY}'), ('{YYYY}{MM}', '{DD}'), ('A{YY}0', '{YYYY}-{MM}'), ('{{', '}}'),
	('', '{mod97}'), ('{mod97}', ''), ('RF{mod97}', ''), ('DE{mod97}12', '34'), ('1{YYYY}', '0{mod97}9'), ('', '{luhn}'), ('4{YY}-', '-{luhn}/{MM}');
CREATE TABLE number (field text);
INSERT INTO number SELECT '{id}' UNION ALL SELECT '{id:6}' UNION ALL
	SELECT format('{id:base%s%s}', base, width) FROM unnest(ARRAY[10, 16, 32, 36, 58, 62]) base, unnest(ARRAY['', ':1', ':7', ':20', ':64']) width;
CREATE TABLE value (value bigint, turn integer GENERATED ALWAYS AS IDENTITY);
INSERT INTO value VALUES (0), (1), (9), (10), (15), (16), (31), (32), (57), (58), (61), (62), (97), (999999), (1000000), (2147483647), (2147483648),
	(123456789012345678), (9223372036854775807), (9223372036854775806), (-1), (-58), (-999999), (-9223372036854775808);
SELECT setseed(0.22);
INSERT INTO value SELECT (random() * 10 ^ (random() * 18))::bigint FROM generate_series(1, 20);

-- each value is in turn with every ninth format
DO $$
DECLARE
	f text;
	formats integer := 0;
	v bigint;
	id text;
	n bigint := 0;
BEGIN
	FOR f IN SELECT before || field || behind FROM around, number
		WHERE (field ~ '(id|id:6|base10.*)}' OR behind !~ 'luhn') AND (field !~ 'base(58|62)' OR before || behind !~ 'mod97') ORDER BY 1
	LOOP
		UPDATE id_sequences SET format = f WHERE name = 'x';
		formats := formats + 1;
		FOR v IN SELECT value FROM value WHERE turn % 9 = formats % 9 LOOP
			PERFORM idgen_restart('x', v);
			id := idgen_next_text('x', '2027-03-09');
			IF idgen_text_value('x', id) <> v OR idgen_last('x') <> v THEN
				RAISE EXCEPTION 'format % writes % as %, and reads %', f, v, id, idgen_text_value('x', id);
			END IF;
			n := n + 1;
		END LOOP;
		COMMIT;
	END LOOP;
	RAISE NOTICE '% formats, % texts', formats, n;
END $$;
DROP TABLE around, number, value;
DROP EXTENSION idgen;
