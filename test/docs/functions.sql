-- docs/reference.md, "Functions" and "COPY"

-- claim: The functions that draw answer null for a null name.
SELECT idgen_next(NULL) IS NULL, idgen_next_big(NULL) IS NULL, idgen_last(NULL) IS NULL, idgen_peek(NULL) IS NULL, (idgen_next_range(NULL, 5)) IS NULL;
-- gives: t|t|t|t|t

-- claim: idgen_restart answers null for a null name.
SELECT idgen_restart(NULL, 5) IS NULL;
-- gives: t

-- claim: idgen_create refuses a null name.
SELECT idgen_create(NULL);
-- gives: ERROR 22004

-- claim: idgen_adopt refuses a null relation.
SELECT idgen_adopt(NULL, 'x');
-- gives: ERROR 22004

-- claim: It refuses a null refill.
SELECT idgen_adopt('id_sequences', 'name', 'x', NULL);
-- gives: ERROR 22004

-- claim: idgen_release answers null for a null relation.
SELECT idgen_release(NULL, 'x') IS NULL;
-- gives: t

-- claim: idgen_next gives the next id.
SELECT idgen_create('a');
SELECT idgen_next('a');
-- gives: 1

-- claim: With source "sequence", it works without a row.
CREATE SEQUENCE w_seq START 7;
SELECT idgen_next('w', 'sequence');
-- gives: 7

-- claim: If there is a row, it must have that source.
SELECT idgen_next('a', 'sequence');
-- gives: ERROR 22023

-- claim: With the source that the row has, the call is the same.
SELECT idgen_next('a', 'table');
-- gives: 2

-- claim: The source is the second argument of idgen_next_big, the third of idgen_next_range.
SELECT idgen_next_big('a', 'table');
-- gives: 3
SELECT idgen_next_range('a', 2, 'table');
-- gives: (4,5)

-- claim: idgen_last, idgen_peek and idgen_restart take none.
SELECT idgen_last('a');
-- gives: 5
SELECT idgen_peek('a');
-- gives: 6
SELECT idgen_restart('a', 6);
SELECT idgen_next('a');
-- gives: 6

-- claim: There is no other source.
SELECT idgen_next('a', 'nix');
-- gives: ERROR 22023

-- claim: idgen_next_big is exact beyond 64 bits.
UPDATE id_sequences SET big_base = 10000000000000000000000000000000 WHERE name = 'a';
SELECT idgen_next_big('a');
-- gives: 10000000000000000000000000000026

-- claim: idgen_next_range: n is 1 at least.
SELECT idgen_next_range('a', 0);
-- gives: ERROR 22023

-- claim: idgen_next_range: n is 2^62 at most.
SELECT idgen_next_range('a', 4611686018427387905);
-- gives: ERROR 22023

-- claim: idgen_next_range: 2^62 ids in a row.
SELECT idgen_create('r');
SELECT * FROM idgen_next_range('r', 4611686018427387904);
-- gives: 1|4611686018427387904

-- claim: idgen_last knows the id of a transaction that was rolled back.
SELECT idgen_create('b');
BEGIN;
SELECT idgen_next('b');
-- gives: 1
ROLLBACK;
SELECT idgen_last('b');
-- gives: 1

-- claim: Of a range, idgen_last gives the last one.
SELECT FROM idgen_next_range('b', 10);
SELECT idgen_last('b');
-- gives: 10

-- claim: idgen_last fails before the session has drawn.
SELECT idgen_create('nb');
SELECT idgen_last('nb');
-- gives: ERROR 55000

-- claim: DISCARD SEQUENCES and DISCARD ALL reset it.
SELECT idgen_create('discarded');
SELECT idgen_next('discarded');
-- gives: 1
DISCARD SEQUENCES;
SELECT idgen_last('discarded');
-- gives: ERROR 55000
SELECT idgen_next('discarded');
-- gives: 2
DISCARD ALL;
SELECT idgen_last('discarded');
-- gives: ERROR 55000

-- claim: idgen_last answers as idgen_next would have, and big_base can be added.
UPDATE id_sequences SET big_base = 1000, next_block_start = 5 WHERE name = 'nb';
SELECT idgen_next_big('nb');
-- gives: 1005
SELECT idgen_last('nb');
-- gives: 5
SELECT idgen_last(name) + big_base FROM id_sequences WHERE name = 'nb';
-- gives: 1005

