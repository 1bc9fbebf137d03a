--
-- What an allocator does is undone with its transaction, and its blocks are
-- gone with it
--
CREATE EXTENSION idgen;
CREATE TABLE counter AS SELECT 1::bigint AS next_id;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS $$
	UPDATE public.counter SET next_id = next_id + 3 RETURNING next_id - 3, next_id - 1
$$;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('gen', 1, 'function', 'public.allocate');
CREATE VIEW blocks AS SELECT first_id, last_id, state FROM idgen_cache;

-- rolled back, the same ids are issued again
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK;
TABLE counter;
TABLE blocks;
SELECT idgen_next('gen'), idgen_next('gen');
TABLE blocks;

-- those that were cached do not
BEGIN;
SELECT idgen_next('gen'), idgen_next('gen');
ROLLBACK;
TABLE counter;
SELECT idgen_next('gen'), idgen_next('gen');

-- several blocks in one transaction
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 7);
TABLE blocks;
ROLLBACK;
TABLE counter;
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 6);
TABLE blocks;
COMMIT;
TABLE blocks;
TABLE counter;

-- savepoints: allocated before, within and after
BEGIN;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
SAVEPOINT a;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
TABLE counter;
ROLLBACK TO a;
TABLE counter;
TABLE blocks;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 2);
SAVEPOINT b;
SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 4);
RELEASE b;
COMMIT;
TABLE blocks;
TABLE counter;

-- ids of an outer block that were drawn within stay drawn
SELECT idgen_next('gen');
BEGIN;
SELECT idgen_next('gen');
SAVEPOINT a;
SELECT idgen_next('gen');
ROLLBACK TO a;
SELECT idgen_next('gen');
COMMIT;

-- exception blocks
DO $$
DECLARE
	ids text := '';
BEGIN
	FOR i IN 1..4 LOOP
		BEGIN
			ids := ids || ' ' || idgen_next('gen');
			IF i % 2 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			ids := ids || ' (undone)';
		END;
	END LOOP;
	RAISE NOTICE '%', ids;
END$$;
TABLE counter;
TABLE blocks;

DROP VIEW blocks;
DROP FUNCTION allocate;
DROP TABLE counter;
DROP EXTENSION idgen;
