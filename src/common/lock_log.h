/*
 * lock_log.h
 *		Lines of the server log about waits for locks, in the server's words.
 */
#ifndef IDGEN_LOCK_LOG_H
#define IDGEN_LOCK_LOG_H

#include "common/lock_holder.h"

extern void idgen_log_no_lock_waits(void);
extern void idgen_log_lock_awaited(const IdgenLock *lock, const IdgenLockHolder *holder,
                                   TimestampTz since);
extern void idgen_log_lock_acquired(const IdgenLock *lock, TimestampTz since);

#endif /* IDGEN_LOCK_LOG_H */
