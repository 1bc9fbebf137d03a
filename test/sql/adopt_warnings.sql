--
-- idgen_adopt warns of a sequence that is left with the name of the column's
-- own: programs may go on using it
--
CREATE EXTENSION idgen;
\t on

-- the program draws from it, not the column
CREATE TABLE by_program (id bigint PRIMARY KEY);
CREATE SEQUENCE by_program_id_seq;
SELECT idgen_adopt('by_program', 'id');
\echo :SQLSTATE

-- the column has drawn from it; it belongs to no column, or to another one
CREATE SEQUENCE not_owned_id_seq;
CREATE TABLE not_owned (id integer DEFAULT nextval('not_owned_id_seq'));
SELECT idgen_adopt('not_owned', 'id');
CREATE TABLE shared (id serial);
CREATE TABLE owner (id integer DEFAULT nextval('shared_id_seq'));
ALTER SEQUENCE shared_id_seq OWNED BY owner.id;
SELECT idgen_adopt('shared', 'id');

-- of a partition or a child, which programs may insert into
CREATE SEQUENCE part_id_seq;
CREATE TABLE parted (id bigserial, k integer) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
SELECT idgen_adopt('parted', 'id');

-- as the server shortens names; in the table's schema
CREATE SCHEMA regress_idgen_schema;
CREATE TABLE regress_idgen_schema.a_table_with_a_name_of_more_than_thirty_characters (a_column_with_such_a_name_as_well_of_course integer);
CREATE SEQUENCE regress_idgen_schema.a_table_with_a_name_of_more_t_a_column_with_such_a_name_as__seq;
SELECT idgen_adopt('regress_idgen_schema.a_table_with_a_name_of_more_than_thirty_characters', 'a_column_with_such_a_name_as_well_of_course', 'long');

-- no warning: it is dropped; it is another column's; it is no sequence; it lies
-- in another schema; it has another name
CREATE TABLE dropped (id serial);
SELECT idgen_adopt('dropped', 'id');
CREATE TABLE a (b_c integer);
CREATE TABLE a_b (c serial);
SELECT idgen_adopt('a', 'b_c');
CREATE TABLE no_sequence (id integer);
CREATE TABLE no_sequence_id_seq ();
SELECT idgen_adopt('no_sequence', 'id');
CREATE TABLE elsewhere (id integer);
CREATE SEQUENCE regress_idgen_schema.elsewhere_id_seq;
SELECT idgen_adopt('elsewhere', 'id');
CREATE TABLE other_name (id integer);
CREATE SEQUENCE other_name_seq;
SELECT idgen_adopt('other_name', 'id');
\t off

DROP SCHEMA regress_idgen_schema CASCADE;
DROP TABLE by_program, not_owned, shared, owner, parted, dropped, a, a_b, no_sequence, no_sequence_id_seq, elsewhere, other_name;
DROP SEQUENCE by_program_id_seq, not_owned_id_seq, part_id_seq, other_name_seq;
DROP EXTENSION idgen;
