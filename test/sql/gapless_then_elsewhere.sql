--
-- A transaction that has drawn gapless ids finds that the name leads elsewhere,
-- because it has changed the source of the row, or does not see the row any
-- more
--
-- needs test/idgen.conf: a session with slots of its own has one for each name
--
CREATE EXTENSION idgen;
CREATE SEQUENCE gen_seq START 1000 INCREMENT 5;
SELECT idgen_create('gen', block_size => 1);
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);
SAVEPOINT a;
UPDATE id_sequences SET source = 'sequence';
SELECT idgen_next('gen');
ROLLBACK TO a;
COMMIT;
SELECT idgen_next('gen');

CREATE ROLE regress_idgen_user;
GRANT USAGE ON SEQUENCE gen_seq TO regress_idgen_user;
ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON id_sequences USING (current_setting('idgen_test.tenant', true) = 'one');
SET ROLE regress_idgen_user;
SET idgen_test.tenant = 'one';
BEGIN;
SELECT count(idgen_next('gen')) FROM generate_series(1, 100);
SAVEPOINT a;
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen');
\echo :SQLSTATE
ROLLBACK TO a;
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen', 'sequence');
ROLLBACK TO a;
SELECT idgen_next('gen');
SET LOCAL idgen_test.tenant = 'two';
SELECT idgen_next('gen', 'sequence');
COMMIT;
SELECT idgen_next('gen');
RESET ROLE;
SELECT idgen_next('gen');

DROP EXTENSION idgen;
DROP SEQUENCE gen_seq;
DROP ROLE regress_idgen_user;
