/*
 * child_counts.h
 *		How many children templates have at most.
 */
#ifndef IDGEN_CHILD_COUNTS_H
#define IDGEN_CHILD_COUNTS_H

/* What is known of a template. */
typedef struct IdgenChildCount
{
	uint64 template; /* see idgen_child_counts_key(); 0 if nothing is known */
	int64 children;  /* it has not more */
} IdgenChildCount;

extern Size idgen_child_counts_size(void);
extern void idgen_child_counts_startup_shmem(int tranche);

extern uint64 idgen_child_counts_key(Oid relid, const char *name, int namelen);
extern bool idgen_child_counts_add(uint64 template, int64 max, IdgenChildCount *before);
extern void idgen_child_counts_set(uint64 template, int64 children, const IdgenChildCount *before);

#endif /* IDGEN_CHILD_COUNTS_H */
