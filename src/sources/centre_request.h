/*
 * centre_request.h
 *		The row of an id sequence at the centre: what the centre is asked.
 */
#ifndef IDGEN_CENTRE_REQUEST_H
#define IDGEN_CENTRE_REQUEST_H

#include "shmem/centre_marks.h"
#include "sources/centre.h"

/* The columns of the answers */
enum
{
	COLUMN_NEXT_BLOCK_START,
	COLUMN_BLOCK_SIZE,
	COLUMN_EXHAUSTED,
	COLUMN_MAX_VALUE,
	COLUMN_SOURCE,
	COLUMN_LAST_ID, /* of the block; null if there are not enough ids */
	COLUMN_UPDATED, /* next_block_start of the new row; null if there is none */
	COLUMN_ROWS,    /* the number of rows with that name */
	COLUMN_FIRST_ID,
	COLUMN_WENT_BACK, /* how the centre has gone back; null if it has not */
	COLUMN_SYSTEM,    /* its system identifier, null if it does not tell */
	COLUMN_TIMELINE,  /* likewise its timeline */
	COLUMNS
};

extern IdgenMark idgen_centre_read_mark(const IdgenHandle *handle, const IdgenCentre *centre);
extern IdgenRemoteQuery *idgen_centre_begin_look(const IdgenHandle *handle, const IdgenCentre *centre);
extern bool idgen_centre_is_behind(const IdgenGiven *given, const IdgenRemoteQuery *query);

#endif /* IDGEN_CENTRE_REQUEST_H */
