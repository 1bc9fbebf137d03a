/*
 * deeds.h
 *		What the disturber does: changes.c, families.c, ends.c.
 */
#ifndef STRESS_DEEDS_H
#define STRESS_DEEDS_H

#include "disturber.h"
#include "link.h"

struct Disturber
{
	uint64_t seed;
	const char *data_directory;
	char *options; /* of the server, when it is started the next time */
	Link links[NDATABASES];
	Link held_up[NDATABASES];
	Link centre;
	Link server; /* the database postgres */
};

/* changes.c */
extern bool commit_change(Link *link, bool may_prepare, Time *sent, Time *known);
extern void begin_life(Disturber *disturber, Random *random);
extern void overtake(Disturber *disturber, Random *random);
extern void take_away(Disturber *disturber, Random *random);
extern void delete_in_vain(Disturber *disturber, Random *random);
extern void alter_block_size(Disturber *disturber, Random *random);
extern void alter_manner(Disturber *disturber, Random *random);
extern void sync_behind(Disturber *disturber, Random *random);
extern void raise_row(Disturber *disturber, Random *random);
extern void hold_row(Disturber *disturber, Random *random);
extern void maintain(Disturber *disturber, Random *random);
extern void truncate_rows(Disturber *disturber, Random *random);
extern void recreate_extension(Disturber *disturber, Random *random);
extern void recreate_database(Disturber *disturber, Random *random);

/* families.c */
extern void create_templates(Link *link, Database database);
extern void drop_children(Disturber *disturber, Random *random);
extern void replace_template(Disturber *disturber, Random *random);
extern void take_template_away(Disturber *disturber, Random *random);
extern void apply_template(Disturber *disturber, Random *random);

/* ends.c */
extern void cancel_client(Disturber *disturber, Random *random);
extern void terminate_client(Disturber *disturber, Random *random);
extern void terminate_worker(Disturber *disturber, Random *random);
extern void kill_client(Disturber *disturber, Random *random);
extern void kill_worker(Disturber *disturber, Random *random);
extern void restart_fast(Disturber *disturber, Random *random);
extern void restart_immediately(Disturber *disturber, Random *random);
extern void kill_server(Disturber *disturber, Random *random);
extern void hold_up(int pid, Time duration);
extern bool is_waited_for(Disturber *disturber, Random *random, const Link *link);
extern int refilling_process(Disturber *disturber, Random *random, const Sequence *sequence);

#endif
