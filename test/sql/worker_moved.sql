--
-- The worker finds id_sequences in whatever schema it is, and after the table
-- was rewritten, or dropped and created again
--
-- needs test/idgen.conf
--
CREATE SCHEMA ids;
CREATE SCHEMA "other Ids";
CREATE EXTENSION idgen SCHEMA "other Ids";
CREATE TABLE public.id_sequences (LIKE "other Ids".id_sequences INCLUDING ALL); -- not the one
ALTER TABLE public.id_sequences DROP COLUMN owned_by; -- whose type is the extension's
SELECT "other Ids".idgen_create('gen', block_size => 3, refill => 'worker');
SELECT max("other Ids".idgen_next('gen')) FROM generate_series(1, 100);
SELECT next_block_start > 100 AS written FROM "other Ids".id_sequences;

-- a new file
VACUUM FULL "other Ids".id_sequences;
SELECT max("other Ids".idgen_next('gen')) FROM generate_series(101, 150);
CLUSTER "other Ids".id_sequences USING id_sequences_pkey;
SELECT max("other Ids".idgen_next('gen')) FROM generate_series(151, 200);

-- again and again, while the worker is there
DROP EXTENSION idgen;
DO $$
BEGIN
	FOR i IN 1 .. 10 LOOP
		CREATE EXTENSION idgen SCHEMA ids;
		PERFORM ids.idgen_create('gen', 1000 * i, block_size => 3, refill => 'worker');
		COMMIT;
		FOR j IN 0 .. 19 LOOP
			ASSERT ids.idgen_next('gen') = 1000 * i + j;
		END LOOP;
		COMMIT;
		DROP EXTENSION idgen;
		COMMIT;
	END LOOP;
END $$;
\set VERBOSITY terse
SELECT ids.idgen_next('gen');
\set VERBOSITY default
\echo :SQLSTATE

DROP TABLE id_sequences;
DROP SCHEMA ids, "other Ids";
