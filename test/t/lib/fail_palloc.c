/*
 * fail_palloc.c
 *		Lets a test have an allocation of memory fail in a server process.
 *
 * To be preloaded before idgen: then idgen's callbacks at the end of a
 * transaction can fail, but not what the server itself does after them.
 *
 *	fail_palloc(n, pid)
 *		The n-th allocation from now on fails in that process; none if n is 0.
 *		Returns whether the last one that was to fail has failed.
 *
 * Allocations are those from AllocSets, which is nearly all. Works with
 * PostgreSQL 15 only: later servers do not let us at the functions of a memory
 * context.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/memnodes.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fail_palloc);

extern void _PG_init(void);

typedef struct Failure
{
	int pid;
	int countdown; /* fails when this gets 0; not positive = none is to fail */
	bool failed;
} Failure;

static Failure *failure = NULL;
static void *(*original_alloc)(MemoryContext context, Size size);
static void *(*original_realloc)(MemoryContext context, void *pointer, Size size);
static shmem_startup_hook_type previous_shmem_startup_hook = NULL;
static shmem_request_hook_type previous_shmem_request_hook = NULL;

/*
 * The server itself does not survive it if there is no memory for statistics.
 */
static bool
is_to_fail(MemoryContext context)
{
	if (failure == NULL || failure->pid != MyProcPid || failure->countdown <= 0 ||
	    strncmp(context->name, "PgStat", 6) == 0 || --failure->countdown > 0)
		return false;
	failure->failed = true;
	return true;
}

static void *
failing_alloc(MemoryContext context, Size size)
{
	return is_to_fail(context) ? NULL : original_alloc(context, size);
}

static void *
failing_realloc(MemoryContext context, void *pointer, Size size)
{
	return is_to_fail(context) ? NULL : original_realloc(context, pointer, size);
}

static void
end_of_transaction(XactEvent event, void *arg)
{
	if ((event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE) &&
	    failure != NULL && failure->pid == MyProcPid)
		failure->countdown = 0;
}

Datum
fail_palloc(PG_FUNCTION_ARGS)
{
	bool failed;

	if (failure == NULL)
		elog(ERROR, "fail_palloc must be preloaded");
	failed = failure->failed;
	failure->failed = false;
	failure->pid = PG_GETARG_INT32(1);
	failure->countdown = PG_GETARG_INT32(0);
	PG_RETURN_BOOL(failed);
}

static void
shmem_request(void)
{
	if (previous_shmem_request_hook)
		previous_shmem_request_hook();
	RequestAddinShmemSpace(sizeof(Failure));
}

/* The postmaster may go on in another segment after a crash. */
static void
forget_shmem(int code, Datum arg)
{
	failure = NULL;
}

static void
shmem_startup(void)
{
	bool found;

	if (previous_shmem_startup_hook)
		previous_shmem_startup_hook();
	failure = ShmemInitStruct("fail_palloc", sizeof(Failure), &found);
	memset(failure, 0, sizeof(Failure));
	on_shmem_exit(forget_shmem, (Datum) 0);
}

void
_PG_init(void)
{
	MemoryContextMethods *methods = unconstify(MemoryContextMethods *, TopMemoryContext->methods);
	Size page_size = sysconf(_SC_PAGESIZE);
	char *page = (char *) TYPEALIGN_DOWN(page_size, methods);

	if (mprotect(page, (char *) (methods + 1) - page, PROT_READ | PROT_WRITE) != 0)
		elog(ERROR, "mprotect failed: %m");
	original_alloc = methods->alloc;
	original_realloc = methods->realloc;
	methods->alloc = failing_alloc;
	methods->realloc = failing_realloc;

	previous_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = shmem_request;
	previous_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;
	RegisterXactCallback(end_of_transaction, NULL);
}
