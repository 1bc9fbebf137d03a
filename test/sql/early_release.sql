--
-- early_release: which rows may have it, and how it gets there
--
CREATE EXTENSION idgen;
SELECT idgen_create('bill', block_size => 1, early_release => true);
SELECT idgen_create('auto', block_size => 1, refill => 'auto', early_release => true);
SELECT idgen_create('plain', block_size => 1);

-- what is cached must be on disk before
\set SHOW_CONTEXT never
SELECT idgen_create('cached', early_release => true);
SELECT idgen_create('worker', block_size => 1, refill => 'worker', early_release => true);
CREATE SEQUENCE native_seq;
SELECT idgen_create('native', block_size => 1, source => 'sequence', early_release => true);
SELECT idgen_create('null', block_size => 1, early_release => NULL);
UPDATE id_sequences SET early_release = true WHERE name = 'plain';
UPDATE id_sequences SET block_size = 20 WHERE name = 'plain';
UPDATE id_sequences SET early_release = false, block_size = 20 WHERE name = 'plain';

-- children, of templates and of periods
SELECT idgen_create('invoice/*', block_size => 1, early_release => true, period => 'year', time_zone => 'UTC');
SELECT idgen_next_text('invoice/a', at => DATE '2026-07-01');
SELECT idgen_create('invoice/b');
SELECT name, early_release FROM id_sequences WHERE template IS NOT NULL ORDER BY name;
UPDATE id_sequences SET early_release = false WHERE name = 'invoice/*';
SELECT idgen_apply_template('invoice/*');
SELECT name, early_release FROM id_sequences WHERE template IS NOT NULL ORDER BY name;

-- numbers are gapless, whatever a transaction does
CREATE TABLE issued (id bigint PRIMARY KEY DEFAULT idgen_next('bill'));
BEGIN;
INSERT INTO issued DEFAULT VALUES;
SAVEPOINT a;
INSERT INTO issued SELECT FROM generate_series(1, 100);
ROLLBACK TO a;
INSERT INTO issued SELECT FROM generate_series(1, 20);
COMMIT;
BEGIN;
INSERT INTO issued DEFAULT VALUES;
ROLLBACK;
CREATE PROCEDURE issue() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		INSERT INTO issued DEFAULT VALUES;
		COMMIT;
	END LOOP;
END$$;
CALL issue();
SELECT count(*), max(id) FROM issued;

-- the setting is what the user has set, whatever a transaction does with it
SET synchronous_commit = local;
BEGIN;
SET LOCAL synchronous_commit = remote_write;
INSERT INTO issued DEFAULT VALUES;
SHOW synchronous_commit;
COMMIT;
SHOW synchronous_commit;
SELECT idgen_wait_durable();
DROP TABLE issued;
DROP PROCEDURE issue();
DROP SEQUENCE native_seq;
DROP EXTENSION idgen;
