--
-- What a centre can do against a node that it does not trust: row security
-- says which id sequences are for it, and a trigger that next_block_start does
-- not go back. Neither is in the way of refills
--
-- needs roles that can connect
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;
CREATE ROLE regress_idgen_node LOGIN PASSWORD 'of the node';
DO $$
BEGIN
	EXECUTE format('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host %L, port %L, dbname %L, schema_name ''centre'')',
		split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database());
END$$;
CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'regress_idgen_node', password 'of the node');
SELECT idgen_create(name, source => 'server', source_name => 'central') FROM unnest('{mine,others}'::text[]) AS name;

-- the centre is this server
CREATE SCHEMA centre;
CREATE TABLE centre.id_sequences (
	name varchar(255) PRIMARY KEY,
	next_block_start bigint NOT NULL,
	block_size integer NOT NULL,
	exhausted smallint NOT NULL DEFAULT 0);
INSERT INTO centre.id_sequences VALUES ('mine', 1, 5), ('others', 1, 5);
GRANT USAGE ON SCHEMA centre TO regress_idgen_node;
GRANT SELECT, UPDATE (next_block_start, exhausted) ON centre.id_sequences TO regress_idgen_node;
ALTER TABLE centre.id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY node ON centre.id_sequences TO regress_idgen_node USING (name = 'mine');
CREATE FUNCTION centre.forward_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE insufficient_privilege USING MESSAGE = 'next_block_start must not go back';
END $$;
CREATE TRIGGER forward_only BEFORE UPDATE ON centre.id_sequences FOR EACH ROW
	WHEN (current_user = 'regress_idgen_node' AND (NEW.next_block_start < OLD.next_block_start OR NEW.exhausted < OLD.exhausted))
	EXECUTE FUNCTION centre.forward_only();

SELECT idgen_next('mine') FROM generate_series(1, 6);
SELECT * FROM idgen_next_range('mine', 20);
SELECT idgen_next('others');
SELECT idgen_peek('others');

-- the node, by what it likes
\set VERBOSITY terse
SET ROLE regress_idgen_node;
UPDATE centre.id_sequences SET next_block_start = 1;
UPDATE centre.id_sequences SET next_block_start = 1 WHERE name = 'others';
UPDATE centre.id_sequences SET block_size = 1000000;
UPDATE centre.id_sequences SET name = 'others';
INSERT INTO centre.id_sequences VALUES ('new', 1, 5);
DELETE FROM centre.id_sequences;
SELECT name FROM centre.id_sequences;
RESET ROLE;
SELECT * FROM centre.id_sequences ORDER BY name;
SELECT idgen_next('mine');

-- what is left to it is to use its own up
SET ROLE regress_idgen_node;
UPDATE centre.id_sequences SET next_block_start = 9223372036854775807, exhausted = 1;
RESET ROLE;
SELECT count(idgen_next('mine')) FROM generate_series(1, 30);

DROP EXTENSION idgen CASCADE;
SET client_min_messages = warning;
DROP SCHEMA centre CASCADE;
DROP ROLE regress_idgen_node;
