/*
 * watched_relations.h
 *		Which changes of relations concern this session.
 */
#ifndef IDGEN_WATCHED_RELATIONS_H
#define IDGEN_WATCHED_RELATIONS_H

#include "nodes/primnodes.h"

extern void idgen_watch_name(const RangeVar *name);
extern void idgen_watch_sequence(Oid relid);
extern bool idgen_is_watched(uint32 hashvalue);

#endif /* IDGEN_WATCHED_RELATIONS_H */
