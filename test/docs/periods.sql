-- docs/numbers.md, "Numbers by year, month or day"

-- claim: A draw by its name goes on with its child for the period; idgen_next as well.
SELECT idgen_create('y', period => 'year');
SELECT idgen_create('m', period => 'month');
SELECT idgen_create('d', period => 'day');
SELECT idgen_next('y'), idgen_next('m'), idgen_next('d');
-- gives: 1|1|1
SELECT count(*) FROM id_sequences WHERE name IN (to_char(now() AT TIME ZONE 'UTC', '"y/"YYYY'), to_char(now() AT TIME ZONE 'UTC', '"m/"YYYY-MM'), to_char(now() AT TIME ZONE 'UTC', '"d/"YYYY-MM-DD'));
-- gives: 3

-- claim: The child is undone with the transaction.
SELECT idgen_create('u', period => 'year');
BEGIN;
SELECT idgen_next('u/2001');
-- gives: 1
ROLLBACK;
SELECT count(*) FROM id_sequences WHERE name LIKE 'u/%';
-- gives: 0

-- claim: A child can be drawn from by its name, restarted, and inserted beforehand.
SELECT idgen_create('c', period => 'year', block_size => 1);
SELECT idgen_next('c/2025');
-- gives: 1
SELECT idgen_restart('c/2025', 7);
SELECT idgen_next_text('c', '2025-01-01');
-- gives: 7
SELECT idgen_create('c/2026', 5001, block_size => 1);
SELECT idgen_next_text('c', '2026-01-01');
-- gives: 5001

-- claim: What is behind the slash must be a period of that kind, with four digits for the year.
SELECT idgen_create('k', period => 'year');
SELECT idgen_create('l', period => 'month');
SELECT idgen_next('k/20255');
-- gives: ERROR 42704: id sequence "k/20255" does not exist
SELECT idgen_next('l/2025-13');
-- gives: ERROR 42704: id sequence "l/2025-13" does not exist
SELECT idgen_next('k/draft');
-- gives: ERROR 42704: id sequence "k/draft" does not exist

-- claim: The time zone of the row decides, or the setting; that of the client has no say.
SELECT idgen_create('z', period => 'day', time_zone => 'Etc/GMT+12');
SELECT idgen_create('s', period => 'day');
BEGIN;
SET LOCAL TimeZone = 'Etc/GMT-14';
SET LOCAL idgen.period_time_zone = 'Etc/GMT+11';
SELECT idgen_next('z'), idgen_next('s');
-- gives: 1|1
SELECT count(*) FROM id_sequences WHERE name IN (to_char(now() AT TIME ZONE 'Etc/GMT+12', '"z/"YYYY-MM-DD'), to_char(now() AT TIME ZONE 'Etc/GMT+11', '"s/"YYYY-MM-DD'));
-- gives: 2
COMMIT;

-- claim: The format must tell periods apart; a child has its period as plain text in it.
SELECT idgen_create('f', period => 'month', format => '{YYYY}-{id}');
-- gives: ERROR 22023: format "{YYYY}-{id}" does not tell one month from another
SELECT idgen_create('f', period => 'year', format => '{YYYY}-{MM}-{id}');
SELECT idgen_next_text('f', '2025-03-03');
-- gives: 2025-03-1
SELECT format FROM id_sequences WHERE name = 'f/2025';
-- gives: 2025-{MM}-{id}

-- claim: A change is for later children; idgen_apply_template changes the others. If the row is deleted, its children stay.
SELECT idgen_create('a', period => 'year', block_size => 1);
SELECT idgen_next('a/2001');
-- gives: 1
UPDATE id_sequences SET block_size = 5, next_block_start = 100 WHERE name = 'a';
SELECT idgen_next('a/2001'), idgen_next('a/2002');
-- gives: 2|100
SELECT idgen_apply_template('a');
-- gives: 1
SELECT name, block_size FROM id_sequences WHERE name LIKE 'a/%' ORDER BY name;
-- gives: a/2001|5
-- gives: a/2002|5
DELETE FROM id_sequences WHERE name = 'a';
SELECT idgen_next('a/2002');
-- gives: 101
SELECT idgen_next('a');
-- gives: ERROR 42704: id sequence "a" does not exist

-- claim: idgen_peek looks at the period of now, and makes nothing.
SELECT idgen_create('p', 3, period => 'day');
SELECT idgen_peek('p'), count(*) FROM id_sequences WHERE name LIKE 'p/%';
-- gives: 3|0

-- claim: idgen_restart, idgen_sync, idgen_release are refused, and so is source sequence.
SELECT idgen_create('r', period => 'year');
CREATE TABLE r (id bigint DEFAULT idgen_next('r'));
SELECT idgen_restart('r', 1);
-- gives: ERROR 0A000: id sequence "r" starts anew each year
SELECT idgen_sync('r', 'id');
-- gives: ERROR 0A000: id sequence "r" starts anew each year
SELECT idgen_release('r', 'id');
-- gives: ERROR 0A000: cannot move back a column whose ids start anew each year
CREATE SEQUENCE n_seq;
SELECT idgen_create('n', period => 'year', source => 'sequence');
-- gives: ERROR 0A000: period "year" is not supported with source "sequence"

-- claim: owned_by belongs to the row, and dropping the column leaves the children.
CREATE TABLE o (id bigint);
SELECT idgen_create('o', period => 'year', owned_by => 'o.id');
SELECT idgen_next('o/2001');
-- gives: 1
DROP TABLE o;
SELECT name FROM id_sequences WHERE name LIKE 'o%';
-- gives: o/2001

-- claim: A date beyond the years 1 to 9999 has no period.
SELECT idgen_create('e', period => 'year');
SELECT idgen_next_text('e', '10000-01-01');
-- gives: ERROR 22008: date out of range for an id
