-- docs/refill.md, "Choosing a block size"

-- claim: block_size 1 is gapless: a rollback gives the id back.
SELECT idgen_create('g', block_size => 1);
SELECT idgen_next('g');
-- gives: 1
BEGIN;
SELECT idgen_next('g');
-- gives: 2
ROLLBACK;
SELECT idgen_next('g');
-- gives: 2

-- claim: block_size 1: others wait until the commit.
BEGIN;
SELECT idgen_next('g');
-- gives: 3
\other SET lock_timeout = 300; SELECT idgen_next('g');
-- gives: ERROR 55P03
COMMIT;

-- claim: A load of a million rows makes about 90 row versions.
SELECT idgen_create('bulk');
DO $$ BEGIN PERFORM idgen_next('bulk') FROM generate_series(1, 1000000); END $$;
SELECT refills BETWEEN 80 AND 100 FROM idgen_stats WHERE name = 'bulk';
-- gives: t

-- claim: The first eight refills of a transaction take one block each; from the ninth on, an eighth of what it has taken.
SELECT idgen_create('b8');
BEGIN;
DO $$ BEGIN FOR i IN 1..160 LOOP PERFORM idgen_next('b8'); END LOOP; END $$;
SELECT (next_block_start-1)/20 FROM id_sequences WHERE name = 'b8';
-- gives: 8
DO $$ BEGIN FOR i IN 1..21 LOOP PERFORM idgen_next('b8'); END LOOP; END $$;
SELECT (next_block_start-1)/20 FROM id_sequences WHERE name = 'b8';
-- gives: 10
ROLLBACK;

-- claim: block_size 1: a bulk load puts back what it did not use.
SELECT idgen_create('gb', block_size => 1);
DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM idgen_next('gb'); END LOOP; END $$;
SELECT next_block_start FROM id_sequences WHERE name = 'gb';
-- gives: 1001
