--
-- A centre that has gone back: its ids are refused until the row is raised, or
-- the owner of the server accepts that. Ranges; the ends; who may accept it
--
CREATE EXTENSION idgen;
-- sessions ask the centre themselves, unless refill is worker
SET idgen.worker_start_timeout = -1;

\getenv inputdir PG_ABS_SRCDIR
\set central_server :inputdir '/include/central_server.sql'
\i :central_server
INSERT INTO centre.id_sequences VALUES ('gen', 101, 10), ('negative', -100, 10), ('last', 9223372036854775800, 10);
SELECT idgen_create(name, source => 'server', source_name => 'central')
FROM centre.id_sequences;
SELECT name, server, last_id, went_back FROM idgen_centre_marks;
SELECT idgen_next('gen') AS gen, idgen_next('negative') AS negative, idgen_next('last') AS last;
SELECT name, server, last_id, went_back FROM idgen_centre_marks;
SELECT DISTINCT m.system_identifier = c.system_identifier AS is_this_one, timeline > 0 AS has_timeline
FROM idgen_centre_marks m, pg_control_system() c;

-- one that has got to the end of all ids is exhausted, and has not gone back
SELECT max(idgen_next('last')) FROM generate_series(1, 7);
SELECT idgen_next('last');
\echo :SQLSTATE

-- back by one block, or one id
UPDATE centre.id_sequences SET next_block_start = 101 WHERE name = 'gen';
UPDATE centre.id_sequences SET next_block_start = -91 WHERE name = 'negative';
SELECT max(idgen_next('gen')) FROM generate_series(1, 9);
SELECT idgen_next('gen');
\echo :SQLSTATE
SELECT idgen_peek('gen');
\echo :SQLSTATE
SELECT idgen_next_range('gen', 3);
\echo :SQLSTATE
SELECT max(idgen_next('negative')) FROM generate_series(1, 11);
\echo :SQLSTATE
SELECT name, went_back FROM idgen_centre_marks;
SELECT name, problem_kind FROM idgen_health WHERE name IS NOT NULL AND problem IS NOT NULL;
SELECT name, next_block_start FROM centre.id_sequences ORDER BY name;

-- not by less: that is where it was
UPDATE centre.id_sequences SET next_block_start = 111 WHERE name = 'gen';
SELECT idgen_peek('gen'), idgen_next('gen');
SELECT name, went_back FROM idgen_centre_marks WHERE went_back IS NOT NULL;

-- who may accept it
CREATE ROLE regress_idgen_user;
GRANT USAGE ON FOREIGN SERVER central TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, server, last_id FROM idgen_centre_marks WHERE name = 'gen';
SELECT idgen_accept_centre('central', 'negative');
\echo :SQLSTATE
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER central FROM regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, server, last_id FROM idgen_centre_marks WHERE name = 'gen';
RESET ROLE;
GRANT pg_monitor TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT name, server, last_id FROM idgen_centre_marks WHERE name = 'gen';
RESET ROLE;
GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO regress_idgen_user;
ALTER SERVER central OWNER TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen_accept_centre('central', 'negative');
RESET ROLE;
ALTER SERVER central OWNER TO CURRENT_USER;
SELECT name, server, last_id FROM idgen_centre_marks;

-- what makes no sense
SELECT idgen_accept_centre(NULL);
\echo :SQLSTATE
SELECT idgen_accept_centre('missing');
\echo :SQLSTATE
SELECT idgen_accept_centre('central', '');
\echo :SQLSTATE
SELECT idgen_accept_centre('central', repeat('x', 256));
\echo :SQLSTATE
CREATE FOREIGN DATA WRAPPER other;
CREATE SERVER of_other FOREIGN DATA WRAPPER other;
SELECT idgen_accept_centre('of_other');
\echo :SQLSTATE
BEGIN READ ONLY;
SELECT idgen_accept_centre('central');
\echo :SQLSTATE
ROLLBACK;
SELECT idgen_accept_centre('central', 'none of these');

-- a rollback does not bring it back
BEGIN;
SELECT idgen_accept_centre('central');
ROLLBACK;
SELECT name, server, last_id, system_identifier, timeline FROM idgen_centre_marks;

DROP SERVER of_other;
DROP FOREIGN DATA WRAPPER other;
DROP USER MAPPING FOR CURRENT_USER SERVER central;
DROP SERVER central;
SELECT name, server, last_id FROM idgen_centre_marks;
DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
DROP TABLE centre.id_sequences;
DROP SCHEMA centre;
