/*
 * as_owner.c
 *		Acting as somebody else: the owner of id_sequences.
 *
 * Who writes to a table may run code of its owner's: triggers, the expressions of
 * indexes. Whoever draws has not asked for that, and it must not have their rights; nor must
 * they get the owner's by what they put into its way. So it runs as the server runs such code in
 * maintenance commands: as the owner, who cannot become anybody else in there (a
 * security-restricted operation), with a safe search_path, and with settings that are undone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
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
 * Has the current transaction made that somebody the owner of a table? To be on the safe
 * side: has it changed anything in the table's row of pg_class?
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
 * From now on, act as that role, up to idgen_act_as_before(). An error that ends the
 * (sub)transaction does that, too.
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

/* Be again who one was. */
void
idgen_act_as_before(const IdgenIdentity *before)
{
	AtEOXact_GUC(false, before->guc_level);
	SetUserIdAndSecContext(before->userid, before->sec_context);
}
