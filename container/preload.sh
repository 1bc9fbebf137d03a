#!/bin/sh
#
# Has a new cluster preload idgen, and what it preloads anyway. The entry point
# of the image runs this while a server for itself alone is up, and then starts
# the server that everybody uses.
#
# What the files of the configuration say counts, since scripts that ran before
# this one may have changed them. A list on the command line counts more than
# all files; it has to name idgen itself.

set -eu

psql -X -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'END'
SELECT 'ALTER SYSTEM SET shared_preload_libraries = ' || string_agg(quote_literal(library), ', ')
	FROM (SELECT regexp_replace(part, '^[\s"]+|[\s"]+$', '', 'g') AS library
		FROM string_to_table((SELECT setting FROM pg_file_settings
			WHERE lower(name) = 'shared_preload_libraries' ORDER BY seqno DESC LIMIT 1), ',') AS part
		UNION ALL SELECT 'idgen') AS list
	WHERE library <> ''
	HAVING count(*) FILTER (WHERE library = 'idgen') = 1 \gexec

SELECT source = 'command line' AND setting !~ '\midgen\M' AS passed_by FROM pg_settings
	WHERE name = 'shared_preload_libraries' \gset
\if :passed_by
	\warn 'idgen is not preloaded: the shared_preload_libraries of the command line have no idgen'
\endif
END
