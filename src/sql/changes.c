/*
 * changes.c
 *		Noticing what others do to id_sequences.
 *
 * Rows are changed by SQL, by other programs that allocate from them, and by
 * logical replication; triggers (fired "always", so in replication too) note
 * what the cache must be told when that transaction commits (rules C1, C2).
 * Dropping the extension or a whole database, and what is done to foreign servers, fires no
 * trigger, but the server's object access hook. What is done to native sequences is known by
 * their files.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/inval.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/row.h"
#include "session/pending.h"
#include "shmem/worker_registry.h"
#include "sql/changes.h"

PG_FUNCTION_INFO_V1(idgen_check_row);
PG_FUNCTION_INFO_V1(idgen_row_changed);

static object_access_hook_type previous_object_access_hook = NULL;

/* A column that must not be null. Raises 22004 if somebody made it so. */
static Datum
get_attribute(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	bool isnull;
	Datum value = heap_getattr(tuple, attnum, desc, &isnull);

	if (isnull)
		idgen_null_attribute(desc, attnum);
	return value;
}

static int64
get_int64(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	return DatumGetInt64(get_attribute(tuple, desc, attnum));
}

static char *
get_string(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	return TextDatumGetCString(get_attribute(tuple, desc, attnum));
}

/* May a row like this have cached ids that a change of it makes void? */
static bool
has_own_ids(HeapTuple tuple, TupleDesc desc)
{
	const IdgenSource *source = idgen_source_find(get_string(tuple, desc, IDGEN_ATT_SOURCE));

	return source == NULL || !source->has_object;
}

/*
 * Note that the row has changed. "drop" says that cached ids must not be used
 * any more; but those of a native sequence are as good as before.
 */
static void
note_change(Relation rel, HeapTuple tuple, bool drop)
{
	TupleDesc desc = RelationGetDescr(rel);
	char *name = get_string(tuple, desc, IDGEN_ATT_NAME);
	IdgenHandle *handle = idgen_handle_get(RelationGetRelid(rel), name, strlen(name));
	IdgenChange change = IDGEN_CHANGE_REVALIDATE;

	if (drop)
		change = has_own_ids(tuple, desc) ? IDGEN_CHANGE_DROP : IDGEN_CHANGE_DROP_ROW;
	idgen_pending_note_change(handle, change);
	idgen_pending_objects_changed(RelationGetRelid(rel), name);
}

/* Does a column have the same value in both versions of a row? */
static bool
same_attribute(TupleDesc desc, HeapTuple old, HeapTuple new, AttrNumber attnum)
{
	Form_pg_attribute att = TupleDescAttr(desc, attnum - 1);
	bool old_null;
	bool new_null;
	Datum old_value;
	Datum new_value;

	if (att->attisdropped)
		return true;
	old_value = heap_getattr(old, attnum, desc, &old_null);
	new_value = heap_getattr(new, attnum, desc, &new_null);
	if (old_null || new_null)
		return old_null == new_null;
	return datum_image_eq(old_value, new_value, att->attbyval, att->attlen);
}

/* Is anything different besides next_block_start, which others may advance? */
static bool
differs_otherwise(TupleDesc desc, HeapTuple old, HeapTuple new)
{
	for (int attnum = 1; attnum <= desc->natts; attnum++)
	{
		if (attnum != IDGEN_ATT_NEXT_BLOCK_START &&
		    !same_attribute(desc, old, new, attnum))
			return true;
	}
	return false;
}

/*
 * The id 2^63 - 1 cannot be followed by a next_block_start that says so. Only
 * "exhausted" tells that it was issued, and taking that back alone would
 * issue it again.
 */
static void
check_revival(TupleDesc desc, HeapTuple old, HeapTuple new)
{
	if (DatumGetInt16(get_attribute(old, desc, IDGEN_ATT_EXHAUSTED)) == 1 &&
	    DatumGetInt16(get_attribute(new, desc, IDGEN_ATT_EXHAUSTED)) == 0 &&
	    get_int64(old, desc, IDGEN_ATT_MAX_VALUE) == PG_INT64_MAX &&
	    get_int64(old, desc, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX &&
	    get_int64(new, desc, IDGEN_ATT_NEXT_BLOCK_START) == PG_INT64_MAX)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" cannot be revived",
		                get_string(new, desc, IDGEN_ATT_NAME)),
		         errdetail("Its last id, %lld, is the greatest there can be.",
		                   (long long) PG_INT64_MAX),
		         errhint("Start it again at a lower id with idgen_restart().")));
}

