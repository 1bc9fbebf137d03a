--
-- Ranges of sizes that do not divide a block, and single draws in between: no
-- id twice, and each that was allocated is issued, cached, or counted as lost
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE TABLE drawn (n serial, name text, first_id bigint, last_id bigint);
CREATE PROCEDURE draw(seq text, commit_every int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 500 LOOP
		INSERT INTO drawn (name, first_id, last_id) SELECT seq, r.* FROM idgen_next_range(seq, i * i % 61 + 1) AS r;
		IF i % commit_every = 0 THEN COMMIT; END IF;
		IF i % 5 = 0 THEN INSERT INTO drawn (name, first_id, last_id) SELECT seq, id, id FROM idgen_next(seq) AS id; END IF;
	END LOOP;
END $$;
SELECT idgen_create(name) FROM unnest('{each,third,one}'::text[]) AS name;
CALL draw('each', 1);
CALL draw('third', 3);
CALL draw('one', 1000);
SELECT name, sum(last_id - first_id + 1) = ids_issued AS issued,
		ids_issued + ids_cached + ids_lost = next_block_start - 1 AS adds_up, ids_cached + ids_lost < ids_issued / 4 AS few_left
	FROM drawn JOIN idgen_stats USING (name) JOIN id_sequences USING (name)
	GROUP BY name, ids_issued, ids_cached, ids_lost, next_block_start ORDER BY name;
SELECT count(*) AS overlapping FROM drawn a JOIN drawn b
	ON a.name = b.name AND a.n < b.n AND a.first_id <= b.last_id AND b.first_id <= a.last_id;

-- a block of somebody else's in between: no range goes across it
SELECT idgen_create('shared', block_size => 10);
SELECT * FROM idgen_next_range('shared', 6);
UPDATE id_sequences SET next_block_start = next_block_start + 10 WHERE name = 'shared';
SELECT first_id > 20 AS behind_it, last_id - first_id FROM idgen_next_range('shared', 12);

-- what the transaction has made void is in no range
SELECT idgen_create('void');
SELECT idgen_next('void');
BEGIN;
SELECT idgen_restart('void', 101);
SELECT * FROM idgen_next_range('void', 30);
ROLLBACK;

DROP PROCEDURE draw;
DROP TABLE drawn;
DROP EXTENSION idgen;
