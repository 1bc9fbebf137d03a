/*
 * setup.c
 *		The databases that the test runs in, and what is in them.
 */
#include "setup.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const objects_sql =
	"CREATE SCHEMA IF NOT EXISTS " UNPRIVILEGED_USER " AUTHORIZATION " UNPRIVILEGED_USER ";"
	"CREATE TABLE counters (name text PRIMARY KEY, next_value bigint, block_size bigint);"
	"GRANT SELECT, UPDATE ON counters TO PUBLIC;"
	"CREATE TABLE taken (id bigint PRIMARY KEY);"
	"INSERT INTO taken VALUES (1);"
	"GRANT SELECT, INSERT ON taken TO PUBLIC;"
	"CREATE TABLE gapless_rows (name text, id bigint);"
	"GRANT SELECT, INSERT ON gapless_rows TO PUBLIC;"
	"CREATE TABLE ends (client int, transaction int, committed boolean, PRIMARY KEY (client, transaction));"
	"GRANT SELECT, INSERT ON ends TO PUBLIC;"
	"CREATE TABLE child_rows (child text NOT NULL, id bigint, label text, UNIQUE (child, id), UNIQUE (child, label));"
	"GRANT SELECT, INSERT ON child_rows TO PUBLIC;"
	"CREATE FUNCTION stress_allocate(name text, blocks integer)"
	" RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS $$"
	"	UPDATE counters SET next_value = next_value + block_size * $2 WHERE name = $1"
	"	RETURNING next_value - block_size * $2, next_value - 1 $$;"
	"CREATE FUNCTION stress_block(name text, source text, n integer, keeps_rows boolean, fails boolean,"
	"	collides boolean)"
	" RETURNS SETOF bigint LANGUAGE plpgsql AS $$"
	"	BEGIN"
	"		IF keeps_rows THEN"
	"			RETURN QUERY INSERT INTO gapless_rows (name, id)"
	"				SELECT stress_block.name, idgen_next(stress_block.name) FROM generate_series(1, n)"
	"				RETURNING id;"
	"		ELSIF source IS NOT NULL THEN"
	"			RETURN QUERY SELECT idgen_next(stress_block.name, source) FROM generate_series(1, n);"
	"		ELSE"
	"			RETURN QUERY SELECT idgen_next(stress_block.name) FROM generate_series(1, n);"
	"		END IF;"
	"		IF collides THEN"
	"			INSERT INTO taken VALUES (1);"
	"		ELSIF fails THEN"
	"			RAISE EXCEPTION USING ERRCODE = 'ZZ001';"
	"		END IF;"
	"	EXCEPTION WHEN SQLSTATE 'ZZ001' OR unique_violation THEN"
	"		NULL;"
	"	END $$";

/* Everything that is not in one of the databases. */
void
setup_cluster(Link *link)
{
	link_insist(link, "CREATE ROLE " UNPRIVILEGED_USER " LOGIN", NULL);
	link_insist(link, "CREATE DATABASE " CENTRE, NULL);
}

/*
 * The tables on the central server. Each database has a schema of its own
 * there. Now and then the centre fails to commit, when it has given its answer
 * already.
 */
void
setup_centre(Link *centre)
{
	link_insist(centre,
	            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$"
	            "	BEGIN"
	            "		IF random() < 0.1 AND current_setting('application_name') <> 'stress centre' THEN"
	            "			RAISE serialization_failure;"
	            "		END IF;"
	            "		RETURN NULL;"
	            "	END $$",
	            NULL);
	for (Database database = 0; database < NDATABASES; database++)
	{
		const char *schema = database_names[database];
		char *sql = text("CREATE SCHEMA %s;"
		                 "CREATE TABLE %s.id_sequences (name text PRIMARY KEY, next_block_start bigint,"
		                 " block_size integer, exhausted smallint DEFAULT 0);"
		                 "CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON %s.id_sequences"
		                 " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()",
		                 schema, schema, schema);

		link_insist(centre, sql, NULL);
		free(sql);
	}
}

void
create_database(Link *link, Database database, const char *template)
{
	char *sql = text("CREATE DATABASE %s TEMPLATE %s", database_names[database], template);

	link_insist(link, sql, NULL);
	free(sql);
}

/* What a database needs besides the extension. */
void
create_objects(Link *link)
{
	link_insist(link, "DROP TABLE IF EXISTS counters, taken, gapless_rows, child_rows, ends;"
	                  "DROP FUNCTION IF EXISTS stress_allocate, stress_block",
	            NULL);
	link_insist(link, objects_sql, NULL);
}

/* The row on the central server. */
void
set_central_row(Link *centre, const Sequence *sequence, const Life *life)
{
	char *sql = text("INSERT INTO %s.id_sequences VALUES ('%s', %" PRId64 ", %d)"
	                 " ON CONFLICT (name) DO UPDATE SET next_block_start = excluded.next_block_start",
	                 database_names[sequence->database], sequence->kind->name, life->first, sequence->kind->block_size);

	link_insist(centre, sql, NULL);
	free(sql);
}

/*
 * The SQL that creates all id sequences of the database, whose lives are given
 * in their order. The rows on the central server are there already.
 */
char *
sequences_sql(Database database, const Life *lives)
{
	int first;
	int n = sequences_of(database, &first);
	char *sql = text("SELECT 1");

	for (int i = 0; i < n; i++)
	{
		char *one = create_sql(&sequences[first + i], &lives[i]);
		char *longer = text("%s; %s", sql, one);

		free(one);
		free(sql);
		sql = longer;
	}
	return sql;
}

/* The SQL that creates the extension. */
char *
extension_sql(Link *centre, Database database)
{
	link_open(centre);
	return text("CREATE EXTENSION idgen;"
	            "CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw"
	            " OPTIONS (host '%s', port '%s', dbname '" CENTRE "', schema_name '%s');"
	            "GRANT USAGE ON FOREIGN SERVER central TO PUBLIC;"
	            "CREATE USER MAPPING FOR PUBLIC SERVER central OPTIONS (user 'postgres', password_required 'false')",
	            PQhost(centre->connection), PQport(centre->connection), database_names[database]);
}
