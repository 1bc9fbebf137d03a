/*
 * long_names.h
 *		Room for names that are too long for a slot.
 */
#ifndef IDGEN_LONG_NAMES_H
#define IDGEN_LONG_NAMES_H

#include "lib/ilist.h"

#include "shmem/slot.h"

/* A place for one name. The lock of the cache's header protects all of it. */
typedef struct IdgenLongName
{
	IdgenSlot *slot; /* whose name it is; NULL if it is free */
	slist_node node; /* of those that are free */
	char name[IDGEN_NAME_BYTES];
} IdgenLongName;

/* All places. The same lock protects what changes. */
typedef struct IdgenLongNames
{
	int nplaces; /* fixed */
	int hand;    /* next place that the clock looks at */
	slist_head free;
	IdgenLongName places[FLEXIBLE_ARRAY_MEMBER];
} IdgenLongNames;

extern Size idgen_long_names_size(int max_sequences);
extern void idgen_long_names_init(IdgenLongNames *names, int max_sequences);
extern char *idgen_long_names_take(IdgenLongNames *names, IdgenSlot *slot);
extern void idgen_long_names_give_back(IdgenLongNames *names, const char *name);

#endif /* IDGEN_LONG_NAMES_H */
