-- docs/reference.md, "Id sequences that belong to a column"

-- claim: owned_by is shown with schema, table and column.
CREATE TABLE parcels (id bigint PRIMARY KEY, item text);
SELECT idgen_create('parcels', owned_by => 'parcels.id');
SELECT owned_by FROM id_sequences;
-- gives: public.parcels.id

-- claim: A rollback brings back both, with the cached ids.
SELECT idgen_next('parcels');
-- gives: 1
BEGIN;
DROP TABLE parcels;
SELECT count(*) FROM id_sequences;
-- gives: 0
ROLLBACK;
SELECT idgen_next('parcels');
-- gives: 2

-- claim: Renaming and moving the table or the column leaves the row as it is.
CREATE SCHEMA attic;
ALTER TABLE parcels RENAME id TO number;
ALTER TABLE parcels SET SCHEMA attic;
SELECT name, owned_by FROM id_sequences;
-- gives: parcels|attic.parcels.number

-- claim: DROP SCHEMA CASCADE deletes the row.
DROP SCHEMA attic CASCADE;
SELECT count(*) FROM id_sequences;
-- gives: 0

-- claim: It takes no privilege on id_sequences.
CREATE ROLE dropper;
CREATE TABLE theirs (id serial);
SELECT left(idgen_adopt('theirs', 'id'), 6);
-- gives: column
ALTER TABLE theirs OWNER TO dropper;
SET ROLE dropper;
DROP TABLE theirs;
RESET ROLE;
SELECT count(*) FROM id_sequences;
-- gives: 0
DROP ROLE dropper;

-- claim: The row belongs to another column that draws from it, and goes with the last one.
CREATE TABLE orders (id serial);
SELECT left(idgen_adopt('orders', 'id', 'shared'), 6);
-- gives: column
CREATE TABLE offers (id bigint DEFAULT idgen_next('shared'));
DROP TABLE orders;
SELECT owned_by FROM id_sequences;
-- gives: public.offers.id
ALTER TABLE offers DROP COLUMN id;
SELECT count(*) FROM id_sequences;
-- gives: 0

-- claim: If only a domain's default draws from it, it stays and belongs to nobody.
CREATE TABLE orders (id serial);
SELECT left(idgen_adopt('orders', 'id', 'shared'), 6);
-- gives: column
CREATE DOMAIN number AS bigint DEFAULT idgen_next('shared');
DROP TABLE orders;
SELECT name, owned_by IS NULL FROM id_sequences;
-- gives: shared|t
DROP DOMAIN number;
DELETE FROM id_sequences;

-- claim: Dropping a partition, or the default, leaves the row.
CREATE TABLE parted (id bigint, k int) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SELECT left(idgen_adopt('parted', 'id', 'p'), 6);
-- gives: column
DROP TABLE part;
ALTER TABLE parted ALTER id DROP DEFAULT;
SELECT name, owned_by FROM id_sequences;
-- gives: p|public.parted.id

-- claim: The row stays as it is if the column's type changes.
CREATE TABLE small (id smallint);
SELECT idgen_create('s', max_value => 32767, owned_by => 'small.id');
ALTER TABLE small ALTER id TYPE bigint;
SELECT max_value, owned_by FROM id_sequences WHERE name = 's';
-- gives: 32767|public.small.id

-- claim: INSERT only warns of a column that is not possible.
INSERT INTO id_sequences (name, next_block_start, owned_by) VALUES ('w', 1, 'nowhere.id');
SELECT owned_by IS NULL FROM id_sequences WHERE name = 'w';
-- gives: t

-- claim: UPDATE and idgen_create raise an error.
UPDATE id_sequences SET owned_by = 'nowhere.id' WHERE name = 'w';
-- gives: ERROR 42703
SELECT idgen_create('v', owned_by => 'nowhere.id');
-- gives: ERROR 42P01
SELECT idgen_create('v', owned_by => 'small.no');
-- gives: ERROR 42703
SELECT idgen_create('v', owned_by => 'small');
-- gives: ERROR 42602

-- claim: The column can be of a view, but not of a temporary table.
CREATE VIEW a_view AS SELECT * FROM small;
SELECT idgen_create('v', owned_by => 'a_view.id');
CREATE TEMPORARY TABLE temporary (id int);
SELECT idgen_create('t', owned_by => 'temporary.id');
-- gives: ERROR 42809

-- claim: One must own the table, and to set it in an existing row have DELETE.
CREATE ROLE setter;
GRANT INSERT, UPDATE ON id_sequences TO setter;
SET ROLE setter;
SELECT idgen_create('x', owned_by => 'small.id');
-- gives: ERROR 42501
RESET ROLE;
ALTER TABLE small OWNER TO setter;
SET ROLE setter;
UPDATE id_sequences SET owned_by = 'small.id' WHERE name = 'w';
-- gives: ERROR 42501
RESET ROLE;
GRANT DELETE ON id_sequences TO setter;
SET ROLE setter;
UPDATE id_sequences SET owned_by = 'small.id' WHERE name = 'w';
RESET ROLE;

-- claim: Where event triggers are off, the row stays, and owned_by shows "-". [from 17]
SET event_triggers = off;
DROP TABLE parted;
RESET event_triggers;
SELECT owned_by FROM id_sequences WHERE name = 'p';
-- gives: -

-- claim: A copy of the table keeps DROP EXTENSION from working, without owned_by it does not.
DELETE FROM id_sequences;
CREATE TABLE with_type AS SELECT name, owned_by FROM id_sequences;
DROP EXTENSION idgen;
-- gives: ERROR 2BP01
DROP TABLE with_type;
CREATE TABLE without_type AS SELECT name, owned_by::text FROM id_sequences;
DROP EXTENSION idgen;
