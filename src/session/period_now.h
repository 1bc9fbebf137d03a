/*
 * period_now.h
 *		Which child a row with periods draws from.
 */
#ifndef IDGEN_PERIOD_NOW_H
#define IDGEN_PERIOD_NOW_H

#include "access/xact.h"

#include "session/handle.h"

/*
 * The period that a transaction drew from without asking for a date. It is that
 * of all transactions that start from "from" on, and before "until".
 */
typedef struct IdgenPeriodNow
{
	IdgenHandle *child;
	uint64 epoch;      /* idgen_handle_epoch at that time: if it differs, the child's
	                    * handle may be gone; 0 if all of this is void */
	const pg_tz *zone; /* that has decided */
	TimestampTz from;
	TimestampTz until;
} IdgenPeriodNow;

extern IdgenHandle *idgen_handle_child(IdgenHandle *handle, const IdgenDay *at);
extern IdgenDay idgen_handle_today(const IdgenHandle *handle);
extern void idgen_handle_remember_through(IdgenHandle *handle, const IdgenHandle *child);
pg_noreturn extern void idgen_refuse_periods(const IdgenHandle *handle, const char *function);

/* The time zone that decides what day it is for a handle that is valid. */
static inline pg_tz *
idgen_handle_zone(const IdgenHandle *handle)
{
	return handle->found.zone != NULL ? handle->found.zone : idgen_period_zone;
}

/*
 * The child that the handle draws from now, if that is remembered, and what the
 * handle has found still holds; otherwise NULL. To take the slot's lock would
 * cost as much as all the rest.
 */
static inline IdgenHandle *
idgen_handle_child_fast(const IdgenHandle *handle, const IdgenSource *asked)
{
	const IdgenPeriodNow *now = handle->now;
	TimestampTz start;

	if (now == NULL || now->epoch != idgen_handle_epoch || now->zone != idgen_handle_zone(handle) ||
	    !handle->found.remember || !idgen_handle_is_valid(handle, handle->found.epoch, asked) ||
	    !idgen_slot_is_still(handle->found.slot, handle->found.version))
		return NULL;
	start = GetCurrentTransactionStartTimestamp();
	return start >= now->from && start < now->until ? now->child : NULL;
}

#endif /* IDGEN_PERIOD_NOW_H */
