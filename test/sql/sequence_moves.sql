--
-- Native sequences that are renamed, moved to another schema, dropped and
-- created again while ids of theirs are cached
--
-- A cache per session is emptied by any change of a sequence, hence:
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SCHEMA regress_a;
CREATE SEQUENCE gen_seq INCREMENT 10;
CREATE SEQUENCE other_seq START 500 INCREMENT 10;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('row', 1, 'sequence', 'gen_seq');
PREPARE draw AS SELECT idgen_next('gen', 'sequence');
PREPARE draw_row AS SELECT idgen_next('row');
EXECUTE draw;
EXECUTE draw_row;

-- renamed: the name stands for nothing, and the new one for the same sequence
ALTER SEQUENCE gen_seq RENAME TO new_seq;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_next('new', 'sequence');

-- and back: ids that were cached under that name were never issued
ALTER SEQUENCE new_seq RENAME TO gen_seq;
EXECUTE draw;
EXECUTE draw_row;

-- rolled back
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO new_seq;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
SELECT idgen_next('new', 'sequence');
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;

-- two sequences that change places
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO tmp_seq;
ALTER SEQUENCE other_seq RENAME TO gen_seq;
ALTER SEQUENCE tmp_seq RENAME TO other_seq;
EXECUTE draw;
EXECUTE draw_row;
COMMIT;
EXECUTE draw;
SELECT idgen_next('other', 'sequence');
BEGIN;
ALTER SEQUENCE gen_seq RENAME TO tmp_seq;
ALTER SEQUENCE other_seq RENAME TO gen_seq;
ALTER SEQUENCE tmp_seq RENAME TO other_seq;
COMMIT;
EXECUTE draw;
EXECUTE draw_row;

-- to another schema, that is in the path or not
ALTER SEQUENCE gen_seq SET SCHEMA regress_a;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT idgen_next('regress_a.gen', 'sequence');
SET search_path = public, regress_a;
EXECUTE draw;
EXECUTE draw_row;
RESET search_path;
BEGIN;
ALTER SEQUENCE regress_a.gen_seq SET SCHEMA public;
EXECUTE draw;
ROLLBACK;
EXECUTE draw;
\echo :SQLSTATE
ALTER SCHEMA regress_a RENAME TO regress_b;
SELECT idgen_next('regress_a.gen', 'sequence');
\echo :SQLSTATE
SELECT idgen_next('regress_b.gen', 'sequence');
ALTER SEQUENCE regress_b.gen_seq SET SCHEMA public;
EXECUTE draw;
EXECUTE draw_row;

-- dropped
BEGIN;
DROP SEQUENCE gen_seq;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK TO a;
EXECUTE draw_row;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;
DROP SEQUENCE gen_seq;
EXECUTE draw;
\echo :SQLSTATE
EXECUTE draw_row;
\echo :SQLSTATE
SELECT name, first_id, last_id FROM idgen_cache ORDER BY name, first_id;

-- and created again: it starts at its start
CREATE SEQUENCE gen_seq START 7000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;

-- both in one transaction, rolled back and committed
BEGIN;
DROP SEQUENCE gen_seq;
CREATE SEQUENCE gen_seq START 8000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;
ROLLBACK;
EXECUTE draw;
EXECUTE draw_row;
BEGIN;
DROP SEQUENCE gen_seq;
CREATE SEQUENCE gen_seq START 8000 INCREMENT 10;
EXECUTE draw;
EXECUTE draw_row;
COMMIT;
EXECUTE draw;
EXECUTE draw_row;

-- dropped as part of something else
BEGIN;
CREATE TABLE owner (id integer);
ALTER SEQUENCE gen_seq OWNED BY owner.id;
EXECUTE draw;
DROP TABLE owner;
SAVEPOINT a;
EXECUTE draw;
\echo :SQLSTATE
ROLLBACK;
EXECUTE draw;

-- owned by somebody else, nothing changes
CREATE ROLE regress_idgen_owner;
ALTER SEQUENCE gen_seq OWNER TO regress_idgen_owner;
EXECUTE draw;
EXECUTE draw_row;

DEALLOCATE draw;
DEALLOCATE draw_row;
DROP SEQUENCE gen_seq, other_seq;
DROP SCHEMA regress_b;
DROP ROLE regress_idgen_owner;
DROP EXTENSION idgen;
