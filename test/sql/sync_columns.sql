--
-- idgen_sync(): which columns it finds, where their defaults come from
--
-- A cache of the session's own is emptied by a change of a row, hence:
-- needs test/idgen.conf
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('gen'), idgen_create('twice'), idgen_create('of domain');

-- columns that are dropped, defaults that draw twice
CREATE TABLE t (gone text, id bigint DEFAULT idgen_next('gen'), twice bigint DEFAULT idgen_next('twice') + idgen_next('twice'));
ALTER TABLE t DROP gone;
INSERT INTO t (id, twice) VALUES (100, 3);
SELECT idgen_sync('t', 'id');
SELECT idgen_sync('t', 'twice');
SELECT idgen_sync('t');
SELECT idgen_next('gen'), idgen_next('twice');
DROP TABLE t;
SELECT idgen_sync();

-- what else has a domain with a default: a column with a default of its own, a
-- composite type, a view
CREATE DOMAIN number AS bigint DEFAULT idgen_next('of domain');
CREATE TABLE t (id number, other number DEFAULT 0);
CREATE TYPE pair AS (id number);
CREATE VIEW v AS SELECT id FROM t;
INSERT INTO t VALUES (50, 5000);
SELECT idgen_sync();
INSERT INTO t DEFAULT VALUES RETURNING *;
DROP VIEW v;
DROP TYPE pair;

-- the column of a parent is dropped, and a table that inherits from another one
-- draws from the same
CREATE TABLE owner (id bigint);
CREATE TABLE parent (id bigint);
CREATE TABLE child (id bigint DEFAULT idgen_next('inherited')) INHERITS (parent);
SELECT idgen_create('inherited', owned_by => 'owner.id');
ALTER TABLE owner ALTER id SET DEFAULT idgen_next('inherited');
DROP TABLE owner;
SELECT name, owned_by FROM id_sequences WHERE name = 'inherited';
INSERT INTO child DEFAULT VALUES RETURNING id;
DROP TABLE child, parent;

-- a search_path of very many schemas
CREATE SCHEMA regress_idgen_last;
SELECT format('CREATE SCHEMA regress_idgen_%s', i) FROM generate_series(1, 20) i \gexec
SELECT set_config('search_path', string_agg('regress_idgen_' || i, ', ') || ', regress_idgen_last, public', false) IS NOT NULL
	FROM generate_series(1, 20) i;
CREATE SEQUENCE regress_idgen_last.far_seq INCREMENT BY 10;
SELECT idgen_next('far', 'sequence');
RESET search_path;
SET client_min_messages = warning;
SELECT format('DROP SCHEMA regress_idgen_%s CASCADE', i) FROM generate_series(1, 20) i \gexec
DROP SCHEMA regress_idgen_last CASCADE;

-- several blocks are pending: as long as one lies before the ids, none is drawn
SET client_min_messages = notice;
CREATE TABLE p (id bigint DEFAULT idgen_next('gen'));
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 30);
INSERT INTO p VALUES (100000);
SELECT idgen_sync('p');
SELECT idgen_next('gen');
COMMIT;

DROP TABLE p, t;
DROP DOMAIN number;
DROP EXTENSION idgen;
