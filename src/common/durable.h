/*
 * durable.h
 *		Waiting until what is in the WAL cannot be lost any more.
 */
#ifndef IDGEN_DURABLE_H
#define IDGEN_DURABLE_H

#include "access/xlogdefs.h"

extern bool idgen_is_replicated(XLogRecPtr lsn);
extern void idgen_make_wal_durable(void);
extern bool idgen_make_durable(XLogRecPtr lsn);
extern void idgen_not_durable(void);

#endif /* IDGEN_DURABLE_H */
