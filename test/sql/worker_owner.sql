--
-- The worker acts as the owner of id_sequences, who need not be able to log in
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE ROLE regress_idgen_owner NOLOGIN;
CREATE ROLE regress_idgen_user;
CREATE ROLE regress_idgen_other NOLOGIN;
ALTER TABLE id_sequences OWNER TO regress_idgen_owner;

-- users' code that runs when a row is written: the expression of an index
CREATE TABLE run_by (who text);
GRANT ALL ON run_by TO PUBLIC;
CREATE FUNCTION write(what text) RETURNS void LANGUAGE sql
	AS 'INSERT INTO public.run_by VALUES (what)';
CREATE FUNCTION note(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM public.write(current_user);
	RETURN $1;
END $$;
CREATE INDEX ON id_sequences (note(next_block_start));
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('gen', 1, 1, 'worker');
DELETE FROM run_by;
SET ROLE regress_idgen_user;
SELECT max(idgen_next('gen')) FROM generate_series(1, 50);
RESET ROLE;
SELECT DISTINCT who FROM run_by;

-- as soon as there is another one, as that one
ALTER TABLE id_sequences OWNER TO regress_idgen_other;
INSERT INTO id_sequences (name, next_block_start, block_size, refill) VALUES ('other', 1, 1, 'worker');
DELETE FROM run_by;
SELECT max(idgen_next('other')) FROM generate_series(1, 50);
SELECT DISTINCT who FROM run_by;

-- it cannot make itself somebody else, or leave something behind, in there
CREATE FUNCTION misbehave() RETURNS void LANGUAGE plpgsql AS 'BEGIN RESET ROLE; END';
CREATE OR REPLACE FUNCTION note(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM public.misbehave();
	RETURN $1;
END $$;
SET ROLE regress_idgen_user;
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
\echo :SQLSTATE
RESET ROLE;
CREATE OR REPLACE FUNCTION misbehave() RETURNS void LANGUAGE plpgsql AS 'BEGIN SET SESSION AUTHORIZATION DEFAULT; END';
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
\echo :SQLSTATE
CREATE OR REPLACE FUNCTION misbehave() RETURNS void LANGUAGE plpgsql AS 'BEGIN CREATE TEMPORARY TABLE t (); END';
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
\echo :SQLSTATE
CREATE OR REPLACE FUNCTION misbehave() RETURNS void LANGUAGE plpgsql AS 'BEGIN COMMIT; END';
SELECT count(idgen_next('gen')) FROM generate_series(1, 1000);
\echo :SQLSTATE

-- and with good conduct it goes on
CREATE OR REPLACE FUNCTION misbehave() RETURNS void LANGUAGE sql AS '';
SELECT count(DISTINCT idgen_next('gen')) FROM generate_series(1, 1000);

-- nor does a setting that it makes stay
CREATE OR REPLACE FUNCTION misbehave() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM public.write(coalesce(nullif(current_setting('regress_idgen.seen', true), ''), 'nothing'));
	PERFORM set_config('regress_idgen.seen', 'something', false);
END $$;
DELETE FROM run_by;
SELECT count(DISTINCT idgen_next('gen')) FROM generate_series(1, 1000);
SELECT DISTINCT who FROM run_by;

DROP EXTENSION idgen;
DROP FUNCTION note, misbehave, write;
DROP TABLE run_by;
DROP ROLE regress_idgen_owner, regress_idgen_user, regress_idgen_other;
