/*
 * used_name.c
 *		May a column have ids of a name that has no row?
 *
 * A table can be there without the row that its ids came from: restored alone,
 * or copied with its defaults. An id sequence that is made then, and begins at
 * 1, issues these ids a second time.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/calls.h"
#include "catalog/used_name.h"
#include "common/compat.h"

/*
 * Does a table concern whoever draws? Everybody can make a table whose default
 * draws. So it is one that the current command writes to, or that belongs to
 * somebody who may write rows of id_sequences, or to the current user.
 */
static bool
concerns_us(Relation rel, Oid id_sequences)
{
	Oid owner = rel->rd_rel->relowner;

	return CheckRelationLockedByMe(rel, RowExclusiveLock, true) ||
		has_privs_of_role(GetUserId(), owner) ||
		pg_class_aclcheck(id_sequences, owner, ACL_DELETE) == ACLCHECK_OK;
}

/*
 * May the table have rows with ids that it has had for longer than this
 * command? One that the current transaction has made, or gives a column with
 * such a default, gets them now. Of one that another transaction has locked,
 * nobody knows.
 */
static bool
may_have_ids(Oid relid, Oid id_sequences)
{
	Relation rel;
	bool result;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return true;
	rel = try_relation_open(relid, NoLock);
	result = rel != NULL && rel->rd_rel->relkind == RELKIND_RELATION && concerns_us(rel, id_sequences) &&
		!CheckRelationLockedByMe(rel, AccessExclusiveLock, true) && RelationGetNumberOfBlocks(rel) > 0;
	if (rel != NULL)
		relation_close(rel, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return result;
}

/*
 * May a column whose default draws from that name have ids already? The table
 * need only have pages, so the answer may be yes for rows that were deleted.
 */
bool
idgen_name_is_used(Oid id_sequences, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_drawing_defaults(get_rel_namespace(id_sequences), name))
	{
		const IdgenDrawingDefault *drawing = lfirst(cell);

		if (OidIsValid(drawing->relid) && strcmp(drawing->name, name) == 0 && may_have_ids(drawing->relid, id_sequences))
			return true;
	}
	return false;
}
