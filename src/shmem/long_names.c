/*
 * long_names.c
 *		Room for names that are too long for a slot.
 *
 * A name may have 255 characters, of four bytes each: more than all the rest of
 * a slot takes. Most names are short and lie in their slot. For the others
 * there is a place for one slot in 32. When all places are taken, the id
 * sequence with another long name gives way that has not been used for longest;
 * see cache.c.
 *
 * Places of several sizes would hold more names in the same memory. But then
 * one long name may need the room of several others, all of which must be idle.
 *
 * Locking rules: the caller holds the lock of the cache's header, exclusively.
 */
#include "postgres.h"

#include "storage/shmem.h"

#include "shmem/long_names.h"

/* One id sequence in this many may have a long name, but at least a few. */
#define IDGEN_SLOTS_PER_LONG_NAME 32
#define IDGEN_MIN_LONG_NAMES      16

static int
count_places(int max_sequences)
{
	return Max(max_sequences / IDGEN_SLOTS_PER_LONG_NAME, Min(max_sequences, IDGEN_MIN_LONG_NAMES));
}

Size
idgen_long_names_size(int max_sequences)
{
	return add_size(offsetof(IdgenLongNames, places),
	                mul_size(count_places(max_sequences), sizeof(IdgenLongName)));
}

void
idgen_long_names_init(IdgenLongNames *names, int max_sequences)
{
	names->nplaces = count_places(max_sequences);
	names->hand = 0;
	slist_init(&names->free);
	for (int i = names->nplaces - 1; i >= 0; i--)
	{
		names->places[i].slot = NULL;
		slist_push_head(&names->free, &names->places[i].node);
	}
}

/*
 * Room of IDGEN_NAME_BYTES for the name of a slot; NULL if all places are
 * taken.
 */
char *
idgen_long_names_take(IdgenLongNames *names, IdgenSlot *slot)
{
	IdgenLongName *place;

	if (slist_is_empty(&names->free))
		return NULL;
	place = slist_container(IdgenLongName, node, slist_pop_head_node(&names->free));
	place->slot = slot;
	return place->name;
}

/* A name is not needed any more. */
void
idgen_long_names_give_back(IdgenLongNames *names, const char *name)
{
	IdgenLongName *place = (IdgenLongName *) (name - offsetof(IdgenLongName, name));

	Assert(place->slot != NULL);
	place->slot = NULL;
	slist_push_head(&names->free, &place->node);
}
