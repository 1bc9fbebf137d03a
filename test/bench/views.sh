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

# A thousand id sequences, each with a table of its own, in a session that has
# looked before, as that of a monitoring system: it knows the defaults.
compare_health()
{
	createdb health
	PGDATABASE=health sql >/dev/null <<-'SQL'
		CREATE EXTENSION idgen;
		SELECT idgen_create('h' || n) FROM generate_series(1, 1000) AS n;
		DO $$
		BEGIN
			FOR n IN 1 .. 1000 LOOP
				EXECUTE format('CREATE TABLE h%1$s (id integer PRIMARY KEY DEFAULT idgen_next(%2$L))', n, 'h' || n);
				EXECUTE format('INSERT INTO h%s DEFAULT VALUES', n);
			END LOOP;
		END $$;
		VACUUM ANALYZE;
	SQL
	section health ms 2 'A look at 1,000 id sequences, each with a column, in a session that has looked before: milliseconds'
	PGDATABASE=health contest '1,000 id sequences' looks 20 -- \
		idgen_health 'SELECT count(*), count(problem) FROM idgen_health' \
		idgen_stats 'SELECT count(*), count(percent_left) FROM idgen_stats'
	must '1,000 id sequences' idgen_health most 10
	dropdb health
}

# looks TIMES STATEMENT: milliseconds of the statement, in one session, without
# those of the first time
looks()
{
	local i

	sample "$(for ((i = 0; i <= $1; i++)); do say "$2;"; done | timed |
		awk 'NR > 1 { sum += $1 } END { print sum / (NR - 1) }')"
}
