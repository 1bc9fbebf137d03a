/*
 * centre.h
 *		The row of an id sequence at the centre.
 */
#ifndef IDGEN_CENTRE_H
#define IDGEN_CENTRE_H

#include "remote/connection.h"
#include "session/handle.h"
#include "sources/marks.h"

extern IdgenRemoteQuery *idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenRequest *request);
extern bool idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenRequest *request,
                                           IdgenRemoteQuery *query, IdgenRefill *refill);
extern int64 idgen_centre_next_id(const IdgenHandle *handle);

extern IdgenMarkKey idgen_centre_mark_key(Oid id_sequences, Oid serverid, const char *name);
extern const char *idgen_went_back_describe(const IdgenMark *mark);
extern const char *idgen_went_back_hint(Oid relid, IdgenWentBack how, const char *server, const char *name);

#endif /* IDGEN_CENTRE_H */
