-- docs/errors.md

-- claim: If the last id was 2^63 - 1, clearing exhausted is refused.
SELECT idgen_create('mx', 9223372036854775807);
SELECT idgen_next('mx');
-- gives: 9223372036854775807
SELECT idgen_next('mx');
-- gives: ERROR 2200H: id sequence "mx" is exhausted
UPDATE id_sequences SET exhausted = 0 WHERE name = 'mx';
-- gives: ERROR 2200H: id sequence "mx" cannot be revived

-- claim: idgen_restart at a lower id revives it.
SELECT idgen_restart('mx', 5);
SELECT idgen_next('mx');
-- gives: 5

-- claim: To revive it, raise max_value and set exhausted to 0.
SELECT idgen_create('rv', max_value => 1);
SELECT idgen_next('rv');
-- gives: 1
SELECT idgen_next('rv');
-- gives: ERROR 2200H: id sequence "rv" is exhausted
UPDATE id_sequences SET max_value = 10, exhausted = 0 WHERE name = 'rv';
SELECT idgen_next('rv');
-- gives: 2

-- claim: To raise max_value is not enough.
SELECT idgen_create('rv2', max_value => 1);
SELECT idgen_next('rv2');
-- gives: 1
UPDATE id_sequences SET max_value = 10 WHERE name = 'rv2';
SELECT idgen_next('rv2');
-- gives: ERROR 2200H: id sequence "rv2" is exhausted

-- claim: INSERT of a name that exists.
INSERT INTO id_sequences VALUES ('x', 1);
INSERT INTO id_sequences VALUES ('x', 1);
-- gives: ERROR 23505

-- claim: A trigger function of idgen's on another table, AFTER.
CREATE TABLE oth(i int);
CREATE TRIGGER x AFTER INSERT ON oth FOR EACH ROW EXECUTE FUNCTION idgen_row_changed();
INSERT INTO oth VALUES (1);
-- gives: ERROR 39P01

-- claim: A trigger function of idgen's on another table, BEFORE.
CREATE TABLE oth2(i int);
CREATE TRIGGER x BEFORE INSERT ON oth2 FOR EACH ROW EXECUTE FUNCTION idgen_check_row();
INSERT INTO oth2 VALUES (1);
-- gives: ERROR 39P01

-- claim: Source function without a row.
SELECT idgen_next('zzf', 'function');
-- gives: ERROR 42704

-- claim: The name is a text.
SELECT idgen_next(42);
-- gives: ERROR 42883

-- claim: idgen_peek of an exhausted id sequence.
SELECT idgen_create('pe', max_value => 1);
SELECT idgen_next('pe');
-- gives: 1
SELECT idgen_peek('pe');
-- gives: ERROR 2200H: id sequence "pe" is exhausted

-- claim: A call that fails after the draw has used one id, no more.
SELECT idgen_create('sm', 32768);
CREATE TABLE smt (id smallint DEFAULT idgen_next('sm'), n integer);
INSERT INTO smt DEFAULT VALUES;
-- gives: ERROR 22003
SELECT idgen_next('sm');
-- gives: 32768

-- claim: A rule DO INSTEAD in the way of idgen_restart.
SELECT idgen_create('ruled');
CREATE RULE r AS ON UPDATE TO id_sequences DO INSTEAD NOTHING;
SELECT idgen_restart('ruled', 5);
-- gives: ERROR 0A000
DROP RULE r ON id_sequences;

-- claim: idgen_create of a name that exists.
SELECT idgen_create('ruled');
-- gives: ERROR 42710

-- claim: A function of an event trigger of idgen's, called in another way.
SELECT idgen_columns_dropped();
-- gives: ERROR 39P03

-- claim: The name of another database in owned_by.
SELECT idgen_create('elsewhere', owned_by => 'elsewhere.public.t.id');
-- gives: ERROR 0A000

-- claim: 42704 names idgen_sync.
SELECT idgen_next('lost');
-- gives: ERROR 42704: id sequence "lost" does not exist
-- gives: HINT: If defaults of columns draw from it, public.idgen_sync() creates it, past the ids that these have. Otherwise create it with SELECT public.idgen_create('lost').

-- claim: idgen_release: an identity column has no nulls.
CREATE TABLE with_nulls (id bigint DEFAULT idgen_next('with_nulls'));
SELECT idgen_create('with_nulls');
INSERT INTO with_nulls VALUES (NULL);
SELECT idgen_release('with_nulls', 'id');
-- gives: ERROR 23502

-- claim: idgen_adopt: a view uses the sequence of an identity column.
CREATE TABLE with_view (id integer GENERATED ALWAYS AS IDENTITY);
CREATE VIEW uses_sequence AS SELECT last_value FROM with_view_id_seq;
SELECT idgen_adopt('with_view', 'id');
-- gives: ERROR 2BP01

-- claim: idgen_adopt: the session has an open cursor on the table.
CREATE TABLE with_cursor (id serial);
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM with_cursor;
SELECT idgen_adopt('with_cursor', 'id');
ROLLBACK;
-- gives: ERROR 55006

-- claim: A value is too wide for its column of id_sequences.
SELECT idgen_create('wide', big_base => 1e40);
INSERT INTO id_sequences (name, next_block_start) VALUES (repeat('x', 256), 1);
-- gives: ERROR 22003
-- gives: ERROR 22001

-- claim: A source_name that is no name.
SELECT idgen_create('no_name', source => 'sequence', source_name => 'a b');
-- gives: ERROR 42602
