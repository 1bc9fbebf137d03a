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
#include "storage/shmem.h"
#include "tcop/tcopprot.h"
#include "utils/regproc.h"
#include "utils/relcache.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000
#error "idgen requires PostgreSQL 15 or later"
#endif

/*
 * What 16 has
 */
#if PG_VERSION_NUM < 160000
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "storage/relfilenode.h"

/*
 * It hides what is not declared to be looked up by the server: calls and
 * variables within the library then need no table of addresses. The Makefile
 * asks for that with 15, too.
 */
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

/* Which indexes an update has to maintain, not only whether any. */
typedef bool TU_UpdateIndexes;
#define TU_None        false
#define TU_Summarizing true /* there is no flag for it */

/* New names for the number of a relation's file, and for what contains it. */
typedef Oid RelFileNumber;
#define InvalidRelFileNumber        InvalidOid
#define RelFileLocator              RelFileNode
#define relNumber                   relNode
#define dbOid                       dbNode
#define spcOid                      spcNode
#define rd_locator                  rd_node
#define rd_firstRelfilelocatorSubid rd_firstRelfilenodeSubid

/* One function for objects of all kinds; idgen needs it for these. */
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

/* A wrong name that is reported without raising an error */
#define stringToQualifiedNameList(string, escontext) \
	stringToQualifiedNameList(string)

/* Rows of several relations that are rechecked */
#define EvalPlanQualInit(epqstate, estate, subplan, auxrowmarks, param, relations) \
	EvalPlanQualInit(epqstate, estate, subplan, auxrowmarks, param)

/*
 * A query's permissions, apart from its range table; and how to make the range
 * table of one relation, of which these columns are updated.
 */
#define idgen_request_perms(query, rte, perms) ((rte)->requiredPerms = (perms))

static inline void
idgen_init_range_table(EState *estate, RangeTblEntry *rte, Bitmapset *updated_columns)
{
	rte->updatedCols = updated_columns;
	ExecInitRangeTable(estate, list_make1(rte));
}
#else
#include "storage/relfilelocator.h"

#define idgen_request_perms(query, rte, perms) \
	(addRTEPermissionInfo(&(query)->rteperminfos, rte)->requiredPerms = (perms))

/* 18 knows which partitions were pruned. */
#if PG_VERSION_NUM < 180000
#define ExecInitRangeTable(estate, rtable, perminfos, unpruned) \
	ExecInitRangeTable(estate, rtable, perminfos)
#endif

static inline void
idgen_init_range_table(EState *estate, RangeTblEntry *rte, Bitmapset *updated_columns)
{
	List *perminfos = NIL;

	addRTEPermissionInfo(&perminfos, rte)->updatedCols = updated_columns;
	ExecInitRangeTable(estate, list_make1(rte), perminfos, bms_make_singleton(1));
}
#endif

/*
 * What 17 has
 */
#if PG_VERSION_NUM < 170000

/* What makes up a virtual transaction id, kept together */
#define MyLocalTransactionId  (MyProc->lxid)
#define idgen_proc_lxid(proc) ((proc)->lxid)

/* Sessions, by their place in shared memory: from 0, not from 1 */
#define MyProcNumber              (MyBackendId - 1)
#define procNumber                backendId
#define ProcNumberGetProc(number) BackendIdGetProc(number)

/* Wait events that extensions name */
#define WaitEventExtensionNew(name) PG_WAIT_EXTENSION

#else
#define MyLocalTransactionId  (MyProc->vxid.lxid)
#define idgen_proc_lxid(proc) ((proc)->vxid.lxid)
#endif

/*
 * What 18 has
 */
#if PG_VERSION_NUM < 180000

/* In front of a declaration; before, an attribute behind it */
#define pg_noreturn __attribute__((noreturn))

/* The version of a library that is loaded */
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC

/* A lock that one did not get, in the log */
#define ConditionalXactLockTableWait(xid, log_failure) \
	ConditionalXactLockTableWait(xid)

/* A deferrable key, if the caller accepts that */
#define RelationGetPrimaryKeyIndex(rel, deferrable_ok) \
	RelationGetPrimaryKeyIndex(rel)

/* Columns that are computed when they are read */
#define ATTRIBUTE_GENERATED_VIRTUAL 'v'
#endif

/*
 * What 19 has
 */
#if PG_VERSION_NUM < 190000

/* A hash table in shared memory has one size. */
#define ShmemInitHash(name, size, info, flags) ShmemInitHash(name, size, size, info, flags)

/* Flags for how to insert entries into indexes */
#define EIIT_IS_UPDATE        (1 << 0)
#define EIIT_ONLY_SUMMARIZING (1 << 1)
#if PG_VERSION_NUM < 160000
#define ExecInsertIndexTuples(rri, estate, flags, slot, arbiters, conflict)          \
	ExecInsertIndexTuples(rri, slot, estate, (EIIT_IS_UPDATE & (flags)) != 0, false, \
	                      conflict, arbiters)
#else
#define ExecInsertIndexTuples(rri, estate, flags, slot, arbiters, conflict)          \
	ExecInsertIndexTuples(rri, slot, estate, (EIIT_IS_UPDATE & (flags)) != 0, false, \
	                      conflict, arbiters, (EIIT_ONLY_SUMMARIZING & (flags)) != 0)
#endif

/* Options for scans; 18 counts searches of an index. */
#define SO_NONE 0
#define table_beginscan(rel, snapshot, nkeys, key, flags) \
	table_beginscan(rel, snapshot, nkeys, key)
#if PG_VERSION_NUM < 180000
#define index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys, flags) \
	index_beginscan(rel, index, snapshot, nkeys, norderbys)
#else
#define index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys, flags) \
	index_beginscan(rel, index, snapshot, instrument, nkeys, norderbys)
#endif

/* The visibility map, for what prunes a page to look after as well */
#define heap_page_prune_opt(rel, buffer, vmbuffer, rel_read_only) \
	heap_page_prune_opt(rel, buffer)

/* Signal handlers that are told who has sent the signal: of another type */
#define PG_SIG_IGN        SIG_IGN
#define die(signal, info) die(signal)
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

#endif /* IDGEN_COMPAT_H */
