--
-- Triggers on id_sequences, and a lost index: a command that drops an owning
-- column
--
CREATE EXTENSION idgen;
CREATE VIEW owned AS SELECT name, owned_by, max_value FROM id_sequences ORDER BY name;

-- a trigger that suppresses the change: the row stays as it is
CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER suppress BEFORE UPDATE OR DELETE ON id_sequences
	FOR EACH ROW WHEN (OLD.name = 'kept') EXECUTE FUNCTION suppress();
CREATE TABLE orders (id integer, other integer);
SELECT idgen_create('kept', owned_by => 'orders.id', max_value => 2147483647),
	idgen_create('taken along', owned_by => 'orders.other', max_value => 2147483647);
DROP TABLE orders;
TABLE owned;
SELECT idgen_next('kept');
DROP TRIGGER suppress ON id_sequences;

-- a trigger that writes the row itself: the command fails, as an UPDATE would
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF pg_trigger_depth() = 1 THEN
		UPDATE public.id_sequences SET block_size = block_size + 1 WHERE name = OLD.name;
	END IF;
	RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER meddle BEFORE UPDATE OR DELETE ON id_sequences FOR EACH ROW EXECUTE FUNCTION meddle();
CREATE TABLE orders (id integer);
SELECT idgen_create('orders', owned_by => 'orders.id', max_value => 2147483647);
DROP TABLE orders;
\echo :SQLSTATE
SELECT name, block_size, max_value FROM id_sequences WHERE name = 'orders';
SELECT idgen_next('orders');
DROP TRIGGER meddle ON id_sequences;
DROP TABLE orders;
TABLE owned;

-- without the index nothing is found, and no command fails for that
CREATE TABLE orders (id integer);
SELECT idgen_create('orders', owned_by => 'orders.id', max_value => 2147483647);
DROP INDEX id_sequences_owned_by_idx;
DROP TABLE orders;
SELECT name, max_value FROM id_sequences ORDER BY name;

-- any other that begins with the column does
CREATE INDEX of_the_owner ON id_sequences (owned_by, name);
CREATE TABLE orders (id integer);
SELECT idgen_create('new orders', owned_by => 'orders.id', max_value => 2147483647);
DROP TABLE orders;
SELECT name FROM id_sequences ORDER BY name;

DROP EXTENSION idgen CASCADE;
DROP FUNCTION suppress(), meddle();