-- claim: idgen_peek takes nothing.
SELECT idgen_peek('nb');
-- gives: 6
SELECT idgen_peek('nb');
-- gives: 6
SELECT idgen_next('nb');
-- gives: 6

-- claim: With a composed layout, the last id plus big_base is not the id of idgen_next_big.
SELECT idgen_create('composed_big', layout => 'prefixed', big_base => 1000);
SELECT length(idgen_next_big('composed_big')::text), length(idgen_last('composed_big')::text);
-- gives: 38|19

-- claim: idgen_last fails if only idgen_next_big could compose the id.
SELECT idgen_create('wide_big', 100000000000000, layout => 'prefixed');
SELECT length(idgen_next_big('wide_big')::text);
-- gives: 38
SELECT idgen_last('wide_big');
-- gives: ERROR 2200H

-- claim: idgen_parts needs a type for a literal in quotes.
SELECT * FROM idgen_parts('2023400000989780816', 'prefixed');
-- gives: ERROR 42725

-- claim: idgen_parts takes a bigint.
SELECT * FROM idgen_parts('2023400000989780816'::bigint, 'prefixed');
-- gives: 2|0|234|989780816

-- claim: idgen_parts takes a numeric.
SELECT * FROM idgen_parts(20234000000000000000000000000989780816, 'prefixed');
-- gives: 2|0|234|989780816

-- claim: idgen_parts takes a small number with a cast; it has no composed layout.
SELECT * FROM idgen_parts(5::bigint, 'prefixed');
-- gives: ERROR 22003

-- claim: An id of layout "plain" is its sequence value.
SELECT * FROM idgen_parts(5::bigint, 'plain');
-- gives: |||5

-- claim: Columns are named arguments of idgen_create.
SELECT idgen_create('c1', next_block_start => 1000, block_size => 50);
SELECT next_block_start, block_size FROM id_sequences WHERE name = 'c1';
-- gives: 1000|50

-- claim: A block_size of null stands for idgen.default_block_size.
SET idgen.default_block_size = 33;
SELECT idgen_create('c2', block_size => NULL);
SELECT block_size FROM id_sequences WHERE name = 'c2';
-- gives: 33
RESET idgen.default_block_size;

-- claim: A refill of null stands for idgen.default_refill.
SET idgen.default_refill = 'auto';
SELECT idgen_create('dr', refill => NULL);
RESET idgen.default_refill;
SELECT refill FROM id_sequences WHERE name = 'dr';
-- gives: auto

-- claim: Every column but start_value and template is an argument of idgen_create.
SELECT array_to_string(proargnames, ',') FROM pg_proc WHERE proname = 'idgen_create';
-- gives: name,next_block_start,block_size,exhausted,max_value,source,source_name,refill,layout,big_base,pooling,owned_by,max_children,period,time_zone,format,id_type,early_release,watermark

-- claim: Most arguments of idgen_create must not be null.
SELECT idgen_create('c3', next_block_start => NULL);
-- gives: ERROR 22004

-- claim: idgen_create refuses a name that exists.
SELECT idgen_create('c2');
-- gives: ERROR 42710

-- claim: idgen_create refuses a start beyond max_value.
SELECT idgen_create('c4', next_block_start => 10, max_value => 5);
-- gives: ERROR 22023

-- claim: idgen_create refuses the empty name.
SELECT idgen_create('');
-- gives: ERROR 22023

-- claim: idgen_create refuses a block_size of 0.
SELECT idgen_create('c5', block_size => 0);
-- gives: ERROR 22023

-- claim: idgen_create refuses an unknown source.
SELECT idgen_create('c5', source => 'n');
-- gives: ERROR 22023

-- claim: idgen_create refuses an unknown refill.
SELECT idgen_create('c5', refill => 'n');
-- gives: ERROR 22023

-- claim: idgen_create refuses an unknown layout.
SELECT idgen_create('c5', layout => 'n');
-- gives: ERROR 22023

-- claim: idgen_create: exhausted is 0 or 1.
SELECT idgen_create('c5', exhausted => 5);
-- gives: ERROR 22023

