/*
 * idgen.c
 *		Loading the library: settings, hooks and callbacks.
 *
 * From here down, each file uses only those after it:
 *
 *	idgen.c			this file
 *	sql_api.c		SQL functions that draw ids
 *	sql_parts.c		SQL functions that take ids apart
 *	sql_unique_id.c	SQL functions for time-ordered ids
 *	sql_fdw.c		SQL function of the foreign-data wrapper
 *	admin.c			SQL functions that create and restart id sequences
 *	adopt.c			SQL functions that move columns over and back
 *	stats.c			SQL functions behind the views
 *	changes.c		triggers and a hook: what others do to id_sequences
 *	sql_support.c	what SQL functions have in common
 *	xact.c			what happens when a transaction or savepoint ends
 *	worker.c		the refill worker
 *	jobs.c			what sessions have asked it for
 *	generator.c		the algorithm: pending block, then cache, then refill
 *	by_worker.c		drawing from an id sequence that the worker refills
 *	refill.c		refilling, and waiting for others to
 *	source_*.c		blocks from id_sequences itself, native sequences, functions,
 *					other servers
 *	pending.c		what the current transaction has allocated or changed
 *	handle.c		a session's view of one id sequence
 *	auto_create.c	making the row that an unknown name lacks
 *	restart_file.c	the cache while the server is stopped
 *	cache.c			the block cache: memory, entries, locks
 *	slot.c			one id sequence in the cache
 *	file_index.c	which slots hold ids of which relation file
 *	column.c		a column that can be moved to an id sequence
 *	definition.c	what a row says, and who may use it
 *	row_write.c		writing a row, with triggers and constraints of others
 *	row.c			finding the newest version of a row
 *	source.c		the sources that are registered, and what one has to say
 *	native_sequence.c	native sequences: finding one, and what it says
 *	remote_query.c	statements on other servers
 *	connection.c	connections to them, used without blocking
 *	foreign_server.c	servers: finding one, its options, how to connect
 *	worker_registry.c	which databases have a refill worker
 *	layout.c		composing ids of several fields
 *	unique_id.c		time-ordered ids
 *	unique_id_file.c	how far they may have gone, on disk
 *	as_owner.c		acting as the owner of id_sequences
 *	subxact.c		trying something that may fail
 *	guc.c			settings
 *	block.h			a block
 *	compat.h		differences between server versions
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "catalog/definition.h"
#include "catalog/row_write.h"
#include "common/guc.h"
#include "remote/foreign_server.h"
#include "shmem/cache.h"
#include "shmem/restart_file.h"
#include "shmem/worker_registry.h"
#include "sources/sources.h"
#include "sql/changes.h"
#include "unique_id/unique_id.h"
#include "xact.h"

PG_MODULE_MAGIC;

extern void _PG_init(void);

static shmem_request_hook_type previous_shmem_request_hook = NULL;
static shmem_startup_hook_type previous_shmem_startup_hook = NULL;

static void
shmem_request(void)
{
	if (previous_shmem_request_hook)
		previous_shmem_request_hook();
	idgen_cache_request_shmem();
	idgen_registry_request_shmem();
	idgen_unique_id_request_shmem();
}

static void
shmem_startup(void)
{
	if (previous_shmem_startup_hook)
		previous_shmem_startup_hook();
	idgen_registry_startup_shmem();
	idgen_unique_id_startup_shmem();
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
 * The server calls this again if it failed, and settings cannot be defined twice. So it
 * must not be cancelled at one of the warnings that defining them can raise; after
 * another failure, say for lack of memory, the session has to end.
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

	idgen_source_register(&idgen_source_table);
	idgen_source_register(&idgen_source_sequence);
	idgen_source_register(&idgen_source_function);
	idgen_source_register(&idgen_source_server);

	idgen_guc_init();
	idgen_definition_init();
	idgen_row_write_init();
	idgen_xact_init();
	idgen_changes_init();
	idgen_servers_init();

	if (process_shared_preload_libraries_in_progress)
	{
		previous_shmem_request_hook = shmem_request_hook;
		shmem_request_hook = shmem_request;
		previous_shmem_startup_hook = shmem_startup_hook;
		shmem_startup_hook = shmem_startup;
	}

	RESUME_INTERRUPTS();
}
