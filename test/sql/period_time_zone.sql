--
-- When a period begins: in the time zone of the row, or of the setting
--
-- needs test/idgen.conf
--
CREATE EXTENSION idgen;

-- Between these two zones it is another day at any time.
SELECT (now() AT TIME ZONE 'Etc/GMT+12')::date < (now() AT TIME ZONE 'Etc/GMT-14')::date AS another_day;

CREATE FUNCTION day_in(zone text) RETURNS text LANGUAGE sql STABLE
	RETURN to_char(now() AT TIME ZONE zone, 'YYYY-MM-DD');
CREATE FUNCTION drawn_in(name text, zone text) RETURNS bigint LANGUAGE sql
	RETURN (SELECT next_block_start - 1 FROM id_sequences WHERE name = $1 || '/' || day_in(zone));

SELECT idgen_create('west', period => 'day', time_zone => 'Etc/GMT+12', block_size => 1),
	idgen_create('east', period => 'day', time_zone => 'Etc/GMT-14', block_size => 1),
	idgen_create('here', period => 'day', block_size => 1), idgen_create('there', period => 'day', block_size => 1),
	idgen_create('cached', period => 'day');

-- the zone of the session has no say
BEGIN;
SET LOCAL TimeZone = 'Etc/GMT-14';
SELECT idgen_next('west'), idgen_next('here');
SET LOCAL TimeZone = 'Etc/GMT+12';
SELECT idgen_next('west'), idgen_next('east'), idgen_next('here');
SELECT drawn_in('west', 'Etc/GMT+12'), drawn_in('east', 'Etc/GMT-14'), drawn_in('here', 'UTC');
COMMIT;
SELECT count(*) FROM id_sequences WHERE template IS NOT NULL;

-- the setting has, where the row names none: at once, in a plan of before, too
SET idgen.period_time_zone = 'Etc/GMT+12';
BEGIN;
PREPARE draw AS SELECT idgen_next('west') AS west, idgen_next('there') AS there, idgen_next('cached') AS cached;
EXECUTE draw;
EXECUTE draw;
SET LOCAL idgen.period_time_zone = 'Etc/GMT-14';
EXECUTE draw;
EXECUTE draw;
EXECUTE draw;
SET LOCAL idgen.period_time_zone = 'Etc/GMT+12';
EXECUTE draw;
SELECT drawn_in('west', 'Etc/GMT+12') AS west, drawn_in('there', 'Etc/GMT-14') AS there_east, drawn_in('there', 'Etc/GMT+12') AS there_west;
ROLLBACK;
SHOW idgen.period_time_zone;

-- also where ids are cached
EXECUTE draw;
EXECUTE draw;
SET idgen.period_time_zone = 'Etc/GMT-14';
EXECUTE draw;
SET idgen.period_time_zone = 'Etc/GMT+12';
EXECUTE draw;
RESET idgen.period_time_zone;

-- and so has the row, as soon as it is changed
BEGIN;
SELECT idgen_next('east');
UPDATE id_sequences SET time_zone = 'Etc/GMT+12' WHERE name = 'east';
SELECT idgen_next('east'), idgen_next('east');
SELECT drawn_in('east', 'Etc/GMT+12');
ROLLBACK;
SELECT idgen_next('east');

-- as long as a transaction lasts, it is the day on which it began
BEGIN;
SELECT idgen_next('here') AS here \gset
SELECT pg_sleep(0.01);
SELECT idgen_next('here') - :here AS next, now() < clock_timestamp() AS later;
SELECT drawn_in('here', 'UTC') - :here AS also_next;
COMMIT;

DROP FUNCTION drawn_in;
DROP FUNCTION day_in;
DROP EXTENSION idgen;
