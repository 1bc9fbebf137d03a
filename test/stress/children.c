/*
 * children.c
 *		Children of templates and of periods, which sessions make as they draw.
 *
 * A child begins anew when it was dropped, with ids that it has issued before.
 * So these ids are not recorded: whoever draws one puts it into a table, in the
 * same statement, and whoever drops a child deletes its rows there, in the same
 * transaction. Whatever ends when and how, the committed rows of a child then
 * are exactly the ids from the first one up to the next one of its row; and a
 * unique index refuses an id that is drawn twice.
 */
#include "children.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_DAY "date '2026-01-01'"

/*
 * Sessions that make children at the very same moment may exceed max_children,
 * by their number at most.
 */
#define AT_THE_SAME_MOMENT 16

const Family families[] = {
	{.prefix = "g",
     .template = "g/*",
     .columns = "block_size, refill, early_release",
     .values = "1, 'transaction', true",
     .members = 40,
     .value_of = "id",
     .changes = "refill = 'auto'"},
	{.prefix = "label",
     .template = "label/*",
     .columns = "block_size, refill, format",
     .values = "1, 'auto', 'B-{id:4}{luhn}'",
     .members = 20,
     .has_format = true,
     .value_of = "coalesce(id, substring(label, 3, length(label) - 3)::bigint)",
     .changes = "format = 'B-{id:6}{luhn}'"},
	{.prefix = "few",
     .template = "few/*",
     .columns = "block_size, refill, max_children",
     .values = "1, 'transaction', 8",
     .members = 60,
     .value_of = "id",
     .most = 8},
	{.prefix = "coded",
     .template = "coded/*",
     .columns = "block_size, refill, layout, max_value",
     .values = "1, 'transaction', 'scrambled', 50000",
     .members = 10,
     .value_of = "idgen_unscramble(child, id)",
     .last = 50000},
	{.prefix = "key",
     .template = "key/*",
     .columns = "block_size, refill, layout, format",
     .values = "1, 'transaction', 'scrambled', 'key_{id:base58:11}'",
     .members = 10,
     .has_format = true,
     .value_of = "idgen_unscramble(child, coalesce(id, idgen_text_value(child, label)))"},
	{.prefix = "day",
     .template = "day",
     .columns = "block_size, refill, period, format",
     .values = "1, 'transaction', 'day', '{YYYY}{MM}{DD}-{id:3}'",
     .names = DAYS,
     .members = 30,
     .has_format = true,
     .value_of = "coalesce(id, substring(label, 10)::bigint)"},
	{.prefix = "month",
     .template = "month/*",
     .columns = "block_size, refill, period, format",
     .values = "1, 'auto', 'month', 'M{YY}{MM}-{id:base36:3}'",
     .names = MONTHS,
     .members = 24,
     .has_format = true,
     .value_of = "coalesce(id, idgen_text_value(child, label))"},
};
const int nfamilies = lengthof(families);

/* Rows of the others would go with everything that is made anew there. */
bool
database_has_families(Database database)
{
	return database != DATABASE_C;
}

/* The SQL that makes the row that the children are made from. */
char *
template_sql(const Family *family)
{
	return text("INSERT INTO id_sequences (name, next_block_start, %s) VALUES ('%s', 1, %s) ON CONFLICT DO NOTHING",
	            family->columns, family->template, family->values);
}

/*
 * What a client draws from, and the child that this leads to. A text id is
 * drawn from a period at a date; to draw a number, the child is named.
 */
typedef struct Child
{
	char *drawn;
	char *at; /* SQL: what follows the name as an argument */
	char *name;
} Child;

static Child
child_of(const Family *family, int member)
{
	int month = member % 6 + 1;

	switch (family->names)
	{
		case NUMBERS:
			return (Child){text("%s/%d", family->prefix, member), text("%s", ""),
			               text("%s/%d", family->prefix, member)};
		case DAYS:
			return (Child){text("%s", family->prefix), text(", " FIRST_DAY " + %d", member),
			               text("%s/2026-01-%02d", family->prefix, member + 1)};
		case MONTHS:
			return (Child){text("%s/%d", family->prefix, member / 6), text(", date '2026-%02d-15'", month),
			               text("%s/%d/2026-%02d", family->prefix, member / 6, month)};
	}
	die("names of no kind");
}

