/*
 * children.h
 *		Children of templates and of periods, which sessions make as they draw.
 */
#ifndef STRESS_CHILDREN_H
#define STRESS_CHILDREN_H

#include "link.h"
#include "sequences.h"

/* What tells the children of a family apart. */
typedef enum Names
{
	NUMBERS, /* prefix/3 */
	DAYS,    /* of a period: prefix/2026-01-04 */
	MONTHS,  /* of periods that are children of a template: prefix/3/2026-01 */
} Names;

/*
 * Id sequences that are made from one row, all of them gapless. Each id that is
 * drawn of one is put into the table child_rows by the same statement.
 */
typedef struct Family
{
	const char *prefix;   /* of the children's names */
	const char *template; /* the name of the row */
	const char *columns;  /* of the row, besides name and next_block_start */
	const char *values;   /* for these columns */
	Names names;
	int members;          /* how many of them clients draw from */
	bool has_format;      /* so that text ids are drawn, too */
	const char *value_of; /* SQL: the sequence value of a row of child_rows */
	const char *changes;  /* SQL: what else the template may say; NULL for nothing */
	int most;             /* max_children; 0 for none */
	int64_t last;         /* max_value; 0 for that of bigint */
} Family;

extern const Family families[];
extern const int nfamilies;

extern bool database_has_families(Database database);
extern char *template_sql(const Family *family);
extern char *child_draw_sql(const Family *family, int member, int count, bool as_text);
extern int check_children(Link *link);

#endif
