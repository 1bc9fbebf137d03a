/*
 * jobs.h
 *		What sessions have asked the worker for.
 */
#ifndef IDGEN_JOBS_H
#define IDGEN_JOBS_H

#include "datatype/timestamp.h"

extern void idgen_jobs_init(void);
extern bool idgen_jobs_do(void);
extern TimestampTz idgen_jobs_due(void);
extern void idgen_jobs_abandon(const ErrorData *error);

#endif /* IDGEN_JOBS_H */
