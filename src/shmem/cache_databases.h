/*
 * cache_databases.h
 *		Which slots of the server's cache belong to which database.
 */
#ifndef IDGEN_CACHE_DATABASES_H
#define IDGEN_CACHE_DATABASES_H

#include "storage/shmem.h"

struct IdgenDatabases;

/* Entries of the cache by database, slots by number. */
extern Size idgen_databases_size(int nslots);
extern void idgen_databases_init(struct IdgenDatabases *databases, int nslots);
extern void idgen_databases_set_owner(struct IdgenDatabases *databases, int slot, Oid dbid);
extern bool idgen_databases_may_own(const struct IdgenDatabases *databases, int slot, Oid dbid);
extern void idgen_databases_count(struct IdgenDatabases *databases, Oid dbid, int change);
extern bool idgen_databases_has_entries(const struct IdgenDatabases *databases, Oid dbid);

/* Events that void all ids of a database. */
extern void idgen_databases_begin_event(struct IdgenDatabases *databases, Oid dbid, uint64 number);
extern void idgen_databases_end_event(struct IdgenDatabases *databases, Oid dbid, uint64 number);
extern uint64 idgen_databases_voided_at(const struct IdgenDatabases *databases, Oid dbid);

#endif /* IDGEN_CACHE_DATABASES_H */
