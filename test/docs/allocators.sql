-- docs/sources.md, "Functions as allocators"

CREATE TABLE calls(n int, b int);
CREATE SEQUENCE cnt;
CREATE FUNCTION f1(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ INSERT INTO calls VALUES (1, blocks); SELECT (nextval('cnt')-1)*10+1, currval('cnt')*10 $$;
CREATE FUNCTION f1(name varchar, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT 666::bigint, 667::bigint $$;

-- claim: idgen_create finds the function by the search_path, and stores its name with the schema.
SELECT idgen_create('f', source => 'function', source_name => 'f1', block_size => 10);
SELECT source_name FROM id_sequences WHERE name = 'f';
-- gives: public.f1

-- claim: Drawing from it.
SELECT idgen_next('f');
-- gives: 1
SELECT idgen_next('f');
-- gives: 2

-- claim: A source_name without schema is refused.
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('fq', 1, 'function', 'f1');
-- gives: ERROR 22023

-- claim: The types of the arguments must match exactly.
CREATE FUNCTION f2(text, bigint) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT 1::bigint, 2::bigint $$;
SELECT idgen_create('f2', source => 'function', source_name => 'f2');
-- gives: ERROR 42883

-- claim: The function must return rows of two bigints.
CREATE FUNCTION f3(text, int) RETURNS bigint LANGUAGE sql AS $$ SELECT 1::bigint $$;
SELECT idgen_create('f3', source => 'function', source_name => 'f3');
-- gives: ERROR 42P13

-- claim: A null in a block is an error.
CREATE FUNCTION f4(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT NULL::bigint, 1::bigint $$;
SELECT idgen_create('f4', source => 'function', source_name => 'f4');
SELECT idgen_next('f4');
-- gives: ERROR 22004

-- claim: A block whose first id is after its last is an error.
CREATE FUNCTION f5(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT 5::bigint, 1::bigint $$;
SELECT idgen_create('f5', source => 'function', source_name => 'f5');
SELECT idgen_next('f5');
-- gives: ERROR 22023

-- claim: Blocks that overlap are an error.
CREATE FUNCTION f6(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ VALUES (1::bigint, 5::bigint), (3, 9) $$;
SELECT idgen_create('f6', source => 'function', source_name => 'f6');
SELECT idgen_next('f6');
-- gives: ERROR 22023

-- claim: No row means that there are no ids left.
CREATE FUNCTION f7(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT 1::bigint, 2::bigint WHERE false $$;
SELECT idgen_create('f7', source => 'function', source_name => 'f7');
SELECT idgen_next('f7');
-- gives: ERROR 2200H: id sequence "f7" is exhausted

-- claim: With block_size 1 nothing is shared: what the transaction does not use is lost.
ALTER SEQUENCE cnt RESTART;
SELECT idgen_create('fb1', source => 'function', source_name => 'f1', block_size => 1);
SELECT idgen_next('fb1');
-- gives: 1
SELECT idgen_next('fb1');
-- gives: 11

-- claim: idgen_restart is not possible: the function has to be told itself.
SELECT idgen_restart('f', 1);
-- gives: ERROR 0A000

-- claim: refill "worker" is not possible.
UPDATE id_sequences SET refill = 'worker' WHERE name = 'f';
-- gives: ERROR 0A000

-- claim: Who may write rows chooses among the functions of owners who may have others run code.
CREATE ROLE fw;
CREATE ROLE fx;
CREATE FUNCTION f_trusted(name text, n integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'SELECT 31::bigint, 50::bigint';
GRANT INSERT, UPDATE, SELECT ON id_sequences TO fw;
GRANT CREATE ON SCHEMA public TO fw;
SET ROLE fw;
CREATE FUNCTION f_of_fw(name text, n integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'SELECT 1::bigint, 5::bigint';
INSERT INTO id_sequences(name, next_block_start, source, source_name) VALUES ('fz', 1, 'function', 'public.f_trusted'), ('fo', 1, 'function', 'public.f_of_fw') RETURNING 'INS';
-- gives: INS
-- gives: INS
SET ROLE fx;
SELECT idgen_next('fz');
-- gives: 31
SELECT idgen_next('fo');
-- gives: ERROR 42501
RESET ROLE;

-- claim: Privileges on the table do not count.
GRANT ALL ON id_sequences TO fw;
SET ROLE fx;
SELECT idgen_next('fo');
-- gives: ERROR 42501
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM fw;

-- claim: A row with a function needs a source_name.
SELECT idgen_create('fn', source => 'function');
-- gives: ERROR 22004: source "function" needs a source_name

-- claim: A refill takes EXECUTE on the function.
REVOKE EXECUTE ON FUNCTION f1(text, int) FROM PUBLIC;
CREATE ROLE fd;
SELECT idgen_create('f_denied', source => 'function', source_name => 'f1');
SET ROLE fd;
SELECT idgen_next('f_denied');
-- gives: ERROR 42501
RESET ROLE;
GRANT EXECUTE ON FUNCTION f1(text, int) TO PUBLIC;

-- claim: A function must not draw from the id sequence that it allocates for.
CREATE FUNCTION f8(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT idgen_next('f8'), 2::bigint $$;
SELECT idgen_create('f8', source => 'function', source_name => 'f8');
SELECT idgen_next('f8');
-- gives: ERROR 55000

-- claim: A function that deletes the row of its id sequence.
CREATE FUNCTION f9(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM id_sequences WHERE name = 'f9'; RETURN QUERY SELECT 1::bigint, 2::bigint; END $$;
SELECT idgen_create('f9', source => 'function', source_name => 'f9');
SELECT idgen_next('f9');
-- gives: ERROR 42704

-- claim: idgen_peek fails when only calling the function could tell.
SELECT idgen_create('fp', source => 'function', source_name => 'f1');
SELECT idgen_peek('fp');
-- gives: ERROR 55000

-- claim: idgen_next_range: n up to 2^59.
SELECT idgen_next_range('fp', 576460752303423489);
-- gives: ERROR 22023

-- claim: For a range, it is asked for as many blocks as n / block_size makes, and for more if it returns fewer.
TRUNCATE calls;
SELECT idgen_create('fr', source => 'function', source_name => 'f1', block_size => 10);
SELECT FROM idgen_next_range('fr', 25);
SELECT b FROM calls;
-- gives: 3
-- gives: 9
-- gives: 25

-- claim: idgen_next_range: after 10 calls without n in a row.
CREATE FUNCTION fg(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT nextval('cnt')*100, currval('cnt')*100+1 $$;
SELECT idgen_create('fg', source => 'function', source_name => 'fg', block_size => 10);
SELECT idgen_next_range('fg', 25);
-- gives: ERROR 55000

-- claim: A bulk load asks for more blocks.
TRUNCATE calls;
SELECT idgen_create('fbk', source => 'function', source_name => 'f1', block_size => 10);
SELECT count(idgen_next('fbk')) FROM generate_series(1, 1000);
-- gives: 1000
SELECT max(b) > 1 FROM calls;
-- gives: t

-- claim: What fails carries the context.
CREATE FUNCTION fe(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$ BEGIN RAISE sqlstate '12345' USING message = 'boom'; END $$;
SELECT idgen_create('fe', source => 'function', source_name => 'fe');
SELECT idgen_next('fe');
-- gives: ERROR 12345

-- claim: It has the SQLSTATE with which the function failed.
SELECT idgen_next('fe');
-- gives: ERROR 12345

-- claim: An allocator that sets the source to table: the ids come from the row.
CREATE FUNCTION f10(text, int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$ BEGIN UPDATE id_sequences SET source = 'table', source_name = NULL WHERE name = 'f10'; RETURN QUERY SELECT 1001::bigint, 1002::bigint; END $$;
SELECT idgen_create('f10', source => 'function', source_name => 'f10');
SELECT idgen_next('f10');
-- gives: 1
SELECT source FROM id_sequences WHERE name = 'f10';
-- gives: table
