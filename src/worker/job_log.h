/*
 * job_log.h
 *		What the server log is told of a job that waits for a lock.
 */
#ifndef IDGEN_JOB_LOG_H
#define IDGEN_JOB_LOG_H

#include "worker/job.h"

extern void idgen_job_log_locked(IdgenJob *job, bool changed_hands);
extern void idgen_job_log_unlocked(IdgenJob *job);
extern void idgen_job_log_expired(const IdgenJob *job);

#endif /* IDGEN_JOB_LOG_H */
