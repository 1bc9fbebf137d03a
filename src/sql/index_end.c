/*
 * index_end.c
 *		The greatest or least number in a column, as an index has it.
 *
 * Only a btree index can tell that whose first column it is, ascending and of
 * all rows; and the column must be a smallint, integer or bigint.
 *
 * A look at thousands of columns must not take long, nor leave anything behind
 * in the session: the relcache would keep some kilobytes for each table and
 * each index. So all indexes are looked for at once, in one pass over pg_index.
 * And a first look goes to the pages of the index itself, down to the last leaf
 * page, by the system caches alone. That may find a row that is dead, or not
 * committed. Only the caller to whom the number matters looks again, with a
 * scan of the index.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opclass.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/index_end.h"

/* A column, without padding bytes of unknown contents. */
typedef struct ColumnKey
{
	Oid relid;
	int32 attnum;
} ColumnKey;

/* The index whose first column it is. */
typedef struct ColumnIndex
{
	ColumnKey key; /* must be first */
	Oid index;
	Oid opclass;
} ColumnIndex;

/*
 * The indexes of the database
 */

static bool
is_of_integers(Oid opclass)
{
	return opclass == INT2_BTREE_OPS_OID || opclass == INT4_BTREE_OPS_OID || opclass == INT8_BTREE_OPS_OID;
}

/* The first value of a vector in pg_index, whose elements are of a type. */
#define FIRST_OF(vector, tuple, attnum, desc, isnull) \
	(((vector *) DatumGetPointer(heap_getattr(tuple, attnum, desc, isnull)))->values[0])

static void
add_index(HTAB *indexes, HeapTuple tuple, TupleDesc desc)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);
	ColumnKey key = {form->indrelid, form->indkey.values[0]};
	ColumnIndex *entry;
	Oid opclass;
	bool isnull;

	if (!form->indisvalid || key.attnum <= 0 || !heap_attisnull(tuple, Anum_pg_index_indpred, desc))
		return;
	opclass = FIRST_OF(oidvector, tuple, Anum_pg_index_indclass, desc, &isnull);
	if (!is_of_integers(opclass) || FIRST_OF(int2vector, tuple, Anum_pg_index_indoption, desc, &isnull) & INDOPTION_DESC)
		return;
	entry = hash_search(indexes, &key, HASH_ENTER, NULL);
	entry->index = form->indexrelid;
	entry->opclass = opclass;
}

