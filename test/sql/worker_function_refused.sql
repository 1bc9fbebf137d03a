--
-- A function as source has no refill = 'worker', in whatever way the row is
-- written
--
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	LANGUAGE sql AS 'SELECT 1, 20';

SELECT idgen_create('f', source => 'function', source_name => 'public.allocate', refill => 'worker');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start, source, source_name, refill) VALUES
	('f', 1, 'function', 'public.allocate', 'worker');
\echo :SQLSTATE
COPY id_sequences (name, next_block_start, source, source_name, refill) FROM stdin;
f	1	function	public.allocate	worker
\.
\echo :SQLSTATE

-- one half after the other
SELECT idgen_create('f', source => 'function', source_name => 'public.allocate');
UPDATE id_sequences SET refill = 'worker';
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('f', 1)
	ON CONFLICT (name) DO UPDATE SET refill = 'worker';
\echo :SQLSTATE
SELECT idgen_next('f');
SELECT idgen_create('t', refill => 'worker');
SELECT idgen_next('t');
UPDATE id_sequences SET source = 'function', source_name = 'public.allocate' WHERE name = 't';
\echo :SQLSTATE
SELECT idgen_next('t');

-- as a subscriber would
SET session_replication_role = replica;
UPDATE id_sequences SET refill = 'worker' WHERE name = 'f';
\echo :SQLSTATE
RESET session_replication_role;

-- behind the back of the triggers, it comes to light when an id is drawn
ALTER TABLE id_sequences DISABLE TRIGGER USER;
UPDATE id_sequences SET refill = 'worker' WHERE name = 'f';
ALTER TABLE id_sequences ENABLE TRIGGER USER;
SELECT idgen_next('f');
\echo :SQLSTATE
UPDATE id_sequences SET refill = 'transaction' WHERE name = 'f';

SELECT name, source, refill FROM id_sequences ORDER BY name;
DROP EXTENSION idgen;
DROP FUNCTION allocate;
