/*
 * centre.h
 *		The row of an id sequence at the centre.
 */
#ifndef IDGEN_CENTRE_H
#define IDGEN_CENTRE_H

#include "remote/remote_query.h"
#include "session/handle.h"
#include "shmem/centre_marks.h"

/* Where the row of an id sequence is. */
typedef struct IdgenCentre
{
	const char *server;
	const char *name;  /* of the id sequence there */
	const char *table; /* for use in a query */
} IdgenCentre;

extern IdgenCentre idgen_centre_of(const IdgenHandle *handle);
extern IdgenRemoteQuery *idgen_centre_begin_allocation(const IdgenHandle *handle, const IdgenCentre *centre,
                                                       const IdgenRequest *request);
extern IdgenMarkResult idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenCentre *centre,
                                                      const IdgenRequest *request,
                                                      IdgenRemoteQuery *query, IdgenRefill *refill);
extern int64 idgen_centre_next_id(const IdgenHandle *handle, const IdgenCentre *centre);

#endif /* IDGEN_CENTRE_H */
