--
-- What was received from another server is remembered in a table: whatever
-- becomes of the transaction that has asked, and by whichever name the server
-- goes; until the row or the server is dropped
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 10), ('other', 1, 10), ('shared', 1, 10), ('worker', 1, 10);
SELECT idgen_create(name, source => 'server', source_name => 'central') FROM centre.id_sequences WHERE name <> 'worker';
SELECT idgen_create('worker', source => 'server', source_name => 'central', refill => 'worker');
CREATE VIEW marks AS SELECT name, server, last_id, went_back FROM idgen_centre_marks;
CREATE VIEW stored AS SELECT name, last_id FROM idgen_marks WHERE known ORDER BY name;

-- a rollback does not undo it, be it the first one or a later one
BEGIN;
SELECT idgen_next('gen');
ROLLBACK;
SELECT * FROM marks;
BEGIN;
SAVEPOINT a;
SELECT * FROM idgen_next_range('gen', 20);
SELECT idgen_next('other');
ROLLBACK TO a;
SELECT * FROM marks;
ROLLBACK;
SELECT idgen_next('worker');
SELECT * FROM marks;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM stored;
SELECT * FROM idgen_next_range('gen', 20);
COMMIT;
SELECT * FROM stored;

-- nobody can use what a new session knows better
\c -
SET idgen.worker_start_timeout = -1;
UPDATE centre.id_sequences SET next_block_start = 11 WHERE name = 'gen';
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
BEGIN;
SELECT went_back FROM marks WHERE name = 'gen';
ROLLBACK;
UPDATE centre.id_sequences SET next_block_start = 101 WHERE name = 'gen';
SELECT * FROM idgen_next_range('gen', 20);
SELECT * FROM stored;

-- the row takes it along when its deletion is committed
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
ROLLBACK;
SELECT * FROM stored WHERE name = 'gen';
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT * FROM idgen_next_range('gen', 20);
ROLLBACK;
SELECT * FROM stored WHERE name = 'gen';
BEGIN;
DELETE FROM id_sequences WHERE name = 'gen';
SELECT idgen_create('gen', source => 'server', source_name => 'central');
SELECT * FROM idgen_next_range('gen', 20);
COMMIT;
SELECT * FROM stored WHERE name = 'gen';
UPDATE centre.id_sequences SET next_block_start = 1 WHERE name = 'gen';
SELECT * FROM idgen_next_range('gen', 20);
SELECT * FROM stored WHERE name = 'gen';

-- a row that belongs to somebody else, who may do nothing with the table
CREATE ROLE regress_idgen_user;
GRANT DELETE ON id_sequences TO regress_idgen_user;
SET ROLE regress_idgen_user;
DELETE FROM id_sequences WHERE name = 'other';
TABLE idgen_marks;
\echo :SQLSTATE
RESET ROLE;
SELECT * FROM stored WHERE name = 'other';

-- a server that is renamed keeps it
ALTER SERVER central RENAME TO other_name;
UPDATE id_sequences SET source_name = 'other_name';
UPDATE centre.id_sequences SET next_block_start = 11 WHERE name = 'gen';
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
SELECT * FROM marks WHERE name = 'gen';
ALTER SERVER other_name OPTIONS (ADD remote_name 'shared');
SELECT idgen_next_range('gen', 20), idgen_next_range('shared', 20);
SELECT * FROM stored;
DELETE FROM id_sequences WHERE name = 'shared';
SELECT * FROM stored WHERE name = 'shared';
ALTER SERVER other_name OPTIONS (DROP remote_name);
ALTER SERVER other_name RENAME TO central;
UPDATE id_sequences SET source_name = 'central';
SELECT * FROM stored;
SELECT idgen_accept_centre('central', 'gen');
SELECT * FROM stored;

-- it is this server's own: what arrives by replication is left out
SET session_replication_role = replica;
INSERT INTO idgen_marks SELECT * FROM idgen_marks;
SELECT idgen_create('shared', source => 'server', source_name => 'central');
SELECT * FROM idgen_next_range('shared', 20);
RESET session_replication_role;
SELECT * FROM stored;

-- the owner of the table may make anything of it
BEGIN;
ALTER TABLE idgen_marks ALTER timeline TYPE bigint;
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
ROLLBACK;
BEGIN;
ALTER TABLE idgen_marks DROP CONSTRAINT idgen_marks_pkey;
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
ROLLBACK;
ALTER TABLE idgen_marks ALTER back_since DROP NOT NULL;
UPDATE idgen_marks SET back_since = NULL;
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
UPDATE idgen_marks SET back_since = '2000-01-01 00:00:00+00';
ALTER TABLE idgen_marks ALTER back_since SET NOT NULL;
DROP TABLE idgen_marks;
\echo :SQLSTATE
CREATE TRIGGER own BEFORE INSERT ON idgen_marks FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
DELETE FROM idgen_marks;
SELECT * FROM idgen_next_range('gen', 20);
\echo :SQLSTATE
DROP TRIGGER own ON idgen_marks;
SELECT * FROM idgen_next_range('gen', 20);
SELECT * FROM stored;

-- in a copy of the database, where the server has another OID, its name counts
CREATE TEMP TABLE dumped AS SELECT * FROM idgen_marks;
UPDATE dumped SET server_oid = 1;
DELETE FROM idgen_marks;
INSERT INTO idgen_marks SELECT * FROM dumped;
SELECT * FROM marks;
SELECT * FROM idgen_next_range('gen', 20);
SELECT count(*) FROM idgen_marks WHERE server_oid <> 1;
UPDATE idgen_marks SET server = 'some_other' WHERE name <> 'gen';
SELECT name, last_id, system_identifier IS NOT NULL AS is_known FROM idgen_centre_marks;

-- a server that is dropped and created again begins without
DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
SELECT * FROM marks;
DROP SCHEMA centre CASCADE;
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 1, 10);
SELECT * FROM marks;
SELECT * FROM idgen_next_range('gen', 20);

DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
DROP VIEW marks, stored;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
