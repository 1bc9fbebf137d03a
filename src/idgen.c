/*
 * idgen.c
 *		Loading the library: settings, hooks and callbacks.
 *
 * README.md in this folder lists all folders, and says which may include which.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/guc.h"
#include "node/lease.h"
#include "remote/reach.h"
#include "remote/server.h"
#include "session/xact.h"
#include "cache/cache.h"
#include "cache/desk.h"
#include "cache/notes.h"
#include "sql/hooks.h"
#include "unique_id/unique_id.h"

PG_MODULE_MAGIC_EXT(.name = "idgen", .version = IDGEN_VERSION);

extern PGDLLEXPORT void _PG_init(void);

static shmem_request_hook_type previous_shmem_request_hook = NULL;
static shmem_startup_hook_type previous_shmem_startup_hook = NULL;

static void
shmem_request(void)
{
	if (previous_shmem_request_hook)
		previous_shmem_request_hook();
	idgen_cache_request_shmem();
	idgen_desk_request_shmem();
	idgen_notes_request_shmem();
	idgen_unique_request_shmem();
	idgen_lease_request_shmem();
	idgen_reach_request_shmem();
}

static void
shmem_startup(void)
{
	if (previous_shmem_startup_hook)
		previous_shmem_startup_hook();
	idgen_desk_startup_shmem();
	idgen_notes_startup_shmem();
	idgen_unique_startup_shmem();
	idgen_lease_startup_shmem();
	idgen_reach_startup_shmem();
	if (idgen_cache_startup_shmem())
	{
		idgen_restart_file_read();
		on_shmem_exit(idgen_restart_file_write, (Datum) 0);
	}
}

/*
 * Without shared_preload_libraries the library is loaded by the first session
 * that needs it, and has no shared memory: each session then has a cache of
 * its own (rule K2).
 *
 * The server calls this again if it failed, and settings cannot be defined
 * twice. So it must not be cancelled at one of the warnings that defining them
 * can raise; after another failure, say for lack of memory, the session has to
 * end.
 */
void
_PG_init(void)
{
	static bool begun = false;

	if (begun)
		ereport(FATAL,
		        (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
		         errmsg("library \"idgen\" was not loaded completely before"),
		         errhint("Connect again.")));
	begun = true;
	HOLD_INTERRUPTS();

	idgen_guc_init();
	idgen_epoch_init();
	idgen_row_code_init();
	idgen_xact_init();
	idgen_hooks_init();
	idgen_servers_init();

	if (process_shared_preload_libraries_in_progress)
	{
		previous_shmem_request_hook = shmem_request_hook;
		shmem_request_hook = shmem_request;
		previous_shmem_startup_hook = shmem_startup_hook;
		shmem_startup_hook = shmem_startup;
		if (idgen_node_id == IDGEN_NODE_LEASED)
			idgen_lease_register_process();
	}

	RESUME_INTERRUPTS();
}
