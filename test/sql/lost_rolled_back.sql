--
-- What a source has allocated that is not undone with the transaction is a gap
-- if that has changed the row, and rolls back. It is counted.
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;
CREATE SEQUENCE of_parts INCREMENT BY 20;
INSERT INTO id_sequences (name, next_block_start, source, source_name) VALUES ('parts', 1, 'sequence', 'public.of_parts');
CREATE VIEW account AS
	SELECT ids_issued, ids_cached, ids_lost, (SELECT last_value FROM of_parts) AS last_value FROM idgen_stats WHERE name = 'parts';

SELECT idgen_next('parts');
BEGIN;
UPDATE id_sequences SET format = '{id}' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

-- the pooling
BEGIN;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

-- to a savepoint
BEGIN;
SAVEPOINT s;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
ROLLBACK TO s;
COMMIT;
TABLE account;
BEGIN;
UPDATE id_sequences SET pooling = 'pooled' WHERE name = 'parts';
SELECT idgen_next('parts');
SAVEPOINT s;
SELECT idgen_next_range('parts', 25);
ROLLBACK TO s;
SELECT idgen_next('parts');
ROLLBACK;
TABLE account;

DROP VIEW account;
DROP EXTENSION idgen;
DROP SEQUENCE of_parts;
