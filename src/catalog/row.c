/*
 * row.c
 *		Finding and locking rows of id_sequences, in their newest versions.
 *
 * Everything here reads what is committed now (or written by the current
 * transaction, also in this very command), not what the transaction's snapshot
 * shows: an id generator must see the present at every isolation level (rule
 * T4). A scan looks at all versions and asks a snapshot of its own which of
 * them counts. So it meets each row once, also one that is just being moved
 * from page to page, and a serializable transaction does not remember that it
 * was read.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/ordered_index.h"

/*
 * Begin to scan the table, which the caller has opened: by an index of all rows
 * and with keys for that, or as a whole if index is NULL. Rows are put into
 * "row", of the table's slot type.
 */
IdgenRowScan
idgen_row_scan_begin(Relation rel, Relation index, ScanKey keys, int nkeys, TupleTableSlot *row)
{
	IdgenRowScan scan = {.rel = rel, .snapshot = RegisterSnapshot(GetLatestSnapshot()), .row = row};

	scan.snapshot->curcid = InvalidCommandId; /* this command's changes count */
	if (index == NULL)
		scan.whole = table_beginscan(rel, SnapshotAny, 0, NULL, SO_NONE);
	else
	{
		scan.by_index = index_beginscan(rel, index, SnapshotAny, NULL, nkeys, 0, SO_NONE);
		index_rescan(scan.by_index, keys, nkeys, NULL, 0);
	}
	return scan;
}

/* Go to the next row. Returns false if there is none. */
bool
idgen_row_scan_next(IdgenRowScan *scan)
{
	while (scan->by_index != NULL ? index_getnext_slot(scan->by_index, ForwardScanDirection, scan->row)
	                              : table_scan_getnextslot(scan->whole, ForwardScanDirection, scan->row))
	{
		CHECK_FOR_INTERRUPTS();
		if (table_tuple_satisfies_snapshot(scan->rel, scan->row, scan->snapshot))
			return true;
	}
	ExecClearTuple(scan->row);
	return false;
}

/* A row that an index has led to stays in its slot, and its page pinned. */
void
idgen_row_scan_end(IdgenRowScan *scan)
{
	if (scan->by_index != NULL)
		index_endscan(scan->by_index);
	else
		table_endscan(scan->whole);
	UnregisterSnapshot(scan->snapshot);
}

/*
 * Open the primary key of a table of idgen's, which has that many columns, and
 * that one first. Raises 55000 if the owner has made another one of it.
 */
Relation
idgen_primary_key_open(Relation rel, AttrNumber attnum, int nkeys)
{
	Oid indexid = RelationGetPrimaryKeyIndex(rel, false);
	Relation index = OidIsValid(indexid) ? index_open(indexid, AccessShareLock) : NULL;

	if (index == NULL || index->rd_index->indnkeyatts != nkeys ||
	    index->rd_index->indkey.values[0] != attnum)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("table \"%s\" has no usable primary key",
		                RelationGetRelationName(rel)),
		         errhint("Restore the primary key on column \"name\".")));
	return index;
}

/*
 * Find the row of that name. It is put into the slot, which keeps its page
 * pinned. Returns false if there is none. Raises 55000 without a primary key.
 */
bool
idgen_row_find(Relation rel, const char *name, TupleTableSlot *row)
{
	Relation index = idgen_primary_key_open(rel, IDGEN_ATT_NAME, 1);
	text *value = cstring_to_text(name);
	ScanKeyData key;
	IdgenRowScan scan;
	bool found;

	ScanKeyEntryInitialize(&key, 0, 1, BTEqualStrategyNumber, InvalidOid,
	                       C_COLLATION_OID, F_TEXTEQ, PointerGetDatum(value));
	scan = idgen_row_scan_begin(rel, index, &key, 1, row);
	found = idgen_row_scan_next(&scan);
	idgen_row_scan_end(&scan);
	index_close(index, AccessShareLock);
	pfree(value);
	return found;
}

/* Open the table for reading a row of that name. The caller closes it. */
void
idgen_row_begin(IdgenRow *row, Oid relid, const char *name)
{
	Relation rel = idgen_table_open(relid, AccessShareLock);

	*row = (IdgenRow){rel, name, table_slot_create(rel, NULL), NULL};
}

/*
 * The same, and find it as idgen_row_find() does. Returns whether there is one;
 * the caller closes it in either case.
 */
bool
idgen_row_open(IdgenRow *row, Oid relid, const char *name)
{
	idgen_row_begin(row, relid, name);
	return idgen_row_find(row->rel, name, row->slot);
}

/* Let go of what a row says, and of what it has to be made from. */
void
idgen_row_release(IdgenRow *row)
{
	for (; row != NULL; row = row->from)
		ExecDropSingleTupleTableSlot(row->slot);
}

void
idgen_row_close(IdgenRow *row)
{
	idgen_row_release(row);
	table_close(row->rel, AccessShareLock);
}

