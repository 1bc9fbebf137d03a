/*
 * compat.h
 *		Differences between server versions, spelled like the newest one.
 *
 * A function that gained an argument is wrapped in a macro of the same name
 * that drops it; a macro is not expanded again inside its own expansion. The
 * server's headers that declare such a function come first: they must not see
 * the macro.
 */
#ifndef IDGEN_COMPAT_H
#define IDGEN_COMPAT_H

#include "access/genam.h"
#include "access/heapam.h"
#include "access/tableam.h"
#include "commands/trigger.h"
#include "common/relpath.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "parser/parse_relation.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "tcop/tcopprot.h"
#include "utils/regproc.h"
#include "utils/relcache.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000
#error "idgen requires PostgreSQL 15 or later"
#endif

/*
 * 16 hides what is not declared to be looked up by the server: calls and
 * variables within the library then need no table of addresses. The Makefile
 * asks for that with 15, too.
 */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(function)                                               \
	extern PGDLLEXPORT Datum function(PG_FUNCTION_ARGS);                            \
	extern PGDLLEXPORT const Pg_finfo_record *CppConcat(pg_finfo_, function)(void); \
	const Pg_finfo_record *CppConcat(pg_finfo_, function)(void)                     \
	{                                                                               \
		static const Pg_finfo_record version = {1};                                 \
		return &version;                                                            \
	}                                                                               \
	extern int no_such_variable
#endif

/* 16 tells which indexes an update has to maintain, not only whether any. */
#if PG_VERSION_NUM < 160000
typedef bool TU_UpdateIndexes;
#define TU_None        false
#define TU_All         true
#define TU_Summarizing TU_All /* there is no flag for it */
#endif

/* 19 has flags for how to insert entries into indexes. */
#if PG_VERSION_NUM < 190000
#define EIIT_IS_UPDATE        (1 << 0)
#define EIIT_ONLY_SUMMARIZING (1 << 1)
#endif
#if PG_VERSION_NUM < 160000
#define ExecInsertIndexTuples(rri, estate, flags, slot, arbiters, conflict)          \
	ExecInsertIndexTuples(rri, slot, estate, (EIIT_IS_UPDATE & (flags)) != 0, false, \
	                      conflict, arbiters)
#elif PG_VERSION_NUM < 190000
#define ExecInsertIndexTuples(rri, estate, flags, slot, arbiters, conflict)          \
	ExecInsertIndexTuples(rri, slot, estate, (EIIT_IS_UPDATE & (flags)) != 0, false, \
	                      conflict, arbiters, (EIIT_ONLY_SUMMARIZING & (flags)) != 0)
#endif

/* 16 has new names for the number of a relation's file and what contains it. */
#if PG_VERSION_NUM < 160000
#include "storage/relfilenode.h"
typedef Oid RelFileNumber;
#define InvalidRelFileNumber        InvalidOid
#define RelFileLocator              RelFileNode
#define relNumber                   relNode
#define dbOid                       dbNode
#define spcOid                      spcNode
#define rd_locator                  rd_node
#define rd_firstRelfilelocatorSubid rd_firstRelfilenodeSubid
#else
#include "storage/relfilelocator.h"
#endif

/* 16 has one function for objects of all kinds; idgen needs it for these. */
#if PG_VERSION_NUM < 160000
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#define object_ownercheck(classid, objectid, roleid)      \
	((classid) == ForeignServerRelationId                 \
	     ? pg_foreign_server_ownercheck(objectid, roleid) \
	     : pg_class_ownercheck(objectid, roleid))
#define object_aclcheck(classid, objectid, roleid, mode) \
	((classid) == ProcedureRelationId                    \
	     ? pg_proc_aclcheck(objectid, roleid, mode)      \
	     : (classid) == NamespaceRelationId              \
	     ? pg_namespace_aclcheck(objectid, roleid, mode) \
	     : pg_foreign_server_aclcheck(objectid, roleid, mode))
#endif

/* 16 can report a wrong name without raising an error. */
#if PG_VERSION_NUM < 160000
#define stringToQualifiedNameList(string, escontext) \
	stringToQualifiedNameList(string)
#endif

/* 17 keeps what makes up a virtual transaction id together. */
#if PG_VERSION_NUM < 170000
#define MyLocalTransactionId  (MyProc->lxid)
#define idgen_proc_lxid(proc) ((proc)->lxid)
#else
#define MyLocalTransactionId  (MyProc->vxid.lxid)
#define idgen_proc_lxid(proc) ((proc)->vxid.lxid)
#endif

/*
 * 17 numbers sessions by their place in shared memory, from 0; before, from 1.
 */
#if PG_VERSION_NUM < 170000
#define MyProcNumber              (MyBackendId - 1)
#define procNumber                backendId
#define ProcNumberGetProc(number) BackendIdGetProc(number)
#endif