-- claim: idgen_create refuses a big_base of more than 38 digits.
SELECT idgen_create('c5', big_base => 1e39);
-- gives: ERROR 22003

-- claim: idgen_create refuses a name of more than 255 characters.
SELECT idgen_create(repeat('x', 256));
-- gives: ERROR 22001

-- claim: Restarting backward issues ids again.
SELECT idgen_create('rs', 11);
SELECT idgen_next('rs');
-- gives: 11
SELECT idgen_restart('rs', 5);
SELECT idgen_next('rs');
-- gives: 5
SELECT idgen_next('rs');
-- gives: 6

-- claim: idgen_restart drops cached ids when its transaction commits; others draw them until then.
SELECT idgen_next('rs');
-- gives: 7
BEGIN;
SELECT idgen_restart('rs', 100);
\other SELECT idgen_next('rs');
-- gives: 8
COMMIT;
SELECT idgen_next('rs');
-- gives: 100

-- claim: idgen_restart can go forward.
SELECT idgen_restart('rs', 1000);
SELECT idgen_next('rs');
-- gives: 1000

-- claim: idgen_restart clears exhausted.
SELECT idgen_create('ex', max_value => 1);
SELECT idgen_next('ex');
-- gives: 1
SELECT idgen_next('ex');
-- gives: ERROR 2200H: id sequence "ex" is exhausted
SELECT idgen_restart('ex', 1);
SELECT idgen_next('ex');
-- gives: 1

-- claim: idgen_restart refuses a start beyond max_value.
SELECT idgen_restart('ex', 2);
-- gives: ERROR 22023

-- claim: idgen_restart refuses an unknown name.
SELECT idgen_restart('unk', 2);
-- gives: ERROR 42704

-- claim: idgen_unique_id works in a read-only transaction.
BEGIN READ ONLY;
SELECT idgen_unique_id() > 0;
-- gives: t
COMMIT;

-- claim: idgen_unique_id works in parallel workers.
CREATE TABLE pt AS SELECT generate_series(1, 20000) g;
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
-- gives: on
SELECT count(DISTINCT idgen_unique_id()) = 20000 FROM pt;
-- gives: t
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
-- gives: off

-- claim: idgen_unique_id_parts gives created_at, node and counter.
SELECT array_to_string(proargnames, ',') FROM pg_proc WHERE proname = 'idgen_unique_id_parts';
-- gives: id,created_at,node,counter

-- claim: idgen_unique_id_parts refuses negative numbers.
SELECT idgen_unique_id_parts(-1);
-- gives: ERROR 22003

-- claim: idgen_stats_reset sets the counters to zero.
SELECT sum(ids_issued) > 0 FROM idgen_stats;
-- gives: t
SELECT idgen_stats_reset();
SELECT coalesce(sum(ids_issued), 0) = 0 FROM idgen_stats;
-- gives: t

-- claim: idgen_stats_reset is for superusers.
CREATE ROLE plain_u;
SET ROLE plain_u;
SELECT idgen_stats_reset();
-- gives: ERROR 42501
RESET ROLE;

-- claim: Who is granted idgen_stats_reset may call it.
GRANT EXECUTE ON FUNCTION idgen_stats_reset() TO plain_u;
SET ROLE plain_u;
SELECT idgen_stats_reset();
RESET ROLE;

-- claim: Drawing works in column defaults and COPY.
SELECT idgen_create('cp');
CREATE TABLE cp(id bigint DEFAULT idgen_next('cp'), t text);
COPY cp(t) FROM STDIN;
a
b
\.
SELECT id FROM cp;
-- gives: 1
-- gives: 2

-- claim: COPY stores rows in batches if the default has constants and the row is there.
SELECT idgen_create('cb');
CREATE FUNCTION size_of(name text) RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN pg_relation_size(name::regclass); END $$;
CREATE TABLE batched(id bigint DEFAULT idgen_next('cb'), t text, size bigint DEFAULT size_of('batched'));
COPY batched(t) FROM PROGRAM 'seq 3';
SELECT count(DISTINCT id), max(size) FROM batched;
-- gives: 3|0

