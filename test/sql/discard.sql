--
-- DISCARD ALL and DISCARD SEQUENCES reset idgen_last, as they do currval
--
CREATE EXTENSION idgen;
SELECT idgen_create('x'), idgen_create('big', big_base => 1000000000000000000000), idgen_create('other');
SELECT idgen_next('x'), idgen_next('x'), idgen_next_big('big');
SELECT idgen_last('x'), idgen_last('big');

DISCARD SEQUENCES;
SELECT idgen_last('x');
\echo :SQLSTATE
SELECT idgen_last('big');
\echo :SQLSTATE

-- ids go on, those of a draw with all that it knows
SELECT idgen_next('x') AS id, idgen_last('x') AS last, idgen_next('x') AS id, idgen_last('x') AS last;
SELECT idgen_next_big('big'), idgen_last('big');
DISCARD ALL;
SELECT idgen_last('x');
\echo :SQLSTATE
SELECT idgen_next('x'), idgen_last('x');

-- what else is discarded does not matter, nor does a DISCARD that fails
DISCARD PLANS;
DISCARD TEMP;
BEGIN;
DISCARD ALL;
ROLLBACK;
SELECT idgen_last('x');

-- a rollback brings nothing back
BEGIN;
SELECT idgen_next('x');
DISCARD SEQUENCES;
ROLLBACK;
SELECT idgen_last('x');
\echo :SQLSTATE

-- in the middle of a transaction, and of a draw
BEGIN;
SELECT idgen_next('other');
DISCARD SEQUENCES;
SELECT idgen_next('other'), idgen_last('other');
COMMIT;
CREATE FUNCTION allocator(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$
BEGIN
	DISCARD SEQUENCES;
	RETURN QUERY VALUES (1000::bigint, 1001::bigint);
END $$;
SELECT idgen_create('function', source => 'function', source_name => 'allocator');
SELECT idgen_next('function');
SELECT idgen_last('function');
SELECT idgen_last('other');
\echo :SQLSTATE

-- twice, and with nothing to discard
DISCARD SEQUENCES;
DISCARD SEQUENCES;
SELECT idgen_next('x') = idgen_last('x') AS same;

DROP FUNCTION allocator;
DROP EXTENSION idgen;
