# shellcheck shell=bash
#
# views.sh - what a look at everything costs
#
# lib.sh says how it is measured.

# make_tables COUNT: in the current database, a quarter each serial, identity,
# bigserial with a primary key, and drawing from an id sequence
make_tables()
{
	sql <<-SQL
		CREATE EXTENSION idgen;
		CREATE PROCEDURE make_table(n integer) LANGUAGE plpgsql AS \$\$
		DECLARE
			ids text[] = ARRAY['serial', 'bigint GENERATED ALWAYS AS IDENTITY', 'bigserial PRIMARY KEY',
				format('bigint DEFAULT idgen_next(%L)', 't' || n)];
		BEGIN
			PERFORM idgen_create('t' || n);
			EXECUTE format('CREATE TABLE t%s (id %s, a integer, b text, c timestamptz DEFAULT now())', n, ids[n % 4 + 1]);
		END \$\$;
		DO \$\$
		BEGIN
			FOR n IN 1 .. $1 LOOP
				CALL make_table(n);
				IF n % 100 = 0 THEN
					COMMIT;
				END IF;
			END LOOP;
		END \$\$;
		VACUUM ANALYZE;
	SQL
}

# A look in a new session, which has to read all of it from the catalogs. The
# server's own view takes a lock on each sequence, and knows no columns.
compare_columns()
{
	createdb columns
	PGDATABASE=columns make_tables "$tables"
	section columns ms 0 'A look at all columns that draw, in a new session: milliseconds'
	PGDATABASE=columns contest "$tables tables" whole 1000 -- \
		idgen_columns "SELECT count(*), max(percent_used), count(*) FILTER (WHERE adoptable) FROM idgen_columns" \
		pg_sequences "SELECT count(*), max(last_value) FROM pg_sequences"
	[ "$tables" -lt 10000 ] || must "$tables tables" idgen_columns most 2000
	dropdb columns
}
