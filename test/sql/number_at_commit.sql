--
-- idgen_number_at_commit: numbers drawn when a transaction commits
--
CREATE EXTENSION idgen;
\set SHOW_CONTEXT never
SELECT idgen_create('bill/*', block_size => 1);
CREATE TABLE bills (id integer PRIMARY KEY, tenant text, status text, number bigint UNIQUE, note text);
CREATE CONSTRAINT TRIGGER number AFTER INSERT OR UPDATE ON bills DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.status = 'issued') EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/{tenant}');

-- in the order of the rows; the last version of each counts; no draft has one
BEGIN;
INSERT INTO bills VALUES (1, 'a', 'issued'), (2, 'a', 'issued'), (3, 'a', 'draft'), (4, 'a', 'issued'), (5, 'a', 'issued');
UPDATE bills SET note = 'changed' WHERE id = 1;
DELETE FROM bills WHERE id = 2;
SELECT count(*), count(number) FROM bills;
COMMIT;
TABLE bills ORDER BY id;
UPDATE bills SET status = 'issued' WHERE id = 3 RETURNING number;
SELECT number FROM bills WHERE id = 3;

-- a number that is there stays
UPDATE bills SET note = 'again' WHERE id = 3;
INSERT INTO bills VALUES (6, 'a', 'issued', 100);
SELECT id, number FROM bills WHERE id IN (3, 6) ORDER BY id;

-- at once, if asked for
BEGIN;
INSERT INTO bills VALUES (7, 'a', 'issued');
SET CONSTRAINTS ALL IMMEDIATE;
SELECT number FROM bills WHERE id = 7;
ROLLBACK;

-- a savepoint, a rollback, COPY, and a procedure leave no gap
BEGIN;
SAVEPOINT a;
INSERT INTO bills VALUES (8, 'a', 'issued');
ROLLBACK TO a;
INSERT INTO bills VALUES (9, 'a', 'issued');
COMMIT;
COPY bills (id, tenant, status) FROM stdin;
10	a	issued
11	a	draft
12	a	issued
\.
DO $$
BEGIN
	INSERT INTO bills VALUES (13, 'a', 'issued');
	COMMIT;
	INSERT INTO bills VALUES (14, 'a', 'issued');
END$$;
SELECT id, number FROM bills WHERE id > 7 ORDER BY id;

-- partitions, and a table with a column of the name's type
CREATE SCHEMA "My Schema";
CREATE TABLE "My Schema"."Bills" ("Id" integer, "Year" integer, "Number" integer) PARTITION BY LIST ("Year");
CREATE TABLE "My Schema"."Bills 26" PARTITION OF "My Schema"."Bills" FOR VALUES IN (26);
CREATE TABLE "My Schema"."Bills 27" PARTITION OF "My Schema"."Bills" FOR VALUES IN (27);
CREATE CONSTRAINT TRIGGER number AFTER INSERT ON "My Schema"."Bills" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('Number', 'bill/{Year}-{Year}');
INSERT INTO "My Schema"."Bills" VALUES (1, 26), (2, 27), (3, 26);
SELECT * FROM "My Schema"."Bills" ORDER BY "Id";
SELECT name FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
DROP SCHEMA "My Schema" CASCADE;

-- text ids, and the date that decides their period
SELECT idgen_create('inv', block_size => 1, period => 'year', format => 'INV-{YYYY}-{id:3}');
CREATE TABLE invoices (id integer PRIMARY KEY, issued_on date, number char(12));
CREATE CONSTRAINT TRIGGER number AFTER INSERT OR UPDATE ON invoices DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'inv', 'issued_on');
INSERT INTO invoices VALUES (1, '2026-12-31'), (2, '2027-01-01'), (3, '2026-05-05');
TABLE invoices ORDER BY id;
INSERT INTO invoices VALUES (4);
CREATE DOMAIN short AS varchar(5);
CREATE TABLE too_short (number short);
CREATE CONSTRAINT TRIGGER number AFTER INSERT ON too_short DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'inv');
INSERT INTO too_short DEFAULT VALUES;
DROP TABLE too_short;
DROP DOMAIN short;

-- errors lose nothing
INSERT INTO bills VALUES (20, NULL, 'issued');
CREATE TABLE wrong (id integer, number bigint, at date);
CREATE CONSTRAINT TRIGGER w1 AFTER INSERT ON wrong DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('nothing', 'bill/a');
INSERT INTO wrong VALUES (1);
DROP TRIGGER w1 ON wrong;
CREATE CONSTRAINT TRIGGER w2 AFTER INSERT ON wrong DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/{tenant}');
INSERT INTO wrong VALUES (1);
DROP TRIGGER w2 ON wrong;
CREATE CONSTRAINT TRIGGER w3 AFTER INSERT ON wrong DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/a', 'at');
INSERT INTO wrong VALUES (1);
DROP TRIGGER w3 ON wrong;
CREATE CONSTRAINT TRIGGER w4 AFTER INSERT ON wrong DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number');
INSERT INTO wrong VALUES (1);
DROP TRIGGER w4 ON wrong;
CREATE TRIGGER w5 BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/a');
INSERT INTO wrong VALUES (1);
DROP TRIGGER w5 ON wrong;

