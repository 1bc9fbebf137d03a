--
-- The time in a UUID of version 7; null for others
--
CREATE EXTENSION idgen;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT id, idgen_unique_uuid_created_at(id::uuid) FROM unnest(ARRAY[
	'017f22e2-79b0-7cc3-98c4-dc0c0c07398f', -- the example of RFC 9562, A.6: 2022-02-22 19:22:22
	'00000000-0000-7000-8000-000000000000', -- the smallest of all
	'00000000-0001-7fff-bfff-ffffffffffff',
	'ffffffff-ffff-7000-8000-000000000000', -- the latest time
	'ffffffff-ffff-7fff-bfff-ffffffffffff',
	'017f22e2-79b0-8cc3-98c4-dc0c0c07398f', -- another version
	'017f22e2-79b0-6cc3-98c4-dc0c0c07398f',
	'017f22e2-79b0-7cc3-18c4-dc0c0c07398f', -- other variants
	'017f22e2-79b0-7cc3-58c4-dc0c0c07398f',
	'017f22e2-79b0-7cc3-d8c4-dc0c0c07398f',
	'c232ab00-9414-11ec-b3c8-9f6bdeced846', -- version 1
	'00000000-0000-0000-0000-000000000000',
	'ffffffff-ffff-ffff-ffff-ffffffffffff'
	]) AS id;
SELECT count(idgen_unique_uuid_created_at(gen_random_uuid())) AS of_version_4 FROM generate_series(1, 100);
SELECT idgen_unique_uuid_created_at(NULL) IS NULL AS "null";
-- the same instant everywhere
SET timezone = 'Asia/Tokyo';
SELECT idgen_unique_uuid_created_at('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT proname, provolatile, proparallel, proisstrict FROM pg_proc
	WHERE proname ~ '^idgen_(unique_id|unique_uuid|uuid_)' ORDER BY proname;
DROP EXTENSION idgen;
