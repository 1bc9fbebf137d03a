--
-- A column that was added to id_sequences, and is dropped again, makes no
-- difference: that another program allocates is no change that sessions have to
-- look at. Here, that would have them warn again.
--
CREATE EXTENSION idgen;
INSERT INTO id_sequences (name, next_block_start, block_size, max_value, start_value) VALUES ('x', 9101, 1, 100000, 1);
UPDATE id_sequences SET next_block_start = 91001;
ALTER TABLE id_sequences ADD COLUMN remark text DEFAULT 'none';
UPDATE id_sequences SET remark = 'some';
ALTER TABLE id_sequences DROP COLUMN remark;

SET client_min_messages = log;
SELECT idgen_next('x');
SELECT idgen_next('x');
UPDATE id_sequences SET next_block_start = next_block_start + 10;
SELECT idgen_next('x');
UPDATE id_sequences SET next_block_start = next_block_start + 10;
SELECT idgen_next('x');

-- unlike another change
UPDATE id_sequences SET block_size = 2;
SELECT idgen_next('x');
RESET client_min_messages;

DROP EXTENSION idgen;
