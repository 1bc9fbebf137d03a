/*
 * column_users.c
 *		Which columns draw from id sequences by their defaults.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "common/as_owner.h"
#include "common/compat.h"
#include "sql/column_users.h"
#include "sql/drawing_defaults.h"

/*
 * May columns of a role's tables own an id sequence, because the current user
 * has dropped the column that did? Everybody can make a table that draws, and
 * who owns the column can delete the row and lower its max_value. So that must
 * be somebody whose tables the current user shares, or who may delete the row
 * anyway. (A superuser does not mean to share with everybody.)
 */
static bool
may_own(Oid role, Oid id_sequences)
{
	return is_member_of_role_nosuper(GetUserId(), role) ||
		pg_class_aclcheck(id_sequences, role, ACL_DELETE) == ACLCHECK_OK;
}

/* What a column is to the id sequence that its default draws from. */
static IdgenUse
use_of_column(Oid id_sequences, const ObjectAddress *column)
{
	HeapTuple table = SearchSysCache1(RELOID, ObjectIdGetDatum(column->objectId));
	HeapTuple attribute;
	IdgenUse use;

	/* It is gone. */
	if (!HeapTupleIsValid(table))
		return IDGEN_USED_BY_NONE;
	attribute = SearchSysCacheAttNum(column->objectId, column->objectSubId);
	/* It is gone, or goes with its session. */
	if (!HeapTupleIsValid(attribute) ||
	    ((Form_pg_class) GETSTRUCT(table))->relpersistence == RELPERSISTENCE_TEMP)
		use = IDGEN_USED_BY_NONE;
	else if (!may_own(((Form_pg_class) GETSTRUCT(table))->relowner, id_sequences))
		use = IDGEN_USED_BY_OTHER;
	else if (((Form_pg_attribute) GETSTRUCT(attribute))->attinhcount > 0)
		use = IDGEN_USED_BY_INHERITOR;
	else
		use = IDGEN_USED_BY_COLUMN;
	if (HeapTupleIsValid(attribute))
		ReleaseSysCache(attribute);
	ReleaseSysCache(table);
	return use;
}

/*
 * Find out what draws from the id sequence of that name. Of several columns of
 * the same kind, the oldest table's counts.
 */
static void
find_user(Relation id_sequences, IdgenUsed *used)
{
	ListCell *cell;

	used->use = IDGEN_USED_BY_NONE;
	used->column = IDGEN_NO_COLUMN;
	foreach(cell, idgen_defaults_from(used->name))
	{
		const ObjectAddress *user = &((const IdgenDrawingDefault *) lfirst(cell))->object;
		IdgenUse use = IDGEN_USED_BY_OTHER;

		if (user->classId == RelationRelationId)
			use = use_of_column(RelationGetRelid(id_sequences), user);
		if (use <= used->use)
			continue;
		used->use = use;
		if (use > IDGEN_USED_BY_OTHER)
			used->column = idgen_owning_column(user->objectId, user->objectSubId);
	}
}

/* Find out what draws from each of n id sequences. */
void
idgen_find_users(Relation id_sequences, IdgenUsed *used, int n)
{
	idgen_defaults_look(RelationGetNamespace(id_sequences));
	for (int i = 0; i < n; i++)
		find_user(id_sequences, &used[i]);
}

pg_noreturn static void
used_by_another(const char *name, const char *what, const char *detail)
{
	ereport(ERROR,
	        (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
	         errmsg("cannot delete id sequence \"%s\" because %s draws from it", name, what),
	         errdetail_internal("%s", detail),
	         errhint("Have that draw from another id sequence first.")));
}

/* The owner of a table or a domain; invalid if it is gone. */
static Oid
owner_of(const ObjectAddress *object)
{
	HeapTuple tuple;
	Oid owner;

	if (object->classId == RelationRelationId)
		return idgen_owner_of(object->objectId);
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(object->objectId));
	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Do columns of tables that a role owns count for an id sequence? As SQL
 * function idgen_counts() has it, of a row whose column that owner has.
 */
static bool
role_counts(Oid role, Oid id_sequences, Oid owner)
{
	return pg_class_aclcheck(id_sequences, role, ACL_DELETE) == ACLCHECK_OK ||
		(OidIsValid(owner) && has_privs_of_role(role, owner));
}

/*
 * Raises 2BP01 if another column or a domain draws from the id sequence, and
 * counts.
 */
void
idgen_check_no_other_user(const IdgenColumn *column, const char *name, Oid id_sequences)
{
	Oid owner = idgen_owner_of(column->table_oid);
	ListCell *cell;

	idgen_defaults_look(get_rel_namespace(id_sequences));
	foreach(cell, idgen_defaults_from(name))
	{
		const ObjectAddress *user = &((const IdgenDrawingDefault *) lfirst(cell))->object;
		Oid role = owner_of(user);
		char *user_column;

		if (!OidIsValid(role) || !role_counts(role, id_sequences, owner))
			continue;

		if (user->classId == TypeRelationId)
			used_by_another(name, "a domain",
			                psprintf("It is domain %s.", format_type_be_qualified(user->objectId)));
		user_column = get_attname(user->objectId, user->objectSubId, true);
		if (user_column == NULL ||
		    (list_member_oid(column->members, user->objectId) && strcmp(user_column, column->name) == 0))
			continue;
		used_by_another(name, "another column",
		                psprintf("It is column \"%s\" of table \"%s\".",
		                         user_column, idgen_display_name(user->objectId)));
	}
}