/* 16 has two ways to look up a session's entry in pg_stat_activity. */
#if PG_VERSION_NUM < 160000
#define pgstat_get_local_beentry_by_index(i) pgstat_fetch_stat_local_beentry(i)
#endif

/* 17 lets extensions name their wait events. */
#if PG_VERSION_NUM < 170000
#define WaitEventExtensionNew(name) PG_WAIT_EXTENSION
#endif

/* 16 keeps a query's permissions apart from its range table. */
#if PG_VERSION_NUM < 160000
#define idgen_request_perms(query, rte, perms) \
	((rte)->requiredPerms = (perms))
#else
#define idgen_request_perms(query, rte, perms) \
	(addRTEPermissionInfo(&(query)->rteperminfos, rte)->requiredPerms = (perms))
#endif

/* 18 knows which partitions were pruned. */
#if PG_VERSION_NUM >= 160000 && PG_VERSION_NUM < 180000
#define ExecInitRangeTable(estate, rtable, perminfos, unpruned) \
	ExecInitRangeTable(estate, rtable, perminfos)
#endif

/* Make the range table of one relation, of which these columns are updated. */
#if PG_VERSION_NUM < 160000
static inline void
idgen_init_range_table(EState *estate, RangeTblEntry *rte, Bitmapset *updated_columns)
{
	rte->updatedCols = updated_columns;
	ExecInitRangeTable(estate, list_make1(rte));
}
#else
static inline void
idgen_init_range_table(EState *estate, RangeTblEntry *rte, Bitmapset *updated_columns)
{
	List *perminfos = NIL;

	addRTEPermissionInfo(&perminfos, rte)->updatedCols = updated_columns;
	ExecInitRangeTable(estate, list_make1(rte), perminfos, bms_make_singleton(1));
}
#endif

/* 16 rechecks the rows of several relations. */
#if PG_VERSION_NUM < 160000
#define EvalPlanQualInit(epqstate, estate, subplan, auxrowmarks, param, relations) \
	EvalPlanQualInit(epqstate, estate, subplan, auxrowmarks, param)
#endif

/*
 * Later minor versions of all branches can tell that no standby is defined from
 * that nobody has looked yet.
 */
#ifdef SYNC_STANDBY_DEFINED
#define sync_standbys_are_defined(walsndctl) (((walsndctl)->sync_standbys_status & SYNC_STANDBY_DEFINED) != 0)
#else
#define sync_standbys_are_defined(walsndctl) ((walsndctl)->sync_standbys_defined)
#endif

/* macOS has another name for times to the nanosecond. */
#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

/* 17 has wait event sets owned by a resource owner. */
#if PG_VERSION_NUM < 170000
#define CreateWaitEventSet(resowner, nevents) \
	CreateWaitEventSet(CurrentMemoryContext, nevents)
#endif

/*
 * 18 has pg_noreturn before a declaration; older ones have an attribute behind
 * it.
 */
#if PG_VERSION_NUM < 180000
#define pg_noreturn __attribute__((noreturn))
#endif

/* 18 shows the version of a library that is loaded. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* 18 can log that it did not get a lock. */
#if PG_VERSION_NUM < 180000
#define ConditionalXactLockTableWait(xid, log_failure) \
	ConditionalXactLockTableWait(xid)
#endif

/* 18 lets the caller accept a deferrable key. */
#if PG_VERSION_NUM < 180000
#define RelationGetPrimaryKeyIndex(rel, deferrable_ok) \
	RelationGetPrimaryKeyIndex(rel)
#endif

/* 19 has options for scans. */
#if PG_VERSION_NUM < 190000
#define SO_NONE 0
#define table_beginscan(rel, snapshot, nkeys, key, flags) \
	table_beginscan(rel, snapshot, nkeys, key)
#endif

/* 18 has columns that are computed when they are read. */
#if PG_VERSION_NUM < 180000
#define ATTRIBUTE_GENERATED_VIRTUAL 'v'
#endif

/* 18 counts index searches. */
#if PG_VERSION_NUM < 180000
#define index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys, flags) \
	index_beginscan(rel, index, snapshot, nkeys, norderbys)
#elif PG_VERSION_NUM < 190000
#define index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys, flags) \
	index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys)
#endif

/* 19 has what prunes a page look after the visibility map as well. */
#if PG_VERSION_NUM < 190000
#define heap_page_prune_opt(rel, buffer, vmbuffer, rel_read_only) \
	heap_page_prune_opt(rel, buffer)
#endif

/*
 * 19 tells signal handlers who has sent the signal, so those of the system are
 * of another type.
 */
#if PG_VERSION_NUM < 190000
#define PG_SIG_IGN        SIG_IGN
#define die(signal, info) die(signal)
#endif

#endif /* IDGEN_COMPAT_H */
