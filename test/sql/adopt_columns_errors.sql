--
-- Columns that cannot be moved keep those from it that the call names besides
--
CREATE EXTENSION idgen;
CREATE TABLE a (id bigserial, t text, k int);
CREATE TABLE b (id bigserial);
CREATE TABLE c (id smallint, d bigint DEFAULT 5);

-- arguments
SELECT idgen_adopt_columns(NULL, '{id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a}', NULL);
SELECT idgen_adopt_columns('{a}', '{id}', refill => NULL);
SELECT idgen_adopt_columns('{a}', '{id}', refill => 'never');
SELECT idgen_adopt_columns('{a,NULL}', '{id,id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a,b}', '{id,NULL}');
SELECT idgen_adopt_columns('{a,b}', '{id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a,b}', '{id,id}', '{x}');
SELECT idgen_adopt_columns('{{a,b},{b,c}}', '{{id,id},{id,id}}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a}', '{id}', '{""}');
SELECT idgen_adopt_columns('{a,b,a}', '{id,id,id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a,b}', '{id,id}', '{x,x}');
\echo :SQLSTATE
SELECT idgen_release_columns(NULL, '{id}');
SELECT idgen_release_columns('{a}', NULL);
SELECT idgen_release_columns('{a}', '{id}', NULL);
SELECT idgen_release_columns('{a}', '{id}', 'other');
SELECT idgen_release_columns('{a,NULL}', '{id,id}');
SELECT idgen_release_columns('{a,b}', '{id}');
SELECT idgen_release_columns('{a,a}', '{id,id}');
\echo :SQLSTATE

-- columns, each time the last one
SELECT idgen_adopt_columns('{a,b}', '{id,none}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{b,a}', '{id,t}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{b,4294967295}', '{id,id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a,id_sequences}', '{id,next_block_start}');
INSERT INTO c VALUES (32767);
SELECT idgen_adopt_columns('{a,c}', '{id,id}');
\echo :SQLSTATE
SELECT idgen_adopt('c', 'd') IS NOT NULL;
SELECT idgen_adopt_columns('{b,c}', '{id,d}');
\echo :SQLSTATE
INSERT INTO id_sequences (name, next_block_start) VALUES ('public.b.id', 1);
SELECT idgen_adopt_columns('{a,b}', '{id,id}');
\echo :SQLSTATE
DELETE FROM id_sequences WHERE name = 'public.b.id';
SELECT idgen_release_columns('{c,a}', '{d,id}');
\echo :SQLSTATE
SELECT idgen_adopt_columns('{a,b,a}', '{id,id,k}', refill => 'transaction') IS NOT NULL;
INSERT INTO a (k) VALUES (NULL);
SELECT idgen_release_columns('{b,a}', '{id,k}');
\echo :SQLSTATE
ALTER TABLE c ALTER d SET DEFAULT idgen_next('public.b.id');
SELECT idgen_release_columns('{a,b}', '{id,id}');
\echo :SQLSTATE
SELECT name FROM id_sequences ORDER BY name;

-- not in read-only transactions
BEGIN READ ONLY;
SELECT idgen_adopt_columns('{a}', '{id}');
ROLLBACK;
BEGIN READ ONLY;
SELECT idgen_release_columns('{a}', '{id}');
ROLLBACK;

ALTER TABLE c ALTER d DROP DEFAULT;
SELECT idgen_release_columns('{a,b}', '{id,id}');
DROP TABLE a, b, c;
DROP EXTENSION idgen;
