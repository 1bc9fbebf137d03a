/*
 * collision.c
 *		Ids that collide: a retry after a unique violation gets other ids.
 *
 * A rolled back transaction takes its refills with it, so the same ids are
 * allocated again (rule T1). But if an insert has failed because its id is in
 * the table already, then each retry would fail likewise, for ever. A native
 * sequence moves on with each try. So a transaction in which there was a unique
 * violation leaves a note in the slot when it, or a savepoint of it, is rolled
 * back: which ids it had drawn from its own blocks. The next refill that would
 * begin there, by whichever session, begins behind them. Gapless id sequences
 * are left alone (T2).
 *
 * A note moves with what the cache holds of the id sequence, and is lost with
 * that, and when the server stops. Then a retry fails once more, and leaves the
 * note again.
 *
 * By the time that a savepoint is rolled back, the error is often gone:
 * PL/pgSQL does so after it has caught it. So it is noticed when it is raised.
 * An error context callback sees what is raised while a query or a utility
 * command runs, be it COPY. A hook sees what goes to the server's log: errors
 * of constraints that are checked at commit. (What caused a rollback could be
 * left out of account. Then any failure would make a gap.)
 *
 * An exclusion constraint can keep ids unique as well. So its violations count
 * as unique violations here.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "common/compat.h"
#include "session/collision.h"
#include "session/pending.h"
#include "session/xact_changes.h"

/* Has there been a unique violation in the current transaction? */
static bool unique_violation = false;

static ExecutorRun_hook_type previous_executor_run_hook = NULL;
static ExecutorFinish_hook_type previous_executor_finish_hook = NULL;
static emit_log_hook_type previous_emit_log_hook = NULL;

static void
note_error(int sqlstate)
{
	if (sqlstate == ERRCODE_UNIQUE_VIOLATION || sqlstate == ERRCODE_EXCLUSION_VIOLATION)
		unique_violation = true;
}

/* An error, or a lesser message, is raised while a command runs. */
static void
message_raised(void *arg)
{
	note_error(geterrcode());
}

/*
 * Watch what is raised until the caller puts context->previous back in place,
 * as for any error context callback.
 */
void
idgen_collision_watch(ErrorContextCallback *context)
{
	context->callback = message_raised;
	context->arg = NULL;
	context->previous = error_context_stack;
	error_context_stack = context;
}

static void
executor_run(EXECUTOR_RUN_PARAMETERS)
{
	ErrorContextCallback context;

	idgen_collision_watch(&context);
	if (previous_executor_run_hook)
		previous_executor_run_hook(EXECUTOR_RUN_ARGUMENTS);
	else
		standard_ExecutorRun(EXECUTOR_RUN_ARGUMENTS);
	error_context_stack = context.previous;
}

/* Constraints that are deferrable, but not deferred, are checked here. */
static void
executor_finish(QueryDesc *query)
{
	ErrorContextCallback context;

	idgen_collision_watch(&context);
	if (previous_executor_finish_hook)
		previous_executor_finish_hook(query);
	else
		standard_ExecutorFinish(query);
	error_context_stack = context.previous;
}

static void
emit_log(ErrorData *message)
{
	if (message->elevel >= ERROR)
		note_error(message->sqlerrcode);
	if (previous_emit_log_hook)
		previous_emit_log_hook(message);
}

/*
 * The transaction, or a savepoint of it, is about to be rolled back in the
 * handle's pending state. Raises no error.
 *
 * The note begins where the transaction has found the row, also at a savepoint:
 * so it goes on from an earlier note there, and does not take its place. If the
 * transaction commits in the end, no refill begins there any more.
 */
void
idgen_collision_note(IdgenHandle *handle)
{
	const IdgenAdvance *row = &handle->pending.row;
	IdgenBlock rest;
	int64 end;
	IdgenCacheKey key;

	if (!unique_violation || !row->known || !idgen_may_use_published(handle))
		return;
	rest = idgen_pending_last_block(handle);
	end = rest.left > 0 ? rest.next : row->to;
	if (row->from >= end)
		return;
	idgen_handle_key(handle, &key);
	idgen_cache_note_collided(&key, row->from, end);
}

/* The transaction is over. */
void
idgen_collision_forget(void)
{
	unique_violation = false;
}

/* Install the hooks. Called once per process. */
void
idgen_collision_init(void)
{
	previous_executor_run_hook = ExecutorRun_hook;
	ExecutorRun_hook = executor_run;
	previous_executor_finish_hook = ExecutorFinish_hook;
	ExecutorFinish_hook = executor_finish;
	previous_emit_log_hook = emit_log_hook;
	emit_log_hook = emit_log;
}