/* Will ids come from elsewhere? */
static bool
changes_source(TupleDesc desc, HeapTuple old, HeapTuple new)
{
	const IdgenSource *source;

	if (!same_attribute(desc, old, new, IDGEN_ATT_SOURCE))
		return true;
	source = idgen_source_find(get_string(new, desc, IDGEN_ATT_SOURCE));
	return !same_attribute(desc, old, new, IDGEN_ATT_SOURCE_NAME) &&
		(source == NULL || source->check_name != NULL);
}

static void
row_updated(Relation rel, HeapTuple old, HeapTuple new)
{
	TupleDesc desc = RelationGetDescr(rel);

	check_revival(desc, old, new);

	if (!same_attribute(desc, old, new, IDGEN_ATT_NAME))
	{
		note_change(rel, old, true);
		note_change(rel, new, true);
	}
	else if (get_int64(new, desc, IDGEN_ATT_NEXT_BLOCK_START) <
	             get_int64(old, desc, IDGEN_ATT_NEXT_BLOCK_START) ||
	         get_int64(new, desc, IDGEN_ATT_MAX_VALUE) <
	             get_int64(old, desc, IDGEN_ATT_MAX_VALUE) ||
	         changes_source(desc, old, new))
		note_change(rel, old, true);
	else if (differs_otherwise(desc, old, new))
		note_change(rel, new, false);
}

static void
wrong_trigger(const char *function, const char *kind)
{
	ereport(ERROR,
	        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
	         errmsg("function \"%s\" must be fired by %s trigger", function, kind)));
}

/*
 * A row for a name that may have been used without one. (What a session finds out
 * about a row of its own transaction ends with that, and whatever removed the
 * name before has dropped its ids.) Session caches must hear of it from the server.
 */
static void
row_inserted(Relation rel, HeapTuple tuple)
{
	idgen_pending_objects_changed(RelationGetRelid(rel),
	                              get_string(tuple, RelationGetDescr(rel), IDGEN_ATT_NAME));
	if (!idgen_cache_is_shared())
		CacheInvalidateRelcacheByRelid(RelationGetRelid(rel));
}

/* The triggers know the columns of one table only. */
static void
check_table(FunctionCallInfo fcinfo)
{
	Relation rel = ((TriggerData *) fcinfo->context)->tg_relation;

	if (RelationGetRelid(rel) != idgen_table_oid(fcinfo->flinfo->fn_oid))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("triggers of idgen do not work on table \"%s\"",
		                RelationGetRelationName(rel))));
	idgen_table_check(rel);
	idgen_table_check_not_rewritten(rel);
}

/* Trigger after INSERT, UPDATE or DELETE (each row) and TRUNCATE (statement) */
Datum
idgen_row_changed(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event))
		wrong_trigger("idgen_row_changed", "an AFTER");
	check_table(fcinfo);

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		idgen_pending_change_all();
		CacheInvalidateRelcacheByRelid(RelationGetRelid(trigger->tg_relation));
	}
	else if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		row_inserted(trigger->tg_relation, trigger->tg_trigtuple);
	else if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		row_updated(trigger->tg_relation, trigger->tg_trigtuple, trigger->tg_newtuple);
	else
		note_change(trigger->tg_relation, trigger->tg_trigtuple, true);

	return PointerGetDatum(NULL);
}

/* Set a column of a row that is about to be written. */
static HeapTuple
set_column(HeapTuple tuple, TupleDesc desc, int column, Datum value)
{
	bool isnull = false;

	return heap_modify_tuple_by_cols(tuple, desc, 1, &column, &value, &isnull);
}

/*
 * The current transaction updates a row of which it has reserved gapless ids
 * ahead, without touching next_block_start: undo the reservation on this
 * occasion, since the row may not be the same at commit.
 */
