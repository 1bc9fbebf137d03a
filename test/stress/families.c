/*
 * families.c
 *		Changes of templates, of periods, and of their children.
 */
#include "deeds.h"

#include <stdlib.h>
#include <string.h>

#include "children.h"

/* Of a database that has no templates of families. */
void
create_templates(Link *link, Database database)
{
	for (int i = 0; i < nfamilies && database_has_families(database); i++)
	{
		char *sql = template_sql(&families[i]);

		link_insist(link, sql, NULL);
		free(sql);
	}
}

static const Family *
random_family(Random *random)
{
	return &families[random_below(random, nfamilies)];
}

static Link *
random_link(Disturber *disturber, Random *random)
{
	Database database;

	do
		database = random_below(random, NDATABASES);
	while (!database_has_families(database));
	return &disturber->links[database];
}

/* Runs a change in one transaction, which is now and then rolled back. */
static void
change(Link *link, Random *random, char *sql)
{
	bool roll_back = one_in(random, 5);
	Time sent;
	Time known;

	if (link_run(link, "BEGIN; SET LOCAL lock_timeout = 1000", NULL) != DONE || link_run(link, sql, NULL) != DONE ||
	    roll_back)
		link_roll_back(link);
	else
		commit_change(link, true, &sent, &known);
	free(sql);
}

/*
 * Drops children, with the rows of what was drawn from them: some of a family,
 * all of it, or those that nobody has drawn from lately. A child that somebody
 * makes meanwhile stays, with its rows.
 */
void
drop_children(Disturber *disturber, Random *random)
{
	const Family *family = random_family(random);
	char *drop;
	char *sql;

	if (one_in(random, 3))
		drop = text("DELETE FROM id_sequences WHERE template = '%s' AND refilled_at < clock_timestamp() - interval '%d ms'",
		            family->template, random_below(random, 1000));
	else
		drop = text("DELETE FROM id_sequences WHERE name ~ '^%s/[^*]+$' AND hashtext(name) %% %d = 0", family->prefix,
		            random_from(random, 1, 10));
	sql = text("%s; DELETE FROM child_rows WHERE child LIKE '%s/%%'"
	           " AND NOT EXISTS (SELECT FROM id_sequences WHERE name = child)",
	           drop, family->prefix);
	free(drop);
	change(random_link(disturber, random), random, sql);
}

/* By one that says the same. Who makes a child meanwhile takes either. */
void
replace_template(Disturber *disturber, Random *random)
{
	const Family *family = random_family(random);
	char *create = template_sql(family);
	char *sql = text("DELETE FROM id_sequences WHERE name = '%s'; %s", family->template, create);

	free(create);
	change(random_link(disturber, random), random, sql);
}

/* Until it is there again, children can be drawn from, and none made. */
void
take_template_away(Disturber *disturber, Random *random)
{
	const Family *family = random_family(random);
	Link *link = random_link(disturber, random);
	char *create = template_sql(family);
	char *delete = text("DELETE FROM id_sequences WHERE name = '%s'", family->template);

	link_run(link, delete, NULL);
	pause_for(random_below(random, 50) * MILLISECOND);
	while (link_run(link, create, NULL) != DONE)
		pause_for(10 * MILLISECOND);
	free(delete);
	free(create);
}

/* Children get what the template says, perhaps after it has been changed. */
void
apply_template(Disturber *disturber, Random *random)
{
	const Family *family = random_family(random);
	const char *changes = family->changes ? family->changes : "block_size = 1";

	change(random_link(disturber, random), random,
	       text("UPDATE id_sequences SET %s WHERE name = '%s'; SELECT idgen_apply_template('%s')", changes,
	            family->template, family->template));
}
