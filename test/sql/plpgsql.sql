--
-- Drawing ids in PL/pgSQL
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size) VALUES
	('blocks', 1, 4), ('gapless', 1, 1), ('pairs', 1, 2), ('other', 1000, 4);

-- a loop, with a name that is a constant and one that changes
DO $$
DECLARE
	id bigint;
	ids bigint[];
	seq text;
BEGIN
	FOR i IN 1 .. 6 LOOP
		id := idgen_next('blocks');
		ids := ids || id;
	END LOOP;
	RAISE NOTICE 'constant: %', ids;
	ids := NULL;
	FOR i IN 1 .. 6 LOOP
		seq := CASE i % 2 WHEN 0 THEN 'gapless' ELSE 'other' END;
		id := idgen_next(seq);
		ids := ids || id;
	END LOOP;
	RAISE NOTICE 'changing: %', ids;
	FOREACH seq IN ARRAY ARRAY['blocks', 'other', 'blocks'] LOOP
		EXECUTE 'SELECT idgen_next($1)' INTO id USING seq;
		EXECUTE format('SELECT idgen_next(%L)', seq) INTO id;
		RAISE NOTICE 'dynamic: % %', seq, id;
	END LOOP;
END $$;

-- the same function again and again, in SQL and PL/pgSQL
CREATE FUNCTION draw_sql(text) RETURNS bigint LANGUAGE sql AS 'SELECT idgen_next($1)';
CREATE FUNCTION draw(seq text) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN idgen_next(seq); END';
SELECT draw('gapless'), draw_sql('gapless'), draw('other'), draw_sql('other'), draw('gapless');
SELECT draw('gapless'), draw_sql('gapless');

-- an exception block is a savepoint
DO $$
DECLARE
	id bigint;
BEGIN
	FOR i IN 1 .. 3 LOOP
		BEGIN
			id := idgen_next('gapless');
			RAISE NOTICE 'gapless %', id;
			RAISE EXCEPTION 'undo';
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END LOOP;
	RAISE NOTICE 'gapless %', idgen_next('gapless');
	BEGIN
		PERFORM idgen_next('no such');
	EXCEPTION WHEN undefined_object THEN
		RAISE NOTICE 'caught: %', SQLERRM;
	END;
	RAISE NOTICE 'gapless %', idgen_next('gapless');
END $$;
SELECT next_block_start FROM id_sequences WHERE name = 'gapless';

-- exhaustion can be caught and cured on the spot
SELECT idgen_create('small', 1, 4, max_value => 2);
DO $$
BEGIN
	FOR i IN 1 .. 4 LOOP
		BEGIN
			RAISE NOTICE 'small %', idgen_next('small');
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
			RAISE NOTICE 'caught: %', SQLERRM;
			UPDATE id_sequences SET max_value = max_value + 1, exhausted = 0 WHERE name = 'small';
			RAISE NOTICE 'small %', idgen_next('small');
		END;
	END LOOP;
END $$;

-- a procedure that commits: what a transaction has left over is there for the
-- next one, what it has undone is issued again
CREATE PROCEDURE load(seq text) LANGUAGE plpgsql AS $$
DECLARE
	ids bigint[];
BEGIN
	FOR i IN 1 .. 6 LOOP
		ids := ids || idgen_next(seq);
		IF i % 3 = 0 THEN
			ROLLBACK;
		ELSE
			COMMIT;
		END IF;
	END LOOP;
	RAISE NOTICE '%: %', seq, ids;
END $$;
SELECT idgen_restart('gapless', 1);
CALL load('gapless');
CALL load('pairs');
SELECT idgen_next('pairs');

-- triggers
CREATE TABLE things (id bigint, what text);
CREATE FUNCTION set_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.id := idgen_next(TG_ARGV[0]);
	RETURN NEW;
END $$;
CREATE TRIGGER set_id BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION set_id('gapless');
INSERT INTO things (what) VALUES ('a'), ('b') RETURNING *;
CREATE FUNCTION at_the_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'deferred: %', idgen_next('gapless');
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION at_the_end();
BEGIN;
INSERT INTO things (what) VALUES ('c') RETURNING *;
COMMIT;
SELECT idgen_next('gapless'), next_block_start FROM id_sequences WHERE name = 'gapless';

-- cursors
BEGIN;
DECLARE c CURSOR FOR SELECT idgen_next('gapless') FROM generate_series(1, 10);
FETCH 2 FROM c;
SELECT idgen_next('gapless');
FETCH 1 FROM c;
CLOSE c;
DECLARE h CURSOR WITH HOLD FOR SELECT idgen_next('gapless') FROM generate_series(1, 3);
COMMIT;
FETCH ALL FROM h;
CLOSE h;
SELECT idgen_next('gapless');

DROP TABLE things;
DROP FUNCTION draw, draw_sql, set_id, at_the_end;
DROP PROCEDURE load;
DROP EXTENSION idgen;
