/*
 * subxact.c
 *		Trying something that may fail.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "common/subxact.h"

/*
 * Raise an error that was caught. The server copies all of it but where it is
 * from, and reports that after the memory may be gone that the error is in.
 */
void
idgen_rethrow(ErrorData *error)
{
	if (error->filename != NULL)
		error->filename = MemoryContextStrdup(TopTransactionContext, error->filename);
	if (error->funcname != NULL)
		error->funcname = MemoryContextStrdup(TopTransactionContext, error->funcname);
	ReThrowError(error);
}

/*
 * Call action in a subtransaction. If it fails with that SQLSTATE, undo it and
 * return the error, palloc'd in the caller's context. Return NULL if it
 * succeeds. Raises any other error.
 *
 * If the error is that of a timeout, or of a cancelled statement, the server
 * has not got to what else it was told at the same moment, and would not look
 * again by itself. DROP DATABASE would wait for that for ever.
 */
ErrorData *
idgen_try(void (*action)(void *arg), void *arg, int sqlerrcode)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		action(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		InterruptPending = true;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;

	if (error != NULL && sqlerrcode != IDGEN_TRY_ANY && error->sqlerrcode != sqlerrcode)
		idgen_rethrow(error);
	return error;
}
