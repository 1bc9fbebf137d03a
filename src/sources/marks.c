/*
 * marks.c
 *		What is remembered of centres: how far they have got. Table idgen_marks.
 *
 * For each id sequence at a centre there is a mark, the highest id that was
 * ever received from there. For the centre itself there is one, too: its system
 * identifier and its timeline. An answer below any of these comes from a centre
 * that has forgotten what it has allocated (rule C5). Sessions and the worker
 * send what is known with each request, so that such a centre does not even
 * allocate (centre.c). The answer raises the mark before any id of it is used.
 *
 * Marks are rows of a table, so that a standby, a copy, a dump and pg_upgrade
 * keep them. But what was received stays received, whatever becomes of the
 * transaction that has asked. So a mark is as the value of a native sequence:
 * it is written into its row where that stands, and into the WAL, and whoever
 * uses the ids flushes the WAL up to there before. A new row is inserted as any
 * row is, and says nothing. What then writes the mark also freezes the row, so
 * a rollback does not undo it. (Another row must not be frozen: it may be the
 * version of one that transactions still see.)
 *
 * It was turned down to update rows. A session would keep a row locked until
 * its transaction ends; until then others would not see the mark, and after a
 * rollback nobody would.
 *
 * A mark belongs to a foreign server, whose OID is in the row. In a database
 * that was copied, restored or upgraded, OIDs say nothing: there the name of
 * the server counts, until the row is written. The centre's system identifier
 * was turned down as a key: not every centre tells it, several databases of one
 * cluster may be centres, and where a server leads to a copy of a centre, what
 * the original has given counts.
 *
 * Several processes may ask for the same id sequence at the same time, and
 * their answers may arrive in another order than the centre gave them. What
 * comes after something higher cannot be told from what a centre gives that has
 * gone back meanwhile. So it is not used, and its process asks again. So is
 * what was asked for before an operator has accepted the centre as it is:
 * acceptances are counted.
 *
 * Not only the id sequence shows what has happened to a centre. If the centre
 * is another database cluster, or on an earlier timeline, all of its id
 * sequences are in doubt, also those that are beyond their marks: another node
 * may have drawn what the centre does not know of. If the setting says that
 * they are to be stepped over, the first one that is refilled notes the new
 * cluster and timeline, and counts a setback; each of the others steps over
 * when it is refilled and has not stepped over that setback.
 *
 * Locking rules: two locks of the lock manager are for the table as an object.
 * Whoever writes marks holds the first one, from reading what is there until it
 * is written: not longer, so the WAL is not flushed under it. Whoever has
 * raised a mark shares the second one until what was received is where others
 * find it, or is lost. To accept a centre takes it alone, and before the first
 * one: when that is done, nothing from before is still to come. The lock of a
 * page is held while a row is copied from or to it. Whoever only reads takes no
 * other.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/durable.h"
#include "remote/server.h"
#include "sources/marks.h"

/* The table idgen_marks in which this process has raised a mark last. */
static Oid raised_in = InvalidOid;

/* The types of the columns of idgen_marks. */
static const Oid column_types[] = {
	INT8OID, INT8OID, INT8OID, TIMESTAMPTZOID, TIMESTAMPTZOID, INT8OID, OIDOID, OIDOID,
	INT4OID, INT4OID, INT4OID, INT2OID, BOOLOID, NAMEOID, TEXTOID};

#define ATT_MADE_AT 5
#define ATT_NAME    15

/* The two locks. */
#define LOCK_WRITING 0
#define LOCK_RAISED  1

/* In place of an id sequence's name: the mark of the centre itself. */
#define CENTRE_ITSELF ""

/*
 * All columns but the name, as they lie in a row: they have a fixed length,
 * none is null, and there is no padding before the end. See the install script.
 */
typedef struct Columns
{
	int64 last_id;
	int64 system_identifier;
	int64 back_shown_by;
	TimestampTz back_since;
	TimestampTz made_at; /* part of the key: does not change */
	int64 own_system;
	Oid own_database;
	Oid server_oid;
	int32 timeline;
	int32 setbacks;
	int32 accepted;
	int16 back_how;
	bool known;
	NameData server;
} Columns;

#define COLUMNS_SIZE (offsetof(Columns, server) + sizeof(NameData))

StaticAssertDecl(COLUMNS_SIZE == 6 * 8 + 5 * 4 + 2 + 1 + NAMEDATALEN, "there is padding between the columns");

/* A mark. If there is none, the slot is empty, and all columns are zero. */
typedef struct Row
{
	const char *name;
	TupleTableSlot *slot; /* keeps the page pinned */
	Columns columns;
	Columns stored; /* as they are in the table */
} Row;

