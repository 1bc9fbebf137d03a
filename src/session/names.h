/*
 * names.h
 *		The names that a session has used, and what it drew last from each.
 */
#ifndef IDGEN_NAMES_H
#define IDGEN_NAMES_H

#include "session/handle.h"
#include "session/name_table.h"

/* What idgen_last() may be asked of a name that has no handle. */
typedef enum IdgenLastForm
{
	IDGEN_LAST_NOTHING,
	IDGEN_LAST_PLAIN, /* a value is all that there is to say */
	IDGEN_LAST_FULL,  /* memory for a whole IdgenLast is there */
} IdgenLastForm;

/* A name that this session has used. There may be very many: keep it small. */
typedef struct IdgenName
{
	IdgenNameKey key;    /* must be first */
	IdgenHandle *handle; /* NULL if there is none now */
	union
	{
		int64 value;     /* with IDGEN_LAST_PLAIN */
		IdgenLast *full; /* with IDGEN_LAST_FULL; what it says counts only
		                  * without a handle */
	} last;
	uint8 form; /* an IdgenLastForm */
	char name[FLEXIBLE_ARRAY_MEMBER];
} IdgenName;

/*
 * Where names are, and what handles point to. NULL until there is a name.
 */
extern MemoryContext idgen_name_memory;

extern IdgenName *idgen_name_find(Oid relid, const char *name, int namelen);
extern IdgenName *idgen_name_add(Oid relid, const char *name, int namelen);
extern void idgen_name_reserve_last(IdgenName *known, const IdgenLast *last);
extern IdgenLast idgen_name_last(const IdgenName *known);
extern void idgen_name_leave(IdgenName *known, const IdgenLast *last);
extern void idgen_names_forget_last(void);

#endif /* IDGEN_NAMES_H */
