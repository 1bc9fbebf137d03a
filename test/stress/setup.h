/*
 * setup.h
 *		The databases that the test runs in, and what is in them.
 */
#ifndef STRESS_SETUP_H
#define STRESS_SETUP_H

#include "link.h"
#include "sequences.h"

#define CENTRE "stress_centre" /* the database that source "server" draws from */

extern void setup_cluster(Link *link);
extern void setup_centre(Link *centre);
extern void create_database(Link *link, Database database, const char *template);
extern void create_objects(Link *link);
extern char *extension_sql(Link *centre, Database database);
extern char *sequences_sql(Database database, const Life *lives);
extern void set_central_row(Link *centre, const Sequence *sequence, const Life *life);

#endif