/* The marks of an id sequence and of its centre. */
typedef struct Marks
{
	const IdgenMarkKey *key;
	Relation rel;
	LOCKMODE lockmode;
	Row centre;
	Row own;
	XLogRecPtr lsn; /* where the WAL says what was written; invalid if nothing was */
} Marks;

/*
 * Rows
 */

static BufferHeapTupleTableSlot *
heap_slot(const Row *row)
{
	return (BufferHeapTupleTableSlot *) row->slot;
}

/* Read what is in the slot. Raises 55000 if it is not what idgen writes. */
static void
read_row(const Marks *marks, Row *row)
{
	HeapTuple tuple = heap_slot(row)->base.tuple;

	if (HeapTupleHasNulls(tuple) || HeapTupleHeaderGetNatts(tuple->t_data) < ATT_NAME)
		idgen_other_table_is_bad(marks->rel);
	LockBuffer(heap_slot(row)->buffer, BUFFER_LOCK_SHARE);
	memcpy(&row->columns, GETSTRUCT(tuple), COLUMNS_SIZE);
	LockBuffer(heap_slot(row)->buffer, BUFFER_LOCK_UNLOCK);
	row->stored = row->columns;
}

/* Which server has written a row? Invalid if it is gone. */
static Oid
server_of(const Columns *columns)
{
	if (columns->own_system == (int64) GetSystemIdentifier() && columns->own_database == MyDatabaseId)
		return columns->server_oid;
	return get_foreign_server_oid(NameStr(columns->server), true);
}

/*
 * Go to the next row of the server. What the current transaction has deleted
 * counts, too: it does for the others until that commits.
 */
static bool
next_row(const Marks *marks, IdgenRowScan *scan, Row *row)
{
	scan->snapshot->curcid = FirstCommandId;
	while (idgen_row_scan_next(scan))
	{
		read_row(marks, row);
		if (server_of(&row->columns) == marks->key->serverid)
			return true;
	}
	memset(&row->columns, 0, sizeof(Columns));
	return false;
}

/* Begin to scan for rows of that name, by the index that is opened. */
static IdgenRowScan
begin_scan(const Marks *marks, const char *name, TupleTableSlot *slot, Relation *index)
{
	ScanKeyData key;

	*index = idgen_primary_key_open(marks->rel, ATT_NAME, 2);
	ScanKeyEntryInitialize(&key, 0, 1, BTEqualStrategyNumber, InvalidOid,
	                       C_COLLATION_OID, F_TEXTEQ, CStringGetTextDatum(name));
	return idgen_row_scan_begin(marks->rel, *index, &key, 1, slot);
}

static Row
find_row(const Marks *marks, const char *name)
{
	Row row = {.name = name, .slot = table_slot_create(marks->rel, NULL)};
	Relation index;
	IdgenRowScan scan = begin_scan(marks, name, row.slot, &index);

	(void) next_row(marks, &scan, &row);
	idgen_row_scan_end(&scan);
	index_close(index, AccessShareLock);
	return row;
}

/* Insert a row that says nothing. Until it is written, a rollback undoes it. */
static void
insert_row(const Marks *marks, Row *row)
{
	static const NameData nothing;
	TupleDesc desc = RelationGetDescr(marks->rel);
	TupleTableSlot *new = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);

	ExecStoreAllNullTuple(new);
	for (AttrNumber attnum = 1; attnum < ATT_NAME; attnum++)
		idgen_row_put(new, attnum, TupleDescAttr(desc, attnum - 1)->attbyval ? (Datum) 0 : PointerGetDatum(&nothing));
	row->columns.made_at = GetCurrentTimestamp();
	idgen_row_put(new, ATT_MADE_AT, TimestampTzGetDatum(row->columns.made_at));
	idgen_row_put(new, ATT_NAME, CStringGetTextDatum(row->name));
	idgen_row_insert_other(marks->rel, new);
	if (!table_tuple_fetch_row_version(marks->rel, &new->tts_tid, SnapshotAny, row->slot))
		elog(ERROR, "a row of table \"%s\" was not inserted", RelationGetRelationName(marks->rel));
	ExecDropSingleTupleTableSlot(new);
}

/* Write what has changed. */
static void
write_row(Marks *marks, Row *row)
{
	bool is_new = TTS_EMPTY(row->slot);
	GenericXLogState *wal;
	HeapTupleHeader tuple;
	Page page;

	row->columns.server_oid = marks->key->serverid;
	namestrcpy(&row->columns.server, marks->key->server);
	row->columns.own_system = (int64) GetSystemIdentifier();
	row->columns.own_database = MyDatabaseId;
	if (!is_new && memcmp(&row->columns, &row->stored, COLUMNS_SIZE) == 0)
		return;
	if (is_new)
		insert_row(marks, row);
	wal = GenericXLogStart(marks->rel);
	LockBuffer(heap_slot(row)->buffer, BUFFER_LOCK_EXCLUSIVE);
	page = GenericXLogRegisterBuffer(wal, heap_slot(row)->buffer, 0);
	tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, ItemPointerGetOffsetNumber(&row->slot->tts_tid)));
	memcpy((char *) tuple + tuple->t_hoff, &row->columns, COLUMNS_SIZE);
	if (is_new)
		tuple->t_infomask |= HEAP_XMIN_FROZEN;
	marks->lsn = GenericXLogFinish(wal);
	LockBuffer(heap_slot(row)->buffer, BUFFER_LOCK_UNLOCK);
}

