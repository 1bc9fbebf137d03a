--
-- What is said of a name that has no row, but that a draw would make one for
--
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
SELECT idgen_create('t/*'), idgen_create('s/*', layout => 'scrambled'), idgen_create('p', period => 'year'), idgen_create('b/*', period => 'month');

SELECT idgen_last('t/x');
\echo :SQLSTATE
SELECT idgen_unscramble('s/x', 5);
\echo :SQLSTATE
SELECT idgen_last('b/x/2001-02');
SELECT idgen_last('b/x/2001');

-- of names that no draw makes: how to create them
SELECT idgen_last('x');
SELECT idgen_last('p/2001-02');
SELECT idgen_restart('b/', 5);
SELECT idgen_last('t/' || repeat('x', 254));

-- nor of what row security hides: the template, the row with periods, the child
CREATE ROLE regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON id_sequences USING (name IN ('t/*', 't/x', 's/x', 'b/*', 'b/x/2001-02'));
SET ROLE regress_idgen_user;
SELECT idgen_last('t/x');
SELECT idgen_last('s/x');
SELECT idgen_last('b/x');
SELECT idgen_last('b/x/2001-02');
SELECT idgen_last('t/y');
RESET ROLE;
ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY;

-- none of them has made a row
SELECT count(*) FROM id_sequences WHERE template IS NOT NULL;

DROP EXTENSION idgen;
DROP ROLE regress_idgen_user;
