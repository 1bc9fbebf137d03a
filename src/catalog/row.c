/*
 * row.c
 *		Finding the newest version of a row of id_sequences.
 *
 * Everything here reads what is committed now (or written by the current
 * transaction), not what the transaction's snapshot shows: an id generator
 * must see the present at every isolation level (rule T4). SnapshotSelf says
 * just that, and, not being an MVCC snapshot, it also keeps the read out of
 * serializable transactions' conflict tracking.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"

/*
 * One index scan for the name. "as_of" is the snapshot that says which versions
 * count.
 */
static bool
scan_for_name(Relation rel, Relation index, Snapshot as_of,
              const char *name, int namelen, TupleTableSlot *slot)
{
	text *key = cstring_to_text_with_len(name, namelen);
	bool mvcc = IsMVCCSnapshot(as_of);
	ScanKeyData scankey;
	IndexScanDesc scan;
	bool found;

	ScanKeyEntryInitialize(&scankey, 0, 1, BTEqualStrategyNumber, InvalidOid,
	                       C_COLLATION_OID, F_TEXTEQ, PointerGetDatum(key));

	/* The scan itself is never one that conflict tracking looks at. */
	scan = index_beginscan(rel, index, mvcc ? SnapshotAny : as_of, NULL, 1, 0, SO_NONE);
	index_rescan(scan, &scankey, 1, NULL, 0);
	do
		found = index_getnext_slot(scan, ForwardScanDirection, slot);
	while (found && mvcc && !table_tuple_satisfies_snapshot(rel, slot, as_of));
	index_endscan(scan);
	pfree(key);
	return found;
}

/*
 * Find the newest version of the row of that name: the last committed one, or
 * one that the current transaction wrote, in an earlier command or in this
 * one. It is put into slot (of the table's slot type), which keeps its page
 * pinned. Returns false if there is no such row.
 */
bool
idgen_row_find(Relation rel, const char *name, int namelen, IdgenRowSearch search,
               TupleTableSlot *slot)
{
	Oid indexid = RelationGetPrimaryKeyIndex(rel, false);
	Relation index = OidIsValid(indexid) ? index_open(indexid, AccessShareLock) : NULL;
	bool found;

	if (index == NULL || index->rd_index->indnkeyatts != 1 ||
	    index->rd_index->indkey.values[0] != IDGEN_ATT_NAME)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("table \"%s\" has no usable primary key",
		                RelationGetRelationName(rel)),
		         errhint("Restore the primary key on column \"name\".")));

	/*
	 * The index is read first and the row after it, so a row that is moved to
	 * another page just in between is missed: its old version is dead by the
	 * time we see it, and the new one was not in the index when we looked.
	 * Only a snapshot can say that a row is not there.
	 */
	while (!(found = scan_for_name(rel, index, SnapshotSelf, name, namelen, slot)))
	{
		Snapshot snapshot;
		bool missed;

		if (search == IDGEN_SEARCH_QUICK)
			break;
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		snapshot->curcid = InvalidCommandId; /* this command's changes count */
		missed = scan_for_name(rel, index, snapshot, name, namelen, slot);
		UnregisterSnapshot(snapshot);
		ExecClearTuple(slot);
		if (!missed)
			break;
		CHECK_FOR_INTERRUPTS();
	}

	index_close(index, AccessShareLock);
	return found;
}

/*
 * Is there a row of that name, be it one that another transaction is just
 * making?
 */
bool
idgen_row_is_there_soon(Relation rel, const char *name, int namelen)
{
	Relation index = index_open(RelationGetPrimaryKeyIndex(rel, false), AccessShareLock);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	SnapshotData dirty;
	bool found;

	InitDirtySnapshot(dirty);
	found = scan_for_name(rel, index, &dirty, name, namelen, slot);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
	return found;
}

/*
 * Open the table for reading and find a row as idgen_row_find() does. Returns
 * whether there is one; the caller closes it in either case.
 */
bool
idgen_row_open(IdgenRow *row, Oid relid, const char *name, int namelen, IdgenRowSearch search)
{
	row->rel = idgen_table_open(relid, AccessShareLock);
	row->slot = table_slot_create(row->rel, NULL);
	return idgen_row_find(row->rel, name, namelen, search, row->slot);
}

void
idgen_row_close(IdgenRow *row)
{
	ExecDropSingleTupleTableSlot(row->slot);
	table_close(row->rel, AccessShareLock);
}

/*
 * Call accept() for each transaction that has updated or locked this version
 * of a row, as far as its header says, until it answers true. Returns that xid,
 * or an invalid one. A key share lock, as a foreign key takes it, does not
 * count: it does not keep a refill waiting.
 */
