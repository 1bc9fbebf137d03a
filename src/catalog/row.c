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
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/row.h"
#include "common/compat.h"

/*
 * Raises 55000 unless the columns of id_sequences are what the install script has made
 * them, or as good: its owner can change that, and we take them for what they were.
 */
void
idgen_table_check(Relation rel)
{
	static const Oid types[] = {
		[IDGEN_ATT_NAME - 1] = VARCHAROID,
		[IDGEN_ATT_NEXT_BLOCK_START - 1] = INT8OID,
		[IDGEN_ATT_BLOCK_SIZE - 1] = INT4OID,
		[IDGEN_ATT_EXHAUSTED - 1] = INT2OID,
		[IDGEN_ATT_MAX_VALUE - 1] = INT8OID,
		[IDGEN_ATT_SOURCE - 1] = TEXTOID,
		[IDGEN_ATT_SOURCE_NAME - 1] = TEXTOID,
		[IDGEN_ATT_REFILL - 1] = TEXTOID,
		[IDGEN_ATT_LAYOUT - 1] = TEXTOID,
		[IDGEN_ATT_BIG_BASE - 1] = NUMERICOID,
		[IDGEN_ATT_START_VALUE - 1] = INT8OID,
	};
	TupleDesc desc = RelationGetDescr(rel);
	bool good = desc->natts >= (int) lengthof(types) &&
		TupleDescAttr(desc, IDGEN_ATT_NAME - 1)->attcollation == C_COLLATION_OID;

	for (int i = 0; i < (int) lengthof(types) && good; i++)
		good = !TupleDescAttr(desc, i)->attisdropped &&
			IsBinaryCoercible(TupleDescAttr(desc, i)->atttypid, types[i]);
	if (!good)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("table \"%s\" does not have the columns that it was created with",
		                RelationGetRelationName(rel)),
		         errhint("Restore their types, and the collation of column \"name\".")));
}

/*
 * Is the current command of this session making a new table of the rows (ALTER TABLE
 * that rewrites it, CLUSTER, VACUUM FULL), and has called us by an expression in there?
 *
 * That the table is locked and in use does not say so: LOCK TABLE and a query over it do
 * as much. But until the new table takes the old one's place, it has a name that
 * the server gives to no other (make_new_heap()).
 */
bool
idgen_table_is_rewritten(Relation rel)
{
	char new_table[NAMEDATALEN];

	if (!CheckRelationLockedByMe(rel, AccessExclusiveLock, true))
		return false;
	snprintf(new_table, sizeof(new_table), "pg_temp_%u", RelationGetRelid(rel));
	return OidIsValid(get_relname_relid(new_table, RelationGetNamespace(rel)));
}

/* Raises 55006 if so: what is written now does not get into the new table. */
void
idgen_table_check_not_rewritten(Relation rel)
{
	if (idgen_table_is_rewritten(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_IN_USE),
		         errmsg("cannot change rows of \"%s\" because the current command rewrites the table",
		                RelationGetRelationName(rel)),
		         errhint("Draw ids in a statement of its own, before or after that command.")));
}

/*
 * Open id_sequences. Raises 42P01 if it was dropped in the meantime, 42809 if its owner
 * has put something else in its place or made it a partition, and 55000 if its columns
 * were changed.
 */
Relation
idgen_table_open(Oid relid, LOCKMODE lockmode)
{
	Relation rel = try_table_open(relid, lockmode);

	if (rel == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"id_sequences\" of extension \"idgen\" does not exist")));
	if (rel->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("\"%s\" is not a table", RelationGetRelationName(rel)),
		         errdetail_relkind_not_supported(rel->rd_rel->relkind)));
	/* Rows could move to other partitions, which shows as a serialization failure. */
	if (rel->rd_rel->relispartition)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("\"%s\" is a partition", RelationGetRelationName(rel)),
		         errhint("Detach it from its parent.")));
	idgen_table_check(rel);
	return rel;
}

/*
 * The qualified name of a relation, for use in a query. Raises 42P01 if it is gone, as is
 * possible where the caller has waited for something else.
 */
const char *
idgen_table_name(Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));
	char *name = get_rel_name(relid);

	if (schema == NULL || name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation was dropped in the meantime")));
	return quote_qualified_identifier(schema, name);
}

/* One index scan for the name. "as_of" is the snapshot that says which versions count. */
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
	scan = index_beginscan(rel, index, mvcc ? SnapshotAny : as_of, NULL, 1, 0);
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
 * pinned.
 *
 * Returns false if there is no such row. Unless "sure" is set, a row that is
 * just being moved may be missed.
 */
bool
idgen_row_find(Relation rel, const char *name, int namelen, bool sure,
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

		if (!sure)
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
 * Open the table for reading and find a row as idgen_row_find() does. Returns
 * whether there is one; the caller closes it in either case.
 */
bool
idgen_row_open(IdgenRow *row, Oid relid, const char *name, int namelen, bool sure)
{
	row->rel = idgen_table_open(relid, AccessShareLock);
	row->slot = table_slot_create(row->rel, NULL);
	return idgen_row_find(row->rel, name, namelen, sure, row->slot);
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
 * or an invalid one. A key share lock, as a foreign key takes it, is no
 * hindrance to a refill and does not count.
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

/* Is that the current transaction? */
bool
idgen_row_is_own(TupleTableSlot *slot)
{
	return TransactionIdIsCurrentTransactionId(idgen_row_writer(slot));
}

/* Has the current transaction a lock like that, or a stronger one, on a relation? */
bool
idgen_relation_is_held(Oid relid, LOCKMODE lockmode)
{
	Relation rel;
	bool held;

	/* If we cannot look at it, somebody else has. */
	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	rel = try_relation_open(relid, NoLock);
	held = rel != NULL && CheckRelationLockedByMe(rel, lockmode, true);
	if (rel != NULL)
		relation_close(rel, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return held;
}

/*
 * May the current transaction keep others from updating the row in the slot?
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

/* Raises 22004: somebody let a column be null that must not. */
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
