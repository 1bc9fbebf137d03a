--
-- What a message says is so, and what its hint says helps
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, source) VALUES ('up', 1, 1, 'sequence'), ('down', 1, 1, 'sequence');
\set SHOW_CONTEXT never

-- no such id sequence: the hint is the call that makes it, with the source
-- asked for
SELECT idgen_next('x''y');
SELECT idgen_next('n', 'table');
SELECT idgen_next('n', 'server');
SELECT idgen_next('n', 'function');
SELECT idgen_next('n', 'sequence');
-- ... or what is wrong with the name
SELECT idgen_next('');
SELECT idgen_next(repeat('x', 256));
-- ... also if unknown names make their rows
SET idgen.auto_create = on;
SELECT idgen_next('');
SELECT idgen_next(repeat('ä', 256));
SELECT length(repeat('ä', 255)), idgen_next(repeat('ä', 255));
RESET idgen.auto_create;
-- a name that is too long
SELECT idgen_create(repeat('ä', 256));
CREATE TABLE t (id integer);
SELECT idgen_adopt('t', 'id', repeat('x', 256));
SELECT idgen_create(repeat('ä', 255), source => 'sequence', source_name => 't_seq');

-- exhausted: at the last id
SELECT idgen_create('ends', max_value => 20);
SELECT max(idgen_next('ends')) FROM generate_series(1, 20);
SELECT idgen_next('ends');
-- ... when one half of the hint has been followed, the other one
UPDATE id_sequences SET max_value = 1000 WHERE name = 'ends';
SELECT idgen_next('ends');
SELECT idgen_next_range('ends', 5);
SELECT idgen_peek('ends');
UPDATE id_sequences SET exhausted = 0, max_value = 20 WHERE name = 'ends';
SELECT idgen_next('ends');
UPDATE id_sequences SET exhausted = 0, max_value = 1000 WHERE name = 'ends';
SELECT idgen_next('ends');
-- ... marked so from the beginning
SELECT idgen_create('marked', exhausted => 1);
SELECT idgen_next('marked');
-- ... at the end of the type
SELECT idgen_create('bigint', 9223372036854775807);
SELECT idgen_next('bigint');
SELECT idgen_next('bigint');

-- an exhausted native sequence: drawing and peeking say the same
CREATE SEQUENCE up_seq MAXVALUE 2;
SELECT idgen_next('up', 'sequence') FROM generate_series(1, 2);
SELECT idgen_next('up', 'sequence');
SELECT idgen_peek('up');
CREATE SEQUENCE down_seq INCREMENT BY -1 MINVALUE -2;
SELECT idgen_next('down', 'sequence') FROM generate_series(1, 2);
SELECT idgen_peek('down');
CREATE SEQUENCE bigint_seq START 9223372036854775807;
SELECT idgen_next('bigint_native') FROM idgen_create('bigint_native', source => 'sequence', source_name => 'bigint_seq');
SELECT idgen_next('bigint_native');
-- ... restarting it out of its range
SELECT idgen_restart('up', 77);
SELECT idgen_restart('up', 0);
SELECT idgen_restart('down', 0);
SELECT idgen_restart('up', 2);
SELECT idgen_next('up', 'sequence');

-- a function without its schema
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('f', 1, 'function', 'f1');

-- a user mapping without a password: that of the owner of id_sequences is used
CREATE ROLE regress_idgen_messages;
CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '127.0.0.1', port '1');
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_messages;
CREATE USER MAPPING FOR regress_idgen_messages SERVER central OPTIONS (user 'somebody');
SELECT idgen_create('remote', source => 'server', source_name => 'central');
ALTER TABLE id_sequences OWNER TO regress_idgen_messages;
SELECT idgen_next('remote');
ALTER TABLE id_sequences OWNER TO CURRENT_USER;

DROP TABLE t;
DROP SERVER central CASCADE;
DROP SEQUENCE up_seq, down_seq, bigint_seq;
DROP ROLE regress_idgen_messages;
-- A call that is to be taken out of a message has the schema: somebody else may
-- have a function of that name in a schema that comes first.
CREATE SCHEMA regress_idgen_trap;
CREATE FUNCTION regress_idgen_trap.idgen_create(text) RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
CREATE FUNCTION regress_idgen_trap.idgen_sync(text, text) RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE 'trapped'; END$$;
SET search_path = regress_idgen_trap, public;
SELECT idgen_next('trap');
CREATE TABLE public.taken (id bigint PRIMARY KEY DEFAULT idgen_next('taken'));
SELECT public.idgen_create('taken');
INSERT INTO public.taken VALUES (70);
SELECT problem FROM idgen_health WHERE name = 'taken';
RESET search_path;
DROP TABLE taken;
DROP SCHEMA regress_idgen_trap CASCADE;

DROP EXTENSION idgen;

-- a hint names the schema, where that is not in the search_path
CREATE SCHEMA "Ids";
CREATE EXTENSION idgen SCHEMA "Ids";
SELECT "Ids".idgen_next('n', 'server');
SET search_path = "Ids", public;
SELECT idgen_next('n');
DROP EXTENSION idgen;
DROP SCHEMA "Ids";
