/*
 * allocator.h
 *		The function that allocates for an id sequence.
 */
#ifndef IDGEN_ALLOCATOR_H
#define IDGEN_ALLOCATOR_H

#include "executor/executor.h"
#include "utils/tuplestore.h"

/* With whose rights the function runs; see decide_rights(). */
typedef enum IdgenAllocatorRights
{
	IDGEN_ALLOCATOR_AS_CALLER,            /* those of the role that draws */
	IDGEN_ALLOCATOR_AS_CALLER_RESTRICTED, /* those of that role, as idgen_act_as() restricts them */
	IDGEN_ALLOCATOR_AS_OWNER_RESTRICTED,  /* those of the owner, as idgen_act_as() restricts them */
} IdgenAllocatorRights;

/* A function to allocate with. */
typedef struct IdgenAllocator
{
	Oid funcid;
	Oid owner;
	Oid result_type;
	TupleDesc desc; /* of its result */
	AttrNumber first_id;
	AttrNumber last_id;
} IdgenAllocator;

extern void idgen_allocator_find(const char *source_name, IdgenAllocator *allocator);
extern Oid idgen_allocator_look_up(const char *source_name);
extern const char *idgen_allocator_full_name(const char *source_name);
extern Tuplestorestate *idgen_allocator_call(IdgenAllocator *allocator, const char *source_name,
                                             const char *name, int32 nblocks, EState *estate);

#endif /* IDGEN_ALLOCATOR_H */