/*
 * The statement that draws some ids of a child, and keeps them: as text, if
 * that is wanted and there is a format. By its own name, a child of a period
 * can be made only if the row of the period is there, which another one may
 * have to be made for.
 */
char *
child_draw_sql(const Family *family, int member, int count, bool as_text)
{
	Child child = child_of(family, member);
	char *sql;

	if (family->names == MONTHS || (as_text && family->has_format))
		sql = text("INSERT INTO child_rows (child, label) SELECT '%s', idgen_next_text('%s'%s)"
		           " FROM generate_series(1, %d)",
		           child.name, child.drawn, child.at, count);
	else
		sql = text("INSERT INTO child_rows (child, id) SELECT '%s', idgen_next('%s') FROM generate_series(1, %d)",
		           child.name, child.name, count);
	free(child.drawn);
	free(child.at);
	free(child.name);
	return sql;
}

/* Prints the rows of an answer as complaints, and returns their number. */
static int
complain_of_rows(const Link *link, const PGresult *result, const char *what)
{
	for (int row = 0; row < PQntuples(result) && row < 3; row++)
	{
		printf("WRONG: %s.%s", link->database, PQgetvalue(result, row, 0));
		for (int column = 1; column < PQnfields(result); column++)
			printf("%s %s %s", column > 1 ? "," : ":", PQfname(result, column), PQgetvalue(result, row, column));
		printf(" (%s)\n", what);
	}
	fflush(stdout);
	return PQntuples(result);
}

static int
complain_of(Link *link, char *sql, const char *what)
{
	PGresult *result;
	int complaints;

	link_insist(link, sql, &result);
	complaints = complain_of_rows(link, result, what);
	PQclear(result);
	free(sql);
	return complaints;
}

/* Of a period, the children of children have a name of three parts. */
static char *
pattern_of(const Family *family)
{
	return text(family->names == MONTHS ? "^%s/[^/]+/[^/]+$" : "^%s/[^/*]+$", family->prefix);
}

/*
 * While no transaction is open: what is wrong with the children of a database.
 * Returns the number of complaints, which are printed.
 */
int
check_children(Link *link)
{
	int complaints = 0;

	for (int i = 0; i < nfamilies; i++)
	{
		const Family *family = &families[i];
		char *pattern = pattern_of(family);

		complaints += complain_of(link,
		                          text("SELECT coalesce(child, name) AS child, drawn, least, greatest, next_block_start"
		                               " FROM (SELECT child, count(DISTINCT value) AS drawn, min(value) AS least,"
		                               "  max(value) AS greatest, count(*) AS all_drawn"
		                               "  FROM (SELECT child, %s AS value FROM child_rows WHERE child ~ '%s') AS v"
		                               "  GROUP BY child) AS d"
		                               " FULL JOIN (SELECT name, next_block_start FROM id_sequences WHERE name ~ '%s')"
		                               "  AS s ON child = name"
		                               " WHERE name IS NULL OR (coalesce(drawn, 0), coalesce(all_drawn, 0),"
		                               "  coalesce(least, 1), coalesce(greatest, 0)) <>"
		                               "  (next_block_start - 1, next_block_start - 1, 1, next_block_start - 1)",
		                               family->value_of, pattern, pattern),
		                          "T2: a child's committed ids have holes, or are not those of its row");
		if (family->last > 0)
			complaints += complain_of(link,
			                          text("SELECT child, id FROM child_rows WHERE child ~ '%s'"
			                               " AND id NOT BETWEEN 1 AND %" PRId64,
			                               pattern, family->last),
			                          "an id is not in the range of its layout");
		if (family->most > 0)
			complaints += complain_of(link,
			                          text("SELECT '%s', count(*) AS children FROM id_sequences WHERE name ~ '%s'"
			                               " HAVING count(*) > %d",
			                               family->template, pattern, family->most + AT_THE_SAME_MOMENT),
			                          "a template has more children than max_children");
		free(pattern);
	}
	return complaints;
}