-- any role can number a table of its own
CREATE ROLE regress_idgen_issuer;
CREATE SCHEMA own AUTHORIZATION regress_idgen_issuer;
SET ROLE regress_idgen_issuer;
CREATE TABLE own.bills (t text DEFAULT 'own', number bigint);
CREATE CONSTRAINT TRIGGER number AFTER INSERT ON own.bills DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/{t}');
INSERT INTO own.bills DEFAULT VALUES;
TABLE own.bills;
RESET ROLE;
DROP SCHEMA own CASCADE;

-- triggers of the table find what the session finds
CREATE SCHEMA apart;
SET search_path = apart, public;
CREATE TABLE log (number bigint);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (NEW.number); RETURN NULL; END';
CREATE TRIGGER note AFTER UPDATE ON bills FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO bills VALUES (30, 'a', 'issued');
TABLE log;
DROP TRIGGER note ON bills;
DROP FUNCTION note();
DROP TABLE log;
RESET search_path;
DROP SCHEMA apart;

-- nothing of the session's search_path takes the place of the server's own
CREATE SCHEMA evil;
CREATE FUNCTION evil.to_jsonb(anyelement) RETURNS jsonb LANGUAGE plpgsql AS 'BEGIN RAISE ''evil''; END';
CREATE FUNCTION evil.evil(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''evil''; END';
CREATE OPERATOR evil.= (FUNCTION = evil.evil, LEFTARG = anyelement, RIGHTARG = anyelement);
CREATE OPERATOR evil.<> (FUNCTION = evil.evil, LEFTARG = anyelement, RIGHTARG = anyelement);
CREATE OPERATOR evil.< (FUNCTION = evil.evil, LEFTARG = anyelement, RIGHTARG = anyelement);
CREATE OPERATOR evil.> (FUNCTION = evil.evil, LEFTARG = anyelement, RIGHTARG = anyelement);
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (value = 'evil');
CREATE DOMAIN evil.bool AS pg_catalog.bool CHECK (NOT value);
CREATE DOMAIN evil.tid AS pg_catalog.tid CHECK (false);
CREATE DOMAIN evil.oid AS pg_catalog.oid CHECK (false);
SET search_path = evil, pg_catalog;
INSERT INTO public.bills VALUES (31, 'a', 'issued');
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA evil CASCADE;
RESET client_min_messages;

-- a temporary table and its type, not what has their names and is found first
CREATE DOMAIN pg_temp.small AS integer CHECK (value > 0);
CREATE DOMAIN small AS integer CHECK (value < 0);
CREATE TABLE temporary (number integer);
CREATE TEMPORARY TABLE temporary (number pg_temp.small);
CREATE CONSTRAINT TRIGGER number AFTER INSERT ON pg_temp.temporary DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION idgen_number_at_commit('number', 'bill/a');
INSERT INTO public.temporary VALUES (NULL);
SET search_path = public, pg_temp;
BEGIN;
INSERT INTO pg_temp.temporary VALUES (NULL);
SET CONSTRAINTS ALL IMMEDIATE;
SELECT count(p.number) AS permanent, count(t.number) AS temporary FROM public.temporary AS p, pg_temp.temporary AS t;
ROLLBACK;
RESET search_path;
DROP TABLE public.temporary, pg_temp.temporary;
DROP DOMAIN public.small, pg_temp.small;

-- with the rights of whoever commits; what is not stored is drawn anew
GRANT INSERT, SELECT ON bills TO regress_idgen_issuer;
SET ROLE regress_idgen_issuer;
INSERT INTO bills VALUES (21, 'a', 'issued');
RESET ROLE;
GRANT UPDATE (number) ON bills TO regress_idgen_issuer;
SET ROLE regress_idgen_issuer;
INSERT INTO bills VALUES (21, 'a', 'issued');
RESET ROLE;
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER keep BEFORE UPDATE ON bills FOR EACH ROW EXECUTE FUNCTION keep();
INSERT INTO bills VALUES (22, 'a', 'issued');
DROP TRIGGER keep ON bills;
INSERT INTO bills VALUES (22, 'a', 'issued');
SELECT id, number FROM bills WHERE id > 20 ORDER BY id;
REVOKE ALL ON bills FROM regress_idgen_issuer;
DROP ROLE regress_idgen_issuer;
DROP TABLE bills, invoices, wrong;
DROP FUNCTION keep();
DROP EXTENSION idgen;
