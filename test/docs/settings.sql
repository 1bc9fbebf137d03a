-- docs/settings.md

-- claim: idgen.max_sequences is set at server start.
SET idgen.max_sequences = 5;
-- gives: ERROR 55P02

-- claim: idgen.step_over is a matter of the configuration file.
SET idgen.step_over = 5;
-- gives: ERROR 55P02

-- claim: idgen.auto_create is for superusers.
CREATE ROLE su1;
SET ROLE su1;
SET idgen.auto_create = on;
-- gives: ERROR 42501
RESET ROLE;

-- claim: A superuser may let a role set it.
CREATE ROLE claims_tester;
GRANT SET ON PARAMETER idgen.auto_create TO claims_tester;
SET ROLE claims_tester;
SET idgen.auto_create = on;
SELECT idgen_next('drawn_by_tester');
-- gives: 1
RESET ROLE;
RESET idgen.auto_create;

-- claim: With idgen.auto_create, an unknown name makes its own row, starting at 1.
SET idgen.auto_create = on;
SELECT idgen_next('auto1');
-- gives: 1
SELECT start_value FROM id_sequences WHERE name = 'auto1';
-- gives: 1

-- claim: That row has idgen.default_block_size.
SET idgen.default_block_size = 77;
SELECT idgen_next('auto2');
-- gives: 1
SELECT block_size FROM id_sequences WHERE name = 'auto2';
-- gives: 77
RESET idgen.default_block_size;

-- claim: Whoever may draw can then add rows.
ALTER DATABASE claims_settings SET idgen.auto_create = on;
\other SET ROLE su1; SELECT idgen_next('auto_su1');
-- gives: 1
ALTER DATABASE claims_settings RESET idgen.auto_create;

-- claim: idgen.auto_create does nothing for idgen_peek and idgen_last.
SELECT idgen_peek('auto3');
-- gives: ERROR 42704
SELECT idgen_last('auto3');
-- gives: ERROR 42704
RESET idgen.auto_create;

-- claim: idgen.default_block_size does not count for INSERT.
SET idgen.default_block_size = 77;
INSERT INTO id_sequences VALUES ('ins', 1) RETURNING block_size;
-- gives: 20
RESET idgen.default_block_size;

-- claim: idgen.default_refill counts for idgen_create and idgen.auto_create.
SET idgen.default_refill = 'auto';
SELECT idgen_create('dr1');
SET idgen.auto_create = on;
SELECT idgen_next('dr2');
-- gives: 1
RESET idgen.auto_create;
SELECT count(*) FROM id_sequences WHERE name IN ('dr1', 'dr2') AND refill = 'auto';
-- gives: 2

-- claim: It does not count for INSERT.
INSERT INTO id_sequences VALUES ('dr3', 1) RETURNING refill;
-- gives: transaction

-- claim: idgen.default_refill "worker" is "transaction" with a source that no worker refills.
SET idgen.default_refill = 'worker';
CREATE FUNCTION fdr(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'SELECT 1::bigint, 1::bigint';
SELECT idgen_create('dr4', source => 'function', source_name => 'fdr');
SELECT refill FROM id_sequences WHERE name = 'dr4';
-- gives: transaction
RESET idgen.default_refill;

-- claim: idgen.worker_start_timeout can be 0 and -1.
SET idgen.worker_start_timeout = 0;
SET idgen.worker_start_timeout = -1;
RESET idgen.worker_start_timeout;

-- claim: idgen.prefetch_threshold is set in the configuration file.
SET idgen.prefetch_threshold = 5;
-- gives: ERROR 55P02

-- claim: idgen.max_prefetch_blocks is set in the configuration file.
SET idgen.max_prefetch_blocks = 5;
-- gives: ERROR 55P02

-- claim: Anyone can set idgen.worker_timeout.
SET ROLE su1;
SET idgen.worker_timeout = '7s';
SHOW idgen.worker_timeout;
-- gives: 7s
RESET ROLE;
RESET idgen.worker_timeout;

-- claim: idgen.worker_timeout cannot be 0.
SET idgen.worker_timeout = 0;
-- gives: ERROR 22023

-- claim: Anyone can set idgen.server_timeout.
SET idgen.server_timeout = 7;
SHOW idgen.server_timeout;
-- gives: 7ms
RESET idgen.server_timeout;

-- claim: idgen.bridge_seconds is set in the configuration file.
SET idgen.bridge_seconds = 5;
-- gives: ERROR 55P02

-- claim: idgen.node_id is set in the configuration file.
SET idgen.node_id = 5;
-- gives: ERROR 55P02

-- claim: Anyone can set idgen.channel.
SET ROLE su1;
SET idgen.channel = 9;
SHOW idgen.channel;
-- gives: 9
RESET ROLE;
RESET idgen.channel;

-- claim: idgen.worker_idle_timeout is set in the configuration file.
SET idgen.worker_idle_timeout = 5;
-- gives: ERROR 55P02

-- claim: idgen.warn_remaining is for superusers.
SET ROLE su1;
SET idgen.warn_remaining = 5;
-- gives: ERROR 42501
RESET ROLE;

-- claim: Other settings that begin with idgen are refused.
SET idgen.foo = 1;
-- gives: ERROR 42602

-- claim: idgen.worker_timeout can be set for a database.
ALTER DATABASE claims_settings SET idgen.worker_timeout = '3s';
\other SHOW idgen.worker_timeout;
-- gives: 3s

-- claim: A superuser can grant SET on idgen.auto_create.
CREATE ROLE gs;
GRANT SET ON PARAMETER idgen.auto_create TO gs;
SET ROLE gs;
SET idgen.auto_create = on;
SHOW idgen.auto_create;
-- gives: on
RESET idgen.auto_create;
RESET ROLE;

-- claim: idgen.auto_create does nothing for another source than table.
SET idgen.auto_create = on;
SELECT idgen_next('nope2', 'server');
-- gives: ERROR 42704
SELECT source FROM id_sequences WHERE name = 'nope2';
RESET idgen.auto_create;

-- claim: idgen.auto_create does nothing in read-only transactions.
SET idgen.auto_create = on;
BEGIN READ ONLY;
SELECT idgen_next('nope3');
-- gives: ERROR 42704
ROLLBACK;
RESET idgen.auto_create;

-- claim: What the settings may be.
SELECT name, min_val, max_val FROM pg_settings WHERE name LIKE 'idgen.%' AND vartype = 'integer' ORDER BY name;
-- gives: idgen.bridge_seconds|0|86400
-- gives: idgen.channel|0|9
-- gives: idgen.default_block_size|1|2147483647
-- gives: idgen.max_prefetch_blocks|1|1000000
-- gives: idgen.max_sequences|1|1000000
-- gives: idgen.max_watermarks|1|1000000
-- gives: idgen.min_node_id|1|1023
-- gives: idgen.node_lease|1|2592000
-- gives: idgen.prefetch_threshold|0|100
-- gives: idgen.server_timeout|1|2147483647
-- gives: idgen.step_over|0|2147483647
-- gives: idgen.warn_days|0|36500
-- gives: idgen.warn_remaining|0|100
-- gives: idgen.warn_watermark|0|2147483647
-- gives: idgen.worker_idle_timeout|0|2147483647
-- gives: idgen.worker_start_timeout|-1|2147483647
-- gives: idgen.worker_timeout|1|2147483647
