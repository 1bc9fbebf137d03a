/*
 * period_now.c
 *		Which child a row with periods draws from.
 *
 * A row with periods has no ids of its own. A draw by its name goes on with the
 * child that is named after the period, so the child's handle does all the
 * work: its hot path, its pending ids, its place in the cache. The handle of
 * the row keeps what the row says, and what idgen_last() may be asked of the
 * name.
 *
 * It is the start of the transaction that decides which period it is, so ids
 * agree with CURRENT_DATE, and a transaction that lasts over midnight does not
 * mix two periods. To find that out takes longer than to draw, and so does
 * looking for the child by its name. So the handle remembers the child, and
 * until when that is right; and that of the date which it was asked for last.
 */
#include "postgres.h"

#include "catalog/table.h"
#include "session/handle_table.h"
#include "session/period_now.h"

/* The day that it is for the handle in this transaction. Raises 22008. */
IdgenDay
idgen_handle_today(const IdgenHandle *handle)
{
	TimestampTz until;

	return idgen_day_at(GetCurrentTransactionStartTimestamp(), idgen_handle_zone(handle), &until);
}

/* The handle of the child for the period that has that day. */
static IdgenHandle *
child_of(const IdgenHandle *handle, const IdgenDay *day)
{
	char *name = idgen_period_child(handle->name, handle->found.period, day);
	IdgenHandle *child = idgen_handle_get(handle->relid, name, strlen(name));

	pfree(name);
	return child;
}

/*
 * The handle of the child that a handle draws from which is valid, and has a
 * period. NULL stands for the day that the transaction began. There need not be
 * a row of that name yet. Raises 22008.
 */
IdgenHandle *
idgen_handle_child(IdgenHandle *handle, const IdgenDay *at)
{
	TimestampTz start = GetCurrentTransactionStartTimestamp();
	pg_tz *zone = idgen_handle_zone(handle);
	TimestampTz until;
	IdgenDay day = at != NULL ? *at : idgen_day_at(start, zone, &until);
	IdgenHandle *child = child_of(handle, &day);

	if (handle->periods == NULL)
		handle->periods = MemoryContextAllocZero(idgen_name_memory, sizeof(IdgenPeriods));
	if (at != NULL)
		handle->periods->dated = (IdgenPeriodOfDay){child, idgen_epoch, day};
	else
		handle->periods->now = (IdgenPeriodNow){child, idgen_epoch, zone, start, until};
	return child;
}

/*
 * Raises 0A000: the handle's row has periods, so it is one of its children that
 * the function should be called for.
 */
void
idgen_refuse_periods(const IdgenHandle *handle, const char *function)
{
	const char *word = idgen_period_word(handle->found.period);
	IdgenDay today = idgen_handle_today(handle);

	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("id sequence \"%s\" starts anew each %s", handle->name, word),
	         errhint("Call %s() for the id sequence of one %s, such as \"%s\".", idgen_function_name(handle->relid, function), word,
	                 idgen_period_child(handle->name, handle->found.period, &today))));
}