static TransactionId
find_holder(TupleTableSlot *slot, bool (*accept)(TransactionId xid))
{
	BufferHeapTupleTableSlot *heap_slot = (BufferHeapTupleTableSlot *) slot;
	HeapTupleHeader tuple;
	TransactionId xmax;
	uint16 infomask;
	TransactionId holder = InvalidTransactionId;

	if (!TTS_IS_BUFFERTUPLE(slot))
		return InvalidTransactionId; /* not of a heap, nothing is known */

	LockBuffer(heap_slot->buffer, BUFFER_LOCK_SHARE);
	tuple = heap_slot->base.tuple->t_data;
	xmax = HeapTupleHeaderGetRawXmax(tuple);
	infomask = tuple->t_infomask;
	LockBuffer(heap_slot->buffer, BUFFER_LOCK_UNLOCK);

	if (infomask & HEAP_XMAX_INVALID || HEAP_LOCKED_UPGRADED(infomask) ||
	    HEAP_XMAX_IS_KEYSHR_LOCKED(infomask))
		return InvalidTransactionId;
	if (infomask & HEAP_XMAX_IS_MULTI)
	{
		MultiXactMember *members;
		int nmembers = GetMultiXactIdMembers(xmax, &members, false,
		                                     HEAP_XMAX_IS_LOCKED_ONLY(infomask));

		for (int i = 0; i < nmembers && !TransactionIdIsValid(holder); i++)
			if (members[i].status != MultiXactStatusForKeyShare &&
			    accept(members[i].xid))
				holder = members[i].xid;
		if (nmembers > 0)
			pfree(members);
	}
	else if (accept(xmax))
		holder = xmax;
	return holder;
}

static bool
is_other_in_progress(TransactionId xid)
{
	return !TransactionIdIsCurrentTransactionId(xid) && TransactionIdIsInProgress(xid);
}

/* Another transaction in progress that has updated or locked this version. */
TransactionId
idgen_row_holder(TupleTableSlot *slot)
{
	return find_holder(slot, is_other_in_progress);
}

/* The transaction that has written this version of a row. */
TransactionId
idgen_row_writer(TupleTableSlot *slot)
{
	bool should_free;
	HeapTuple tuple = ExecFetchSlotHeapTuple(slot, false, &should_free);
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple->t_data);

	if (should_free)
		heap_freetuple(tuple);
	return xmin;
}

/* Has the current transaction written this version of a row? */
bool
idgen_row_is_own(TupleTableSlot *slot)
{
	return TransactionIdIsCurrentTransactionId(idgen_row_writer(slot));
}

/*
 * Does any session wait in line to lock or update this version of a row? The
 * first one in the line has a lock on the row, which counts as well.
 */
bool
idgen_row_is_awaited(Relation rel, TupleTableSlot *slot)
{
	const LockRelId *id = &rel->rd_lockInfo.lockRelId;
	LOCKTAG line;

	SET_LOCKTAG_TUPLE(line, id->dbId, id->relId,
	                  ItemPointerGetBlockNumber(&slot->tts_tid), ItemPointerGetOffsetNumber(&slot->tts_tid));
	return LockWaiterCount(&line) > 0;
}

/*
 * May the current transaction keep another from updating the row in the slot?
 * It does if it has written or locked this version, or locked the table.
 */
bool
idgen_row_is_held(Relation rel, TupleTableSlot *slot)
{
	return CheckRelationLockedByMe(rel, ShareLock, true) ||
		idgen_row_is_own(slot) ||
		TransactionIdIsValid(find_holder(slot, TransactionIdIsCurrentTransactionId));
}

/* Is it the row of that name that the slot holds? */
bool
idgen_row_is_named(TupleTableSlot *slot, const char *name, int namelen)
{
	text *found = DatumGetTextPP(idgen_row_attribute(slot, IDGEN_ATT_NAME));

	return VARSIZE_ANY_EXHDR(found) == (Size) namelen &&
		memcmp(VARDATA_ANY(found), name, namelen) == 0;
}

/* Raises 22004: the table's owner has let a column be null that must not be. */
void
idgen_null_attribute(TupleDesc desc, AttrNumber attnum)
{
	ereport(ERROR,
	        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
	         errmsg("column \"%s\" of \"id_sequences\" must not be null",
	                NameStr(TupleDescAttr(desc, attnum - 1)->attname))));
}

/* A column that must not be null. */
Datum
idgen_row_attribute(TupleTableSlot *slot, AttrNumber attnum)
{
	bool isnull;
	Datum value = slot_getattr(slot, attnum, &isnull);

	if (isnull)
		idgen_null_attribute(slot->tts_tupleDescriptor, attnum);
	return value;
}

/* The same of a bigint. */
int64
idgen_row_int64(TupleTableSlot *slot, AttrNumber attnum)
{
	return DatumGetInt64(idgen_row_attribute(slot, attnum));
}

/* A column that is a text, and may be null, as a string; NULL if it is. */
char *
idgen_row_string(TupleTableSlot *slot, AttrNumber attnum)
{
	bool isnull;
	Datum value = slot_getattr(slot, attnum, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * Does its column "exhausted" say that no id is left? Raises 22023 for anything
 * but 0 and 1.
 */
bool
idgen_row_is_exhausted(TupleTableSlot *slot)
{
	int16 value = DatumGetInt16(idgen_row_attribute(slot, IDGEN_ATT_EXHAUSTED));

	if (value != 0 && value != 1)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("exhausted of id sequence \"%s\" must be 0 or 1", idgen_row_string(slot, IDGEN_ATT_NAME))));
	return value == 1;
}