/* Find all indexes, in the current memory context. */
HTAB *
idgen_indexes_read(void)
{
	HASHCTL control = {
		.keysize = sizeof(ColumnKey),
		.entrysize = sizeof(ColumnIndex),
		.hcxt = CurrentMemoryContext,
	};
	HTAB *indexes = hash_create("idgen indexes", 1024, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	Relation rel = table_open(IndexRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		add_index(indexes, tuple, RelationGetDescr(rel));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return indexes;
}

static const ColumnIndex *
find_index(HTAB *indexes, Oid relid, AttrNumber attnum)
{
	const ColumnKey key = {relid, attnum};

	return hash_search(indexes, &key, HASH_FIND, NULL);
}

/* The index of a column; invalid if there is none. */
Oid
idgen_index_of(HTAB *indexes, Oid relid, AttrNumber attnum)
{
	const ColumnIndex *index = find_index(indexes, relid, attnum);

	return index != NULL ? index->index : InvalidOid;
}

/*
 * A first look
 */

/* Where the pages of an index are. */
typedef struct IndexFile
{
	RelFileLocator locator;
	bool permanent;
} IndexFile;

/*
 * Returns false for an index that is gone, or whose pages this process cannot
 * read. The caller has locked it.
 */
static bool
find_file(Oid index, IndexFile *file)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	Form_pg_class form;
	bool readable;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	file->locator = (RelFileLocator){
		.spcOid = OidIsValid(form->reltablespace) ? form->reltablespace : MyDatabaseTableSpace,
		.dbOid = MyDatabaseId,
		.relNumber = form->relfilenode,
	};
	file->permanent = form->relpersistence == RELPERSISTENCE_PERMANENT;
	readable = form->relkind == RELKIND_INDEX &&
		(file->permanent || (form->relpersistence == RELPERSISTENCE_UNLOGGED && !RecoveryInProgress()));
	ReleaseSysCache(tuple);
	return readable;
}

static Buffer
read_page(const IndexFile *file, BlockNumber block)
{
	Buffer buffer = ReadBufferWithoutRelcache(file->locator, MAIN_FORKNUM, block, RBM_NORMAL, NULL, file->permanent);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	return buffer;
}

/* The number that a tuple of an index begins with; false if it is null. */
static bool
read_number(IndexTuple tuple, Oid opclass, int64 *number)
{
	const void *value = (char *) tuple + IndexInfoFindDataOffset(tuple->t_info);

	if (IndexTupleHasNulls(tuple) && att_isnull(0, (uint8 *) tuple + sizeof(IndexTupleData)))
		return false;
	if (opclass == INT2_BTREE_OPS_OID)
		*number = *(const int16 *) value;
	else if (opclass == INT4_BTREE_OPS_OID)
		*number = *(const int32 *) value;
	else
		*number = *(const int64 *) value;
	return true;
}

/*
 * Look at a page on the way to the end. Returns the next page to look at, or
 * P_NONE when the way is over: *found says whether a number was found. Nulls
 * are left out, and a page with nothing else is one where nothing was found.
 */
static BlockNumber
look_at_page(Page page, const ColumnIndex *index, IdgenIndexEnd end, bool *found, int64 *number)
{
	int step = end == IDGEN_END_GREATEST ? -1 : 1;
	BTPageOpaque opaque;
	int first;
	int last;

	if (PageIsNew(page))
		return P_NONE;
	opaque = BTPageGetOpaque(page);
	if (P_IGNORE(opaque))
		return P_NONE;
	first = P_FIRSTDATAKEY(opaque);
	last = PageGetMaxOffsetNumber(page);
	if (end == IDGEN_END_GREATEST && !P_RIGHTMOST(opaque))
		return opaque->btpo_next;
	if (last < first)
		return P_NONE;
	if (!P_ISLEAF(opaque))
		return BTreeTupleGetDownLink((IndexTuple) PageGetItem(page, PageGetItemId(page, step < 0 ? last : first)));
	for (int i = step < 0 ? last : first; i >= first && i <= last && !*found; i += step)
		*found = read_number((IndexTuple) PageGetItem(page, PageGetItemId(page, i)), index->opclass, number);
	return P_NONE;
}

/* Go down the index, from its root. */
static bool
descend(const IndexFile *file, const ColumnIndex *index, IdgenIndexEnd end, int64 *number)
{
	Buffer buffer = read_page(file, BTREE_METAPAGE);
	BTMetaPageData *meta = BTPageGetMeta(BufferGetPage(buffer));
	BlockNumber block = meta->btm_magic == BTREE_MAGIC ? meta->btm_fastroot : P_NONE;
	bool found = false;

	UnlockReleaseBuffer(buffer);
	while (block != P_NONE)
	{
		buffer = read_page(file, block);
		block = look_at_page(BufferGetPage(buffer), index, end, &found, number);
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
	return found;
}

/*
 * What the pages of a column's index say the end of its numbers is: this is
 * beyond the true one if the last rows are dead, or not committed. Returns
 * false if nothing is known. The index is locked only for that, and only if
 * nobody is about to drop or rewrite it.
 */
bool
idgen_index_peek(HTAB *indexes, Oid relid, AttrNumber attnum, IdgenIndexEnd end, int64 *number)
{
	const ColumnIndex *index = find_index(indexes, relid, attnum);
	IndexFile file;
	bool found;

	if (index == NULL || !ConditionalLockRelationOid(index->index, AccessShareLock))
		return false;
	found = find_file(index->index, &file) && descend(&file, index, end, number);
	UnlockRelationOid(index->index, AccessShareLock);
	return found;
}

/*
 * A second look
 */

/* A value of a column that is a smallint, integer or bigint. */
static int64
as_number(Datum value, int length)
{
	switch (length)
	{
		case sizeof(int16):
			return DatumGetInt16(value);
		case sizeof(int32):
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/*
 * Scan from the end for a row that is committed, and not null. The snapshot is
 * one that conflict tracking does not look at.
 */
static bool
scan_from_end(Relation table, Relation index, IdgenIndexEnd end, int64 *number)
{
	AttrNumber attnum = index->rd_index->indkey.values[0];
	TupleTableSlot *row = table_slot_create(table, NULL);
	IndexScanDesc scan = index_beginscan(table, index, SnapshotSelf, NULL, 1, 0, SO_NONE);
	ScanKeyData not_null;
	bool found;
	bool isnull;

	ScanKeyEntryInitialize(&not_null, SK_ISNULL | SK_SEARCHNOTNULL, 1, InvalidStrategy, InvalidOid, InvalidOid,
	                       InvalidOid, (Datum) 0);
	index_rescan(scan, &not_null, 1, NULL, 0);
	found = index_getnext_slot(scan, end == IDGEN_END_GREATEST ? BackwardScanDirection : ForwardScanDirection, row);
	if (found)
		*number = as_number(slot_getattr(row, attnum, &isnull), TupleDescAttr(RelationGetDescr(table), attnum - 1)->attlen);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
	return found;
}

/*
 * The end of a column's numbers, of rows that are committed, by the index that
 * idgen_index_of() says. Returns false if nothing is known.
 */
bool
idgen_index_find(Oid relid, Oid index, IdgenIndexEnd end, int64 *number)
{
	Relation table = NULL;
	Relation rel = NULL;
	bool found;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	table = try_relation_open(relid, NoLock);
	if (table != NULL)
		rel = try_relation_open(index, AccessShareLock);
	found = rel != NULL && rel->rd_rel->relkind == RELKIND_INDEX && rel->rd_index->indrelid == relid &&
		scan_from_end(table, rel, end, number);
	if (rel != NULL)
		relation_close(rel, AccessShareLock);
	if (table != NULL)
		relation_close(table, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return found;
}