/* Open the table. Raises 42P01 and 55000 for what the owner has made of it. */
static Relation
open_marks(const IdgenMarkKey *key, LOCKMODE lockmode)
{
	Relation rel = idgen_other_table_open(key->id_sequences, "idgen_marks", column_types, lengthof(column_types), lockmode);

	if (rel->rd_rel->relam != HEAP_TABLE_AM_OID)
		idgen_other_table_is_bad(rel);
	return rel;
}

/* Begin to look at marks, or with RowExclusiveLock to write them. */
static Marks
begin(const IdgenMarkKey *key, LOCKMODE lockmode)
{
	Marks marks = {.key = key, .rel = open_marks(key, lockmode), .lockmode = lockmode, .lsn = InvalidXLogRecPtr};

	if (lockmode == RowExclusiveLock)
		LockDatabaseObject(RelationRelationId, RelationGetRelid(marks.rel), LOCK_WRITING, ExclusiveLock);
	marks.centre = find_row(&marks, CENTRE_ITSELF);
	marks.own = find_row(&marks, key->name);
	return marks;
}

static void
end(Marks *marks)
{
	if (marks->lockmode == RowExclusiveLock)
		UnlockDatabaseObject(RelationRelationId, RelationGetRelid(marks->rel), LOCK_WRITING, ExclusiveLock);
	ExecDropSingleTupleTableSlot(marks->centre.slot);
	ExecDropSingleTupleTableSlot(marks->own.slot);
	table_close(marks->rel, marks->lockmode);
}

/*
 * Reading
 */

/* What is known of an id sequence at a centre, and of the centre. */
IdgenMark
idgen_mark_read(const IdgenMarkKey *key)
{
	Marks marks = begin(key, AccessShareLock);
	const Columns *centre = &marks.centre.columns;
	const Columns *own = &marks.own.columns;
	const Columns *back = centre->back_how != IDGEN_NOT_BACK ? centre : own;
	IdgenMark mark = {
		.known = own->known,
		.received = own->last_id,
		.in_doubt = own->known && own->setbacks < centre->setbacks,
		.centre = {.system = (uint64) centre->system_identifier, .timeline = (uint32) centre->timeline},
		.accepted = centre->accepted,
		.back = {.how = (IdgenWentBack) back->back_how, .shown_by = back->back_shown_by, .since = back->back_since},
	};

	end(&marks);
	return mark;
}

/*
 * Writing
 */

/*
 * Find out what the centre's mark becomes. Returns false if the centre has gone
 * back, or was accepted, and the process that has asked it did not know that.
 */
static bool
raise_centre(Columns *centre, const IdgenGiven *given)
{
	const IdgenCentreIdentity *now = &given->centre;

	if (centre->accepted != given->accepted)
		return false;
	centre->back_how = IDGEN_NOT_BACK;
	if (now->system == 0)
		return true;
	if (centre->system_identifier != 0 &&
	    ((uint64) centre->system_identifier != now->system || (uint32) centre->timeline > now->timeline))
	{
		if (given->stepped_over == IDGEN_NOT_BACK)
			return false;
		centre->setbacks++;
	}
	centre->system_identifier = (int64) now->system;
	centre->timeline = (int32) now->timeline;
	return true;
}

/* The same for the mark of the id sequence. */
static bool
raise_own(Columns *own, const Row *centre, const IdgenGiven *given)
{
	if (own->known && (given->first <= own->last_id || (given->stepped_over == IDGEN_NOT_BACK && own->setbacks < centre->stored.setbacks)))
		return false;
	own->known = true;
	own->last_id = given->last;
	own->setbacks = centre->columns.setbacks;
	own->back_how = IDGEN_NOT_BACK;
	return true;
}

/*
 * A centre has given ids: raise the mark, before they are used. Nobody may use
 * them until the WAL is flushed up to *lsn. When others can find them,
 * idgen_mark_published() is to be called, or the transaction ends. Returns
 * false if they must not be used: another process has got something later
 * meanwhile, or an operator has accepted the centre.
 */
