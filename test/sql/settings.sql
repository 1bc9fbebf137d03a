--
-- Settings: defaults, bounds, and who may change them
--
CREATE EXTENSION idgen;
LOAD 'idgen';
-- those of the cache are there only if the server preloads the library
SELECT name, unit, context, vartype, min_val, max_val, boot_val
	FROM pg_settings WHERE name LIKE 'idgen.%' AND name NOT LIKE ALL ('{idgen.max%sequences,idgen.max%marks,idgen.node_database}'::text[]) ORDER BY name;
SELECT name, short_desc FROM pg_settings
	WHERE name LIKE 'idgen.%' AND (short_desc NOT LIKE '%.' OR extra_desc NOT LIKE '%.');

SET idgen.default_block_size = 0;
\echo :SQLSTATE
SET idgen.default_block_size = 2147483648;
\echo :SQLSTATE
SET idgen.warn_remaining = 101;
\echo :SQLSTATE
SET idgen.warn_remaining = -1;
\echo :SQLSTATE
SET idgen.auto_create = maybe;
\echo :SQLSTATE
-- a time zone that there is, and that counts no leap seconds
SET idgen.period_time_zone = 'Europe/Atlantis';
\echo :SQLSTATE
SET idgen.period_time_zone = '';
\echo :SQLSTATE
SET idgen.period_time_zone = 'right/UTC';
\echo :SQLSTATE
SET idgen.period_time_zone = 'Asia/Tokyo';
RESET idgen.period_time_zone;
-- the prefix is reserved
SET idgen.no_such_setting = 1;
\echo :SQLSTATE

CREATE ROLE regress_idgen_user;
SET ROLE regress_idgen_user;
SET idgen.default_block_size = 5;
SET idgen.auto_create = on;
\echo :SQLSTATE
SET idgen.warn_remaining = 0;
\echo :SQLSTATE
SET idgen.period_time_zone = 'Asia/Tokyo';
\echo :SQLSTATE
RESET ROLE;
GRANT SET ON PARAMETER idgen.auto_create TO regress_idgen_user;
SET ROLE regress_idgen_user;
SET idgen.auto_create = on;
SELECT idgen_next('allowed');
RESET ROLE;
SELECT name, block_size FROM id_sequences;

RESET ALL;
REVOKE SET ON PARAMETER idgen.auto_create FROM regress_idgen_user;
DROP ROLE regress_idgen_user;
DROP EXTENSION idgen;