/* Add the names of the rows that belong to a column. */
static List *
add_owned_names(List *names, Relation rel, Relation index, IdgenOwningColumn column, TupleTableSlot *row)
{
	bool whole_table = idgen_owning_attnum(column) == 0;
	IdgenOwningColumn last = whole_table ? idgen_owning_column(idgen_owning_table(column), -1) : column;
	ScanKeyData keys[2];
	IdgenRowScan scan;

	ScanKeyEntryInitialize(&keys[0], 0, 1, BTGreaterEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8GE, Int64GetDatum(column));
	ScanKeyEntryInitialize(&keys[1], 0, 1, BTLessEqualStrategyNumber, InvalidOid,
	                       InvalidOid, F_INT8LE, Int64GetDatum(last));
	scan = idgen_row_scan_begin(rel, index, keys, lengthof(keys), row);
	while (idgen_row_scan_next(&scan))
		names = lappend(names, TextDatumGetCString(idgen_row_attribute(row, IDGEN_ATT_NAME)));
	idgen_row_scan_end(&scan);
	return names;
}

/*
 * The names of the rows that belong to columns, or where the number of one is
 * 0, to any of its table. Every command that drops a table or a column asks for
 * them, so what that costs must not depend on how many rows there are: the
 * index on owned_by is asked. And no such command must fail for idgen: there
 * are none if the table is not what idgen knows, has lost the index, or is of
 * another version.
 */
List *
idgen_owned_names(Oid id_sequences, const IdgenOwningColumn *columns, int ncolumns)
{
	Relation rel = ncolumns > 0 ? try_table_open(id_sequences, AccessShareLock) : NULL;
	Relation index = NULL;
	List *names = NIL;

	if (rel == NULL)
		return NIL;
	if (rel->rd_rel->relkind == RELKIND_RELATION && idgen_table_is_good(rel))
		index = idgen_index_open(rel, InvalidAttrNumber, IDGEN_ATT_OWNED_BY, LockWaitBlock);
	if (index != NULL)
	{
		TupleTableSlot *row = table_slot_create(rel, NULL);

		for (int i = 0; i < ncolumns; i++)
			names = add_owned_names(names, rel, index, columns[i], row);
		ExecDropSingleTupleTableSlot(row);
		index_close(index, AccessShareLock);
	}
	table_close(rel, AccessShareLock);
	return names;
}

/*
 * Who has a row
 */

/*
 * Lock the newest version of a row, starting from the one in the slot, which is
 * replaced. A session that waits is in the line of those that want the row. If
 * the answer is not TM_Ok, the slot is empty: TM_WouldBlock if the policy does
 * not allow to wait; with any other, the row has to be found anew, since it was
 * deleted or renamed.
 */
TM_Result
idgen_row_lock(Relation rel, const char *name, LockTupleMode mode, LockWaitPolicy policy, TupleTableSlot *row)
{
	ItemPointerData tid = row->tts_tid;
	TM_FailureData tmfd;
	TM_Result result = table_tuple_lock(rel, &tid, SnapshotSelf, row, GetCurrentCommandId(false), mode, policy,
	                                    TUPLE_LOCK_FLAG_FIND_LAST_VERSION, &tmfd);

	if (result != TM_Ok && result != TM_Updated && result != TM_Deleted && result != TM_WouldBlock)
		elog(ERROR, "unexpected status %u while locking a row of \"id_sequences\"", result);
	if (result == TM_Ok && !idgen_row_is_named(row, name))
		result = TM_Deleted;

	/*
	 * If it has followed the row, the slot may point to where nothing is
	 * pinned.
	 */
	if (result != TM_Ok)
		ExecClearTuple(row);
	return result;
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
idgen_row_is_named(TupleTableSlot *slot, const char *name)
{
	text *found = DatumGetTextPP(idgen_row_attribute(slot, IDGEN_ATT_NAME));

	return VARSIZE_ANY_EXHDR(found) == strlen(name) && memcmp(VARDATA_ANY(found), name, strlen(name)) == 0;
}

/*
 * A column that must not be null. Raises 22004 if it is: the table's owner has
 * let it be.
 */
Datum
idgen_row_attribute(TupleTableSlot *slot, AttrNumber attnum)
{
	bool isnull;
	Datum value = slot_getattr(slot, attnum, &isnull);

	if (isnull)
		ereport(ERROR,
		        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
		         errmsg("column \"%s\" of \"id_sequences\" must not be null",
		                NameStr(TupleDescAttr(slot->tts_tupleDescriptor, attnum - 1)->attname))));
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

/* Has a column another value in one version of a row than in another? */
bool
idgen_row_differs(TupleTableSlot *a, TupleTableSlot *b, AttrNumber attnum)
{
	Form_pg_attribute att = TupleDescAttr(a->tts_tupleDescriptor, attnum - 1);
	bool a_null;
	bool b_null;
	Datum a_value = slot_getattr(a, attnum, &a_null);
	Datum b_value = slot_getattr(b, attnum, &b_null);

	if (a_null || b_null)
		return a_null != b_null;
	return !datum_image_eq(a_value, b_value, att->attbyval, att->attlen);
}

/* Give a column of a row that is about to be written a value. */
void
idgen_row_put(TupleTableSlot *slot, AttrNumber attnum, Datum value)
{
	slot->tts_values[attnum - 1] = value;
	slot->tts_isnull[attnum - 1] = false;
}
