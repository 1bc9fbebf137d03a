/*
 * ordered_index.c
 *		Indexes that have all rows of a table, in the order of a column.
 *
 * Users may add indexes to any table, and drop those that are there. So what is
 * to be searched is looked for by what it has, not by its name. No code of
 * users runs here: what an index computes is only looked at.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "common/compat.h"
#include "common/ordered_index.h"

/*
 * Are values in the first column of an index the same wherever they count as
 * equal there? Else rows of two such values may lie mixed. Not names, which an
 * index has as C strings: so what it has is what the table has.
 */
static bool
first_values_are_alike(Relation index)
{
	Oid type = index->rd_opcintype[0];
	Oid is_image = get_opfamily_proc(index->rd_opfamily[0], type, type, BTEQUALIMAGE_PROC);

	return type != NAMEOID && OidIsValid(is_image) &&
		DatumGetBool(OidFunctionCall1Coll(is_image, index->rd_indcollation[0], ObjectIdGetDatum(type)));
}

/*
 * Is an index one of all rows, in the order of a column of that type? With a
 * first column (not 0), rows are ordered so among those with the same value of
 * that one. An index that was built among rows that were being changed must not
 * be older than any snapshot.
 */
static bool
is_ordered(Relation index, AttrNumber first, AttrNumber attnum, Oid type)
{
	Form_pg_index form = index->rd_index;
	int key = first != InvalidAttrNumber ? 1 : 0;

	return index->rd_rel->relkind == RELKIND_INDEX && index->rd_rel->relam == BTREE_AM_OID &&
		form->indisvalid && form->indnkeyatts > key && form->indkey.values[key] == attnum &&
		(key == 0 || (form->indkey.values[0] == first && first_values_are_alike(index))) &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) &&
		index->rd_opfamily[key] == lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf &&
		(!form->indcheckxmin ||
	     TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data), TransactionXmin));
}

/*
 * Open such an index, and keep it from being dropped. NULL if there is none;
 * with LockWaitSkip, one that is locked does not count.
 */
Relation
idgen_index_open(Relation table, AttrNumber first, AttrNumber attnum, LockWaitPolicy policy)
{
	Oid type = TupleDescAttr(RelationGetDescr(table), attnum - 1)->atttypid;
	List *indexes = RelationGetIndexList(table);
	Relation found = NULL;
	ListCell *cell;

	foreach(cell, indexes)
	{
		if (policy == LockWaitBlock)
			LockRelationOid(lfirst_oid(cell), AccessShareLock);
		else if (!ConditionalLockRelationOid(lfirst_oid(cell), AccessShareLock))
			continue;
		found = index_open(lfirst_oid(cell), NoLock);
		if (is_ordered(found, first, attnum, type))
			break;
		index_close(found, AccessShareLock);
		found = NULL;
	}
	list_free(indexes);
	return found;
}
