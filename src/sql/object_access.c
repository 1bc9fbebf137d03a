/*
 * object_access.c
 *		Noticing what is done to databases, the extension, its table and foreign
 *		servers, and refusing columns of users' own.
 *
 * These commands fire no row trigger. The server calls a hook for them, inside
 * their transaction: what the cache must be told waits until that commits.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_user_mapping.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "session/xact_changes.h"
#include "shmem/desk.h"
#include "sql/hooks.h"

static object_access_hook_type previous_object_access_hook = NULL;

static bool
is_of_extension(Oid relid)
{
	Oid extension = get_extension_oid("idgen", true);

	return OidIsValid(extension) && getExtensionOfObject(RelationRelationId, relid) == extension;
}

/*
 * Is that relation the table of the extension? Anybody may have one that is
 * called as it is.
 */
static bool
is_table(Oid relid)
{
	char *name = get_rel_name(relid);

	return name != NULL && strcmp(name, "id_sequences") == 0 && is_of_extension(relid);
}

/* The table of a trigger, invalid if there is none of that OID yet. */
static Oid
table_of_trigger(Oid trigger)
{
	Relation triggers = table_open(TriggerRelationId, AccessShareLock);
	Oid relid = InvalidOid;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_trigger_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(trigger));
	scan = systable_beginscan(triggers, TriggerOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		relid = ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid;
	systable_endscan(scan);
	table_close(triggers, AccessShareLock);
	return relid;
}

/*
 * A column of a user's own would be in a dump of the table's rows, but not in
 * the table that CREATE EXTENSION makes: no row could be restored. Only an
 * update of the extension may add one to a table of its.
 */
static void
refuse_column(Oid relid)
{
	if (creating_extension && CurrentExtensionObject == get_extension_oid("idgen", true))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("cannot add a column to \"%s\"", get_rel_name(relid)),
	         errdetail("No dump with its rows could be restored, as the table belongs to extension idgen."),
	         errhint("Keep what you add in a table of your own.")));
}

static void
object_access(ObjectAccessType access, Oid class_id, Oid object_id,
              int sub_id, void *arg)
{
	if (previous_object_access_hook)
		previous_object_access_hook(access, class_id, object_id, sub_id, arg);

	switch (class_id)
	{
		case DatabaseRelationId:
			if (access == OAT_DROP)
			{
				idgen_changes_note_dropped_database(object_id);
				/*
				 * The server drops no database that a worker is connected to.
				 */
				idgen_desk_stop_worker(object_id);
			}
			break;
		case ExtensionRelationId:
			if (access == OAT_DROP && object_id == get_extension_oid("idgen", true))
				idgen_changes_note_all_rows();
			break;
		case RelationRelationId:
		case InheritsRelationId: /* the table becomes a partition */
			if (access != OAT_POST_CREATE && is_table(object_id))
				idgen_changes_note_tables();
			if (access == OAT_POST_CREATE && class_id == RelationRelationId && sub_id > 0 && is_of_extension(object_id))
				refuse_column(object_id);
			if (access == OAT_TRUNCATE)
				idgen_note_truncated(object_id);
			break;
		case TriggerRelationId:
			if (access != OAT_POST_CREATE && is_table(table_of_trigger(object_id)))
				idgen_changes_note_tables();
			break;
		case ForeignServerRelationId:
		case UserMappingRelationId:
			/* created, altered or dropped */
			idgen_changes_note_servers();
			break;
	}
}

/* Install the hook. Called once per process. */
void
idgen_object_access_init(void)
{
	previous_object_access_hook = object_access_hook;
	object_access_hook = object_access;
}
