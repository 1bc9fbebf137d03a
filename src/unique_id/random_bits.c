/*
 * random_bits.c
 *		Random bits that nobody can guess, a few at a time.
 *
 * pg_strong_random() takes much longer to begin than for another byte. So each
 * process keeps a store of what it has got. What is taken from it is gone, and
 * what a process inherits from the one that it was forked from does not count:
 * no bits are used twice.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "unique_id/random_bits.h"

static struct
{
	int pid;         /* the process that these are of */
	int left;        /* how many are not used yet */
	uint64 bits[64]; /* those that are left come first */
} store;

static void
fill_store(void)
{
	store.left = 0;
	if (!pg_strong_random(store.bits, sizeof(store.bits)))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not generate random values")));
	store.pid = MyProcPid;
	store.left = lengthof(store.bits);
}

/* 64 random bits. Raises XX000 if the system has none. */
uint64
idgen_random_bits(void)
{
	if (unlikely(store.left == 0 || store.pid != MyProcPid))
		fill_store();
	return store.bits[--store.left];
}