-- claim: With source "function", row by row.
TRUNCATE batched;
CREATE FUNCTION for_copy(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$ SELECT -2, -1 $$;
SELECT idgen_create('cpf', source => 'function', source_name => 'for_copy');
ALTER TABLE batched ALTER id SET DEFAULT idgen_next('cpf');
COPY batched(t) FROM PROGRAM 'seq 2';
SELECT id, size FROM batched;
-- gives: -2|0
-- gives: -1|8192

-- claim: So it is with a trigger on id_sequences that a refill fires.
TRUNCATE batched;
ALTER TABLE batched ALTER id SET DEFAULT idgen_next('cb');
CREATE FUNCTION for_refills() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER for_refills AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION for_refills();
COPY batched(t) FROM PROGRAM 'seq 2';
SELECT max(size) FROM batched;
-- gives: 8192
DROP TRIGGER for_refills ON id_sequences;

-- claim: With a period, and by idgen_next_big and idgen_next_text, it stores row by row.
SELECT idgen_create('cpp', period => 'year');
SELECT idgen_next('cpp');
-- gives: 1
TRUNCATE batched;
ALTER TABLE batched ALTER id SET DEFAULT idgen_next('cpp');
COPY batched(t) FROM PROGRAM 'seq 2';
SELECT max(size) FROM batched;
-- gives: 8192
TRUNCATE batched;
ALTER TABLE batched ALTER id SET DEFAULT idgen_next_text('cb')::bigint;
COPY batched(t) FROM PROGRAM 'seq 2';
SELECT max(size) FROM batched;
-- gives: 8192
ALTER TABLE batched ALTER id SET DEFAULT idgen_next('cb');

-- claim: What COPY calls then cannot be called by name.
SELECT idgen_next_in_copy('cb');
-- gives: ERROR 42883

-- claim: ALTER FUNCTION idgen_next_in_copy switches batches off.
TRUNCATE batched;
ALTER FUNCTION idgen_next_in_copy(text, internal) VOLATILE;
COPY batched(t) FROM PROGRAM 'seq 2';
SELECT max(size) FROM batched;
-- gives: 8192
ALTER FUNCTION idgen_next_in_copy(text, internal) STABLE;

-- claim: ADD COLUMN with a default gives each row an id of its own.
ALTER TABLE batched ADD added bigint DEFAULT idgen_next('cb');
SELECT count(DISTINCT added) FROM batched;
-- gives: 2

-- claim: Drawing works in INSERT ... SELECT.
INSERT INTO cp(t) SELECT 'x' FROM generate_series(1, 10);
SELECT max(id) FROM cp;
-- gives: 12

-- claim: ON CONFLICT: a row that is not inserted has used an id.
DELETE FROM cp;
ALTER TABLE cp ADD PRIMARY KEY(t);
INSERT INTO cp(t) VALUES ('k') RETURNING id;
-- gives: 13
INSERT INTO cp(t) VALUES ('k') ON CONFLICT DO NOTHING;
INSERT INTO cp(t) VALUES ('m') RETURNING id;
-- gives: 15

-- claim: Drawing works in MERGE.
MERGE INTO cp USING (VALUES ('n')) v(t) ON cp.t = v.t WHEN NOT MATCHED THEN INSERT(t) VALUES (v.t);
SELECT id FROM cp WHERE t = 'n';
-- gives: 16

-- claim: Drawing works in PL/pgSQL.
DO $$ BEGIN PERFORM idgen_next('cp'); END $$;
SELECT idgen_last('cp');
-- gives: 17

-- claim: Drawing works in prepared statements.
PREPARE p AS SELECT idgen_next('cp');
EXECUTE p;
-- gives: 18
EXECUTE p;
-- gives: 19

-- claim: The name can come from a column.
SELECT idgen_next(n) FROM (VALUES ('cp'), ('b2')) v(n) WHERE n = 'cp';
-- gives: 20
SELECT idgen_create('b2', 7);
SELECT idgen_next(n) FROM (VALUES ('b2')) v(n);
-- gives: 7

-- claim: Drawing is refused in read-only transactions.
BEGIN READ ONLY;
SELECT idgen_next('cp');
-- gives: ERROR 25006
ROLLBACK;

-- claim: So is drawing a range.
BEGIN READ ONLY;
SELECT idgen_next_range('cp', 3);
-- gives: ERROR 25006
ROLLBACK;

-- claim: idgen_peek and idgen_last are not.
BEGIN READ ONLY;
SELECT idgen_peek('cp');
-- gives: 21
SELECT idgen_last('cp');
-- gives: 20
ROLLBACK;

-- claim: idgen_create is refused in read-only transactions.
BEGIN READ ONLY;
SELECT idgen_create('zz');
-- gives: ERROR 25006
ROLLBACK;

-- claim: idgen_restart is refused in read-only transactions.
BEGIN READ ONLY;
SELECT idgen_restart('cp', 4);
-- gives: ERROR 25006
ROLLBACK;

-- claim: These functions are what the views are made of.
SELECT proname FROM pg_proc WHERE proname IN ('idgen_facts', 'idgen_server_state', 'idgen_conditions') ORDER BY 1;
-- gives: idgen_conditions
-- gives: idgen_facts
-- gives: idgen_server_state

-- claim: idgen_adopt says what it did.
CREATE TABLE ad(id serial);
SELECT idgen_adopt('ad', 'id');
-- gives: column "id" of table "public.ad" now draws from id sequence "public.ad.id", beginning with 1, with refill "auto"; its default and sequence "public.ad_id_seq" were dropped

-- claim: idgen_release says what it did, and deletes the row.
SELECT idgen_release('ad', 'id');
-- gives: column "id" of table "public.ad" is now an identity column, beginning with 1; id sequence "public.ad.id" was deleted
SELECT count(*) FROM id_sequences WHERE name LIKE '%ad.id';
-- gives: 0

-- claim: idgen_peek reads the row when no id is cached.
SELECT idgen_create('pk');
SELECT idgen_peek('pk');
-- gives: 1

-- claim: The name may be a varchar.
SELECT idgen_next('a'::varchar);
-- gives: 27

-- claim: The name may be a name.
SELECT idgen_next('a'::name);
-- gives: 28

-- claim: idgen_restart sets start_value, and clears exhausted.
SELECT idgen_create('again', 100, max_value => 100);
SELECT idgen_next('again');
-- gives: 100
SELECT start_value, exhausted FROM id_sequences WHERE name = 'again';
-- gives: 100|1
SELECT idgen_restart('again', 50);
SELECT start_value, exhausted FROM id_sequences WHERE name = 'again';
-- gives: 50|0

-- claim: A generated column cannot draw.
CREATE TABLE gg(id bigint GENERATED ALWAYS AS (idgen_next('cp')) STORED);
-- gives: ERROR 42P17

-- claim: Drawing works in WITH.
WITH x AS (SELECT idgen_next('cp') a) SELECT a FROM x;
-- gives: 21

-- claim: Drawing works in triggers.
CREATE FUNCTION trg() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.id := idgen_next('cp'); RETURN new; END $$;
CREATE TABLE tr(id bigint);
CREATE TRIGGER t BEFORE INSERT ON tr FOR EACH ROW EXECUTE FUNCTION trg();
INSERT INTO tr VALUES (NULL) RETURNING id;
-- gives: 22

-- claim: Drawing works in UPDATE.
CREATE TABLE nn(n text, id bigint);
INSERT INTO nn VALUES ('orders'), ('orders');
UPDATE nn SET id = idgen_next(n);
-- gives: ERROR 42704
SELECT count(DISTINCT id) = 2 FROM nn;
-- gives: f

-- claim: Drawing works in CREATE TABLE AS.
CREATE TABLE cta AS SELECT idgen_next('cp') i FROM generate_series(1, 1000);
SELECT count(DISTINCT i) = 1000 FROM cta;
-- gives: t

-- claim: idgen_last of another session's id.
\other SELECT idgen_last('cp');
-- gives: ERROR 55000

-- claim: idgen_last of a name that does not exist.
SELECT idgen_last('nowhere');
-- gives: ERROR 42704

-- claim: Source server without a row.
SELECT idgen_next('nope', 'server');
-- gives: ERROR 42704

-- claim: A null source gives null.
SELECT idgen_next('orders', NULL) IS NULL;
-- gives: t

-- claim: Any text is a name.
SELECT idgen_create('we"ird; ''x'' %');
SELECT idgen_next('we"ird; ''x'' %');
-- gives: 1

-- claim: Drawing works in ALTER TABLE ADD COLUMN.
CREATE TABLE al AS SELECT 1 a FROM generate_series(1, 3);
ALTER TABLE al ADD id bigint DEFAULT idgen_next('cp');
SELECT count(DISTINCT id) FROM al;
-- gives: 3

-- claim: Drawing works in cursors.
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT idgen_next('cp');
COMMIT;
FETCH c;
-- gives: 1026
CLOSE c;

-- claim: Drawing works in deferred triggers.
CREATE TABLE dt(id bigint);
CREATE FUNCTION dtf() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM idgen_next('cp'); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER ct AFTER INSERT ON dt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dtf();
BEGIN;
INSERT INTO dt VALUES (1);
COMMIT;
SELECT idgen_last('cp') > 0;
-- gives: t

-- claim: big_base has no decimals.
SELECT idgen_create('bd', big_base => 1.5);
-- gives: ERROR 22023
SELECT idgen_create('bd', big_base => 2.0);
SELECT big_base FROM id_sequences WHERE name = 'bd';
-- gives: 2

-- claim: big_base must be finite.
SELECT idgen_create('bi', big_base => 'Infinity');
-- gives: ERROR 22003

-- claim: big_base must be a whole number.
SELECT idgen_create('bn', big_base => 'NaN');
-- gives: ERROR 22023

-- claim: big_base has up to 38 digits, and the id may have more.
SELECT idgen_create('bmax', big_base => 99999999999999999999999999999999999999);
SELECT idgen_next_big('bmax');
-- gives: 100000000000000000000000000000000000000

-- claim: big_base may be negative.
SELECT idgen_create('bneg', big_base => -10);
SELECT idgen_next_big('bneg');
-- gives: -9

-- claim: idgen_restart that is rolled back changes nothing.
SELECT idgen_create('rr');
SELECT idgen_next('rr');
-- gives: 1
BEGIN;
SELECT idgen_restart('rr', 100) IS NULL WHERE false;
DO $$ BEGIN PERFORM idgen_restart('rr', 100); END $$;
ROLLBACK;
SELECT idgen_next('rr');
-- gives: 2

-- claim: idgen_sync and idgen_accept_centre refuse a null where it is not the default.
SELECT idgen_sync(NULL, 'id');
SELECT idgen_accept_centre(NULL);
-- gives: ERROR 22004
-- gives: ERROR 22004

-- claim: Functions that change something are refused in read-only transactions.
BEGIN READ ONLY;
SELECT idgen_accept_centre('nowhere');
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_sync();
ROLLBACK;
-- gives: ERROR 25006
-- gives: ERROR 25006

-- claim: Which functions are not VOLATILE and PARALLEL UNSAFE.
SELECT proname, provolatile, proparallel FROM pg_proc, pg_depend, pg_extension e
	WHERE pg_depend.objid = pg_proc.oid AND pg_depend.deptype = 'e' AND refobjid = e.oid AND extname = 'idgen'
		AND (provolatile, proparallel) <> ('v', 'u') AND obj_description(pg_proc.oid, 'pg_proc') !~ '^internal'
	GROUP BY 1, 2, 3 ORDER BY 1;
-- gives: idgen_gaps|s|u
-- gives: idgen_parts|i|s
-- gives: idgen_stats_reset|v|r
-- gives: idgen_text_value|s|u
-- gives: idgen_unique_id|v|s
-- gives: idgen_unique_id_min|i|s
-- gives: idgen_unique_id_parts|i|s
-- gives: idgen_unique_uuid|v|s
-- gives: idgen_unique_uuid_created_at|i|s
-- gives: idgen_unique_uuid_min|i|s
-- gives: idgen_unscramble|s|u
-- gives: idgen_version|s|s
-- gives: idgen_wait_durable|v|r

-- claim: A rollback does not undo idgen_stats_reset.
SELECT idgen_create('rb');
SELECT idgen_next('rb');
-- gives: 1
BEGIN;
SELECT idgen_stats_reset();
ROLLBACK;
SELECT ids_issued FROM idgen_stats WHERE name = 'rb';
-- gives: 0
