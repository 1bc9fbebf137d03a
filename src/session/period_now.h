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
	uint64 epoch;      /* idgen_epoch at that time: if it differs, the child's
	                    * handle may be gone; 0 if all of this is void */
	const pg_tz *zone; /* that has decided */
	TimestampTz from;
	TimestampTz until;
} IdgenPeriodNow;

/* The period that was drawn from with a date: it is that of the day. */
typedef struct IdgenPeriodOfDay
{
	IdgenHandle *child;
	uint64 epoch; /* as above */
	IdgenDay day;
} IdgenPeriodOfDay;

/* The periods of a row that were drawn from last. */
typedef struct IdgenPeriods
{
	IdgenPeriodNow now;
	IdgenPeriodOfDay dated;
} IdgenPeriods;

extern IdgenHandle *idgen_handle_child(IdgenHandle *handle, const IdgenDay *at);
extern IdgenDay idgen_handle_today(const IdgenHandle *handle);
pg_noreturn extern void idgen_refuse_periods(const IdgenHandle *handle, const char *function);

/* The time zone that decides what day it is for a handle that is valid. */
static inline pg_tz *
idgen_handle_zone(const IdgenHandle *handle)
{
	return handle->found.zone != NULL ? handle->found.zone : idgen_period_zone;
}

/* As idgen_handle_child_fast(), as far as the child itself is concerned. */
static inline IdgenHandle *
idgen_handle_child_now(const IdgenHandle *handle, const IdgenPeriodNow *now)
{
	TimestampTz start;

	if (now->epoch != idgen_epoch || now->zone != idgen_handle_zone(handle))
		return NULL;
	start = GetCurrentTransactionStartTimestamp();
	return start >= now->from && start < now->until ? now->child : NULL;
}

static inline IdgenHandle *
idgen_handle_child_of_day(const IdgenHandle *handle, const IdgenPeriodOfDay *dated, const IdgenDay *at)
{
	return dated->epoch == idgen_epoch &&
			idgen_same_period(handle->found.period, &dated->day, at)
		? dated->child
		: NULL;
}

/*
 * The child that the handle draws from at that day, or now if that is NULL, if
 * it is remembered, and what the handle has found still holds; otherwise NULL.
 * To take the slot's lock would cost as much as all the rest.
 */
static inline IdgenHandle *
idgen_handle_child_fast(const IdgenHandle *handle, const IdgenSource *asked, const IdgenDay *at)
{
	const IdgenPeriods *periods = handle->periods;
	IdgenHandle *child;

	if (periods == NULL || !handle->found.remember ||
	    !idgen_handle_is_valid(handle, handle->found.epoch, asked) ||
	    !idgen_slot_is_still(handle->found.slot, handle->found.version))
		return NULL;
	child = at == NULL ? idgen_handle_child_now(handle, &periods->now)
					   : idgen_handle_child_of_day(handle, &periods->dated, at);
	return child != NULL && child->found.for_periods ? child : NULL;
}

#endif /* IDGEN_PERIOD_NOW_H */
