/*
 * as_owner.c
 *		Acting as another role, the owner of what runs.
 *
 * A write to a table may run code of the table's owner, such as expressions of
 * indexes. The role that draws has not asked for that code, so the code must
 * not have that role's rights. Nor must the role get the owner's rights by what
 * it puts into the code's way.
 *
 * So the code runs as the server runs it in maintenance commands: as the owner,
 * in a security-restricted operation (it cannot become another role), with a
 * safe search_path, and with settings that are undone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/syscache.h"

#include "common/as_owner.h"

/* The owner of a table; invalid if it is gone. */
Oid
idgen_owner_of(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/*
 * The owner of a function, and whether it runs with the owner's rights. Returns
 * false if it is gone.
 */
bool
idgen_owner_of_function(Oid funcid, Oid *owner, bool *security_definer)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));

	if (!HeapTupleIsValid(tuple))
		return false;
	*owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	*security_definer = ((Form_pg_proc) GETSTRUCT(tuple))->prosecdef;
	ReleaseSysCache(tuple);
	return true;
}

/*
 * Has the current transaction changed who owns a table? The catalog does not
 * tell, so the answer is true after any change of the table's row in pg_class.
 */
bool
idgen_owner_is_uncommitted(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	ReleaseSysCache(tuple);
	return result;
}

/*
 * Act as that role until idgen_act_as_before() is called with the same
 * "before", or until an error ends the (sub)transaction.
 */
void
idgen_act_as(Oid owner, IdgenIdentity *before)
{
	GetUserIdAndSecContext(&before->userid, &before->sec_context);
	SetUserIdAndSecContext(owner, before->sec_context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	before->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
	                         PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Act again as the role that idgen_act_as() has found. */
void
idgen_act_as_before(const IdgenIdentity *before)
{
	AtEOXact_GUC(false, before->guc_level);
	SetUserIdAndSecContext(before->userid, before->sec_context);
}
