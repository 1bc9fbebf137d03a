/*
 * names.c
 *		The names that a session has used, and what it drew last from each.
 *
 * What idgen_last() may be asked stays until the session ends or discards it,
 * as with currval(). Handles give way long before, and leave that here. So a
 * session that draws from a million names needs some hundred bytes for each; a
 * name without an answer goes with its handle.
 *
 * When a handle goes at the end of a transaction, nothing may fail, as getting
 * memory could. So that is there before: for a value in the name itself, for
 * the rest since the draw (idgen_name_reserve_last).
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "session/handle_table.h"
#include "session/names.h"

/* The table has this many buckets at first. */
#define IDGEN_NAME_BUCKETS 64

static name_table_hash *names = NULL;

MemoryContext idgen_name_memory = NULL;

/*
 * A name in an installation (the OID of its id_sequences), NULL if it is new.
 * namelen must be below IDGEN_NAME_BYTES.
 */
IdgenName *
idgen_name_find(Oid relid, const char *name, int namelen)
{
	IdgenNameKey key = {relid, namelen, name};
	IdgenNameEntry *entry;

	if (names == NULL)
		return NULL;
	entry = name_table_lookup(names, &key);
	return entry != NULL ? unconstify(IdgenName *, (const IdgenName *) entry->key) : NULL;
}

/* Make a new name known. */
IdgenName *
idgen_name_add(Oid relid, const char *name, int namelen)
{
	IdgenName *known;
	bool found;

	if (idgen_name_memory == NULL)
		idgen_name_memory = AllocSetContextCreate(TopMemoryContext, "idgen names", ALLOCSET_DEFAULT_SIZES);
	if (names == NULL)
		names = name_table_create(idgen_name_memory, IDGEN_NAME_BUCKETS, NULL);

	known = MemoryContextAllocZero(idgen_name_memory, offsetof(IdgenName, name) + namelen + 1);
	memcpy(known->name, name, namelen);
	known->key = (IdgenNameKey){relid, namelen, known->name};
	(void) name_table_insert(names, &known->key, &found);
	return known;
}

/* Is a value all that there is to say? */
static bool
is_plain(const IdgenLast *last)
{
	return last->layout == &idgen_layout_plain && !OidIsValid(last->object);
}

/* Drop what idgen_last() may be asked of a name. */
static void
clear_last(IdgenName *known)
{
	if (known->form == IDGEN_LAST_FULL)
		pfree(known->last.full);
	known->form = IDGEN_LAST_NOTHING;
}

/* See to it that idgen_name_leave() needs no memory to keep such an answer. */
void
idgen_name_reserve_last(IdgenName *known, const IdgenLast *last)
{
	if (is_plain(last) || known->form == IDGEN_LAST_FULL)
		return;
	known->last.full = MemoryContextAllocZero(idgen_name_memory, sizeof(IdgenLast));
	known->form = IDGEN_LAST_FULL;
}

/* What idgen_last() may be asked, as the last handle has left it. */
IdgenLast
idgen_name_last(const IdgenName *known)
{
	switch ((IdgenLastForm) known->form)
	{
		case IDGEN_LAST_PLAIN:
			return (IdgenLast){.value = known->last.value, .layout = &idgen_layout_plain, .had_row = true};
		case IDGEN_LAST_FULL:
			return *known->last.full;
		case IDGEN_LAST_NOTHING:
			break;
	}
	return (IdgenLast){0};
}

/* Forget a name that has no handle. */
static void
forget_name(IdgenName *known)
{
	(void) name_table_delete(names, &known->key);
	clear_last(known);
	pfree(known);
}

/*
 * The handle of a name goes: keep what idgen_last() may be asked, or forget the
 * name if there is nothing. Raises no errors.
 */
void
idgen_name_leave(IdgenName *known, const IdgenLast *last)
{
	known->handle = NULL;
	if (last->layout == NULL)
		forget_name(known);
	else if (is_plain(last))
	{
		clear_last(known);
		known->last.value = last->value;
		known->form = IDGEN_LAST_PLAIN;
	}
	else
	{
		Assert(known->form == IDGEN_LAST_FULL);
		*known->last.full = *last;
	}
}

/* Let idgen_last() have no answer for a name any more. */
static void
forget_last(IdgenName *known)
{
	IdgenHandle *handle = known->handle;

	if (handle != NULL)
	{
		idgen_handle_forget_last(handle);
		clear_last(known);
		return;
	}
	forget_name(known);
}

/* Have the table be no larger than its names need. */
static void
shrink_table(void)
{
	name_table_hash *old = names;
	name_table_hash *new;
	name_table_iterator iter;
	IdgenNameEntry *entry;
	bool found;

	if (old->size <= IDGEN_NAME_BUCKETS || old->members > old->size / 8)
		return;
	new = name_table_create(idgen_name_memory, Max(IDGEN_NAME_BUCKETS, 2 * old->members), NULL);
	name_table_start_iterate(old, &iter);
	while ((entry = name_table_iterate(old, &iter)) != NULL)
		(void) name_table_insert(new, entry->key, &found);
	names = new;
	name_table_destroy(old);
}

/*
 * Let idgen_last() have no answers any more. A draw may be in progress, whose
 * allocator or trigger does this: so handles stay.
 */
void
idgen_names_forget_last(void)
{
	name_table_iterator iter;
	IdgenNameEntry *entry;

	if (names == NULL)
		return;

	/* The entry that the iteration is at may be deleted. */
	name_table_start_iterate(names, &iter);
	while ((entry = name_table_iterate(names, &iter)) != NULL)
		forget_last(unconstify(IdgenName *, (const IdgenName *) entry->key));
	shrink_table();
}
