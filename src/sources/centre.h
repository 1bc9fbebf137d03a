/*
 * centre.h
 *		The row of an id sequence at the centre.
 */
#ifndef IDGEN_CENTRE_H
#define IDGEN_CENTRE_H

#include "remote/remote_query.h"
#include "session/handle.h"
#include "shmem/centre_marks.h"

extern IdgenRemoteQuery *idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenRequest *request);
extern bool idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenRequest *request,
                                           IdgenRemoteQuery *query, IdgenRefill *refill);
extern int64 idgen_centre_next_id(const IdgenHandle *handle);

extern const char *idgen_went_back_describe(const IdgenBackNote *note, const IdgenMark *mark);
extern const char *idgen_went_back_hint(Oid relid, IdgenWentBack how, const char *server, const char *name);

#endif /* IDGEN_CENTRE_H */
