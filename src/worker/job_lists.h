/*
 * job_lists.h
 *		The jobs of the worker that have been tried, and are not over.
 */
#ifndef IDGEN_JOB_LISTS_H
#define IDGEN_JOB_LISTS_H

#include "worker/job.h"

/* The memory of jobs, and of their tasks. */
extern MemoryContext idgen_job_memory;

extern void idgen_jobs_init(void);
extern void idgen_jobs_add(IdgenJob *job);
extern void idgen_jobs_resume(void);
extern IdgenJob *idgen_jobs_take_ready(void);
extern IdgenJob *idgen_jobs_take_in_line(void);
extern IdgenJob *idgen_jobs_take_remote(void);
extern long idgen_jobs_wait(void);
extern void idgen_jobs_forget(void);

#endif /* IDGEN_JOB_LISTS_H */
