-- docs/id-formats.md, "Composed ids"

SELECT idgen_create('o', 989780816, block_size => 1);

-- claim: The layout can be set at any time: prefixed.
UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'o';
SELECT idgen_next('o');
-- gives: /^20\d{3}00000989780816$/

-- claim: prefixed_reversed: the digits of the sequence value in reverse order.
UPDATE id_sequences SET layout = 'prefixed_reversed' WHERE name = 'o';
SELECT idgen_next('o');
-- gives: /^20\d{3}71808798900000$/

-- claim: session: node, session, sequence value.
UPDATE id_sequences SET layout = 'session' WHERE name = 'o';
SELECT idgen_next('o');
-- gives: /^2\d{3}000000989780818$/

-- claim: session_reversed.
UPDATE id_sequences SET layout = 'session_reversed' WHERE name = 'o';
SELECT idgen_next('o');
-- gives: /^2\d{3}918087989000000$/

-- claim: And back to plain.
UPDATE id_sequences SET layout = 'plain' WHERE name = 'o';
SELECT idgen_next('o');
-- gives: 989780820

-- claim: idgen_next_big: 38 digits.
UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'o';
SELECT idgen_next_big('o');
-- gives: /^20\d{3}000000000000000000000000989780821$/

-- claim: prefixed: the fields of the numeric.
SELECT p.* FROM idgen_next_big('o') i, idgen_parts(i, 'prefixed') p;
-- gives: /^2\|0\|\d+\|989780822$/

-- claim: session: the fields of the numeric.
UPDATE id_sequences SET layout = 'session' WHERE name = 'o';
SELECT p.* FROM idgen_next_big('o') i, idgen_parts(i, 'session') p;
-- gives: /^2\|\|\d+\|989780823$/

-- claim: The column has to be bigint.
CREATE TABLE ti(id integer DEFAULT idgen_next('o'));
INSERT INTO ti DEFAULT VALUES;
-- gives: ERROR 22003

-- claim: The channel is the second digit.
UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'o';
SET idgen.channel = 3;
SELECT idgen_next('o');
-- gives: /^23\d{3}00000989780824$/
RESET idgen.channel;

-- claim: The channel is 0 to 9.
SET idgen.channel = 10;
-- gives: ERROR 22023

-- claim: An id of a reversed layout can be equal to one of another.
SELECT sequence_value FROM idgen_parts(2002310000000000000, 'prefixed_reversed');
-- gives: 1
SELECT sequence_value FROM idgen_parts(2002310000000000000, 'session_reversed');
-- gives: 13

-- claim: A sequence value of more digits than its field; idgen_next_big may still have room.
SELECT idgen_create('w', 100000000000000, layout => 'prefixed');
SELECT idgen_next('w');
-- gives: ERROR 2200H
SELECT idgen_next_big('w');
-- gives: /^20\d{3}000000000000000000100000000000000$/

-- claim: A next_block_start that no id can be made of.
SELECT idgen_create('below', -5, layout => 'prefixed');
-- gives: ERROR 22023

-- claim: A negative sequence value; no id is used up.
SELECT idgen_create('n', -5);
SET session_replication_role = replica;
UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'n';
RESET session_replication_role;
SELECT idgen_next('n');
-- gives: ERROR 22003
UPDATE id_sequences SET layout = 'plain' WHERE name = 'n';
SELECT idgen_next('n');
-- gives: -5

-- claim: idgen_peek gives composed ids.
SELECT idgen_peek('o');
-- gives: /^20\d{3}00000989780825$/

-- claim: idgen_last gives composed ids, also as before the layout changed.
SELECT idgen_last('o');
-- gives: /^23\d{3}00000989780824$/
UPDATE id_sequences SET layout = 'plain' WHERE name = 'o';
SELECT idgen_last('o');
-- gives: /^23\d{3}00000989780824$/

-- claim: idgen_restart takes a sequence value.
UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'o';
SELECT idgen_restart('o', 50);
SELECT idgen_next('o');
-- gives: /^20\d{3}00000000000050$/

-- claim: idgen_restart takes a composed id.
SELECT idgen_restart('o', 2023400000000000060);
SELECT idgen_next('o');
-- gives: /^20\d{3}00000000000060$/

-- claim: idgen_restart refuses a number that has not the layout.
SELECT idgen_restart('o', 9000000000000000000);
-- gives: ERROR 22003

-- claim: idgen_restart refuses a sequence value of more digits than the field has.
SELECT idgen_restart('o', 100000000000000);
-- gives: ERROR 22003

-- claim: Ranges are not possible if the layout is reversed.
UPDATE id_sequences SET layout = 'prefixed_reversed' WHERE name = 'o';
SELECT idgen_next_range('o', 2);
-- gives: ERROR 0A000

-- claim: Ranges are possible otherwise.
UPDATE id_sequences SET layout = 'prefixed', block_size = 20 WHERE name = 'o';
SELECT * FROM idgen_next_range('o', 2);
-- gives: /^20\d{3}00000000000061\|20\d{3}00000000000062$/

-- claim: The view idgen_cache is about sequence values.
SELECT first_id, last_id FROM idgen_cache WHERE name = 'o';
-- gives: 63|80

-- claim: idgen_parts refuses a number that has not the layout.
SELECT * FROM idgen_parts(9000000000000000000, 'prefixed');
-- gives: ERROR 22003

-- claim: idgen_parts refuses an unknown layout.
SELECT * FROM idgen_parts(1::bigint, 'nix');
-- gives: ERROR 22023