static HeapTuple
return_reserved_ids(Relation rel, HeapTuple old, HeapTuple new)
{
	TupleDesc desc = RelationGetDescr(rel);
	char *name = get_string(old, desc, IDGEN_ATT_NAME);
	IdgenHandle *handle = idgen_handle_find(RelationGetRelid(rel), name, strlen(name));
	int64 next = get_int64(old, desc, IDGEN_ATT_NEXT_BLOCK_START);
	bool exhausted = DatumGetInt16(get_attribute(old, desc, IDGEN_ATT_EXHAUSTED)) != 0;

	if (handle == NULL || !idgen_pending_ends_at(handle, next, exhausted) ||
	    !same_attribute(desc, old, new, IDGEN_ATT_NEXT_BLOCK_START))
		return new;

	/* The reservation may have exhausted it, or the update itself does. */
	if (same_attribute(desc, old, new, IDGEN_ATT_EXHAUSTED))
		new = set_column(new, desc, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	return set_column(new, desc, IDGEN_ATT_NEXT_BLOCK_START,
	                  Int64GetDatum(idgen_pending_surrender(handle)));
}

/*
 * Does the row name code? Where source_name is not used, it may do so for a source to which
 * somebody changes the row later.
 */
static bool
names_code(const IdgenSource *source, HeapTuple tuple, TupleDesc desc)
{
	return source->runs_code ||
		(source->check_name == NULL && !heap_attisnull(tuple, IDGEN_ATT_SOURCE_NAME, desc));
}

/* Is it other code that those who draw from some name run after an update? */
static bool
changes_code(TupleDesc desc, HeapTuple old, HeapTuple new)
{
	return !same_attribute(desc, old, new, IDGEN_ATT_NAME) ||
		!same_attribute(desc, old, new, IDGEN_ATT_SOURCE) ||
		!same_attribute(desc, old, new, IDGEN_ATT_SOURCE_NAME);
}

/* Raises 42501 unless the current user may write a row that names code. */
static void
check_may_name_code(Relation rel, const IdgenSource *source)
{
	if (idgen_may_lend_code(RelationGetRelid(rel), GetUserId()))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("permission denied to name a function in table \"%s\"", RelationGetRelationName(rel)),
	         source->runs_code ? errdetail("It runs with the rights of whoever draws, as a trigger would.") : errdetail("Source \"%s\" does not use source_name, but another source may, later.", source->name),
	         errhint("That takes the privilege TRIGGER on the table.%s",
	                 source->runs_code ? "" : " Or set source_name to null.")));
}

/*
 * Trigger before INSERT or UPDATE, each row: refuses values that are unknown (22023),
 * do not go together (0A000), or are not for everybody to set (42501), and fills in start_value.
 */
Datum
idgen_check_row(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TupleDesc desc;
	HeapTuple tuple;
	const IdgenSource *source = NULL;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(trigger->tg_event) ||
	    !TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		wrong_trigger("idgen_check_row", "a BEFORE ROW");
	check_table(fcinfo);

	desc = RelationGetDescr(trigger->tg_relation);
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		tuple = return_reserved_ids(trigger->tg_relation,
		                            trigger->tg_trigtuple, trigger->tg_newtuple);
	else
		tuple = trigger->tg_trigtuple;

	/* A null is left to the column's constraint, which comes after this. */
	if (!heap_attisnull(tuple, IDGEN_ATT_SOURCE, desc))
		source = idgen_check_source(get_string(tuple, desc, IDGEN_ATT_SOURCE),
		                            heap_attisnull(tuple, IDGEN_ATT_SOURCE_NAME, desc) ? NULL : get_string(tuple, desc, IDGEN_ATT_SOURCE_NAME));
	if (source != NULL && names_code(source, tuple, desc) &&
	    (!TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) || changes_code(desc, trigger->tg_trigtuple, tuple)))
		check_may_name_code(trigger->tg_relation, source);
	if (source != NULL && !heap_attisnull(tuple, IDGEN_ATT_REFILL, desc))
		idgen_check_refill(get_string(tuple, desc, IDGEN_ATT_REFILL), source);
	if (!heap_attisnull(tuple, IDGEN_ATT_LAYOUT, desc))
		idgen_check_layout(get_string(tuple, desc, IDGEN_ATT_LAYOUT));

	if (heap_attisnull(tuple, IDGEN_ATT_START_VALUE, desc) &&
	    !heap_attisnull(tuple, IDGEN_ATT_NEXT_BLOCK_START, desc))
		tuple = set_column(tuple, desc, IDGEN_ATT_START_VALUE,
		                   get_attribute(tuple, desc, IDGEN_ATT_NEXT_BLOCK_START));
	return PointerGetDatum(tuple);
}

/*
 * A database or the extension is being dropped, if the transaction commits:
 * what the server asks for here comes early, and the database may still be in
 * use. Or a server or user mapping is being created, altered or dropped.
 */
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
				idgen_pending_drop_database(object_id);
				idgen_registry_stop(object_id); /* it must not be in use */
			}
			break;
		case ExtensionRelationId:
			if (access == OAT_DROP && object_id == get_extension_oid("idgen", true))
				idgen_pending_change_all();
			break;
		case ForeignServerRelationId:
		case UserMappingRelationId:
			idgen_pending_change_servers();
			break;
	}
}

/* Install the hook. Called once per process. */
void
idgen_changes_init(void)
{
	previous_object_access_hook = object_access_hook;
	object_access_hook = object_access;
}