bool
idgen_mark_raise(const IdgenMarkKey *key, const IdgenGiven *given, XLogRecPtr *lsn)
{
	Marks marks;
	bool raised;

	raised_in = idgen_table_beside(key->id_sequences, "idgen_marks");
	LockDatabaseObject(RelationRelationId, raised_in, LOCK_RAISED, ShareLock);
	marks = begin(key, RowExclusiveLock);
	raised = raise_centre(&marks.centre.columns, given) && raise_own(&marks.own.columns, &marks.centre, given);
	if (raised)
	{
		write_row(&marks, &marks.centre);
		write_row(&marks, &marks.own);
	}
	*lsn = marks.lsn;
	end(&marks);
	if (!raised)
		idgen_mark_published();
	return raised;
}

/*
 * Others can find what the session has received last. The table may be gone
 * since then.
 */
void
idgen_mark_published(void)
{
	UnlockDatabaseObject(RelationRelationId, raised_in, LOCK_RAISED, ShareLock);
}

/*
 * Note that a centre has gone back, so that views can tell it; not on a
 * standby. Only what is known can be seen to have gone back.
 */
void
idgen_mark_note_back(const IdgenMarkKey *key, const IdgenBackNote *note)
{
	bool concerns_centre = note->how == IDGEN_BACK_SYSTEM || note->how == IDGEN_BACK_TIMELINE;
	Marks marks;
	Row *row;

	if (RecoveryInProgress())
		return;
	marks = begin(key, RowExclusiveLock);
	row = concerns_centre ? &marks.centre : &marks.own;
	if (!TTS_EMPTY(row->slot))
	{
		if (row->columns.back_how == IDGEN_NOT_BACK)
			row->columns.back_since = note->since;
		row->columns.back_how = (int16) note->how;
		row->columns.back_shown_by = note->shown_by;
		write_row(&marks, row);
	}
	end(&marks);
}

/* Forget a mark. Returns whether it said anything. */
static bool
forget(Marks *marks, Row *row)
{
	bool known = row->columns.known;

	row->columns.known = false;
	row->columns.back_how = IDGEN_NOT_BACK;
	if (known)
		write_row(marks, row);
	return known;
}

/* Forget all marks of a centre. Returns of how many id sequences that was. */
static int64
forget_all(Marks *marks)
{
	Row row = {.slot = table_slot_create(marks->rel, NULL)};
	IdgenRowScan scan = idgen_row_scan_begin(marks->rel, NULL, NULL, 0, row.slot);
	int64 forgotten = 0;

	marks->centre.columns.system_identifier = marks->centre.columns.timeline = 0;
	marks->centre.columns.back_how = IDGEN_NOT_BACK;
	while (next_row(marks, &scan, &row))
		if (forget(marks, &row))
			forgotten++;
	idgen_row_scan_end(&scan);
	ExecDropSingleTupleTableSlot(row.slot);
	return forgotten;
}

/*
 * Accept a centre as it is now: forget the mark of an id sequence there; if
 * that is CENTRE_ITSELF, all marks of the centre, and which database cluster it
 * was. Returns of how many id sequences that was. It is on disk then.
 */
int64
idgen_marks_forget(const IdgenMarkKey *key)
{
	Oid relid = idgen_table_beside(key->id_sequences, "idgen_marks");
	Marks marks;
	int64 forgotten;

	LockDatabaseObject(RelationRelationId, relid, LOCK_RAISED, ExclusiveLock);
	marks = begin(key, RowExclusiveLock);
	marks.centre.columns.accepted++;
	forgotten = key->name[0] == '\0' ? forget_all(&marks) : forget(&marks, &marks.own);
	write_row(&marks, &marks.centre);
	end(&marks);
	UnlockDatabaseObject(RelationRelationId, relid, LOCK_RAISED, ExclusiveLock);
	(void) idgen_make_durable(marks.lsn);
	return forgotten;
}

/*
 * A row of id_sequences is deleted: its mark goes along, with the transaction.
 * One that several rows share stays: that of a server which draws for all of
 * them from one id sequence. Raises what idgen_row_delete() does.
 */
void
idgen_marks_take_along(Oid id_sequences, const char *name)
{
	const IdgenMarkKey key = {.id_sequences = id_sequences};
	Marks marks = {.key = &key, .rel = open_marks(&key, RowExclusiveLock)};
	Row row = {.slot = table_slot_create(marks.rel, NULL)};
	IdgenRowScan scan;
	Relation index;

	scan = begin_scan(&marks, name, row.slot, &index);
	while (idgen_row_scan_next(&scan))
	{
		Oid serverid;

		read_row(&marks, &row);
		serverid = server_of(&row.columns);
		if (!SearchSysCacheExists1(FOREIGNSERVEROID, ObjectIdGetDatum(serverid)) ||
		    idgen_server_get(serverid).remote_name == NULL)
			idgen_row_delete(marks.rel, row.slot);
	}
	idgen_row_scan_end(&scan);
	index_close(index, AccessShareLock);
	ExecDropSingleTupleTableSlot(row.slot);
	table_close(marks.rel, NoLock);
}
