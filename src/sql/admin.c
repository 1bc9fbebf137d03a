/*
 * admin.c
 *		What functions of the script need besides SQL: idgen_create(),
 *		idgen_restart(), idgen_sync(), idgen_adopt() and idgen_release().
 *
 * Restarting and moving change the row by ordinary SQL, or a native sequence. C
 * finds out what there is to move, has the cache drop what it holds, and gives
 * a native sequence a new file.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "commands/event_trigger.h"
#include "commands/sequence.h"
#include "commands/tablecmds.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "session/validate.h"
#include "session/xact.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_new_row);
PG_FUNCTION_INFO_V1(idgen_child);
PG_FUNCTION_INFO_V1(idgen_look);
PG_FUNCTION_INFO_V1(idgen_drop_cached);
PG_FUNCTION_INFO_V1(idgen_start_sequence);
PG_FUNCTION_INFO_V1(idgen_hold);
PG_FUNCTION_INFO_V1(idgen_serial_name);
PG_FUNCTION_INFO_V1(idgen_make_serial);
PG_FUNCTION_INFO_V1(idgen_set_not_null);

/* Raises 42501 unless the current user owns the relation. */
static void
check_owner(Oid relid)
{
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
}

/*
 * Creating
 */

/*
 * The column that the id sequence shall belong to, which is kept from being
 * dropped until the transaction ends. Raises 42P01, 42703, 42602, 42809, 42501.
 */
static IdgenOwningColumn
check_owned_by(const char *given)
{
	IdgenOwningColumn column = idgen_owning_column_find(given, ERROR);
	const char *problem;
	Oid relid = idgen_owning_table(column);

	LockRelationOid(relid, AccessShareLock);
	problem = idgen_owning_column_problem(column);
	if (problem != NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("an id sequence cannot belong to column \"%s\"", given),
		         errdetail_internal("%s", problem)));
	check_owner(relid);
	return column;
}

/* An argument that may be null, as a string. */
static const char *
optional_string(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/*
 * idgen_new_row(name text, source text, source_name text, refill text,
 * column_name text, OUT source_name text, OUT refill text, OUT owned_by text)
 * returns record: what is stored of these arguments of idgen_create(). Null for
 * a name or a source that is null. Raises 22023, 22001 for a name, 22023, 0A000
 * for a refill, what the source raises for its name, and what check_owned_by()
 * does.
 */
Datum
idgen_new_row(PG_FUNCTION_ARGS)
{
	const char *name = optional_string(fcinfo, 0);
	const char *source_name = optional_string(fcinfo, 2);
	const char *refill = optional_string(fcinfo, 3);
	const char *owned_by = optional_string(fcinfo, 4);
	const IdgenSource *source;
	IdgenViewLine line = {.n = 0};
	bool is_template;

	if (name != NULL)
		idgen_check_name(PG_GETARG_TEXT_PP(0));
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	source = idgen_source_get(optional_string(fcinfo, 1));
	if (refill == NULL)
		refill = idgen_refill_by_default(source);
	idgen_check_refill(refill, source);
	if (name == NULL)
		PG_RETURN_NULL();
	is_template = idgen_is_template_name(name);
	if (owned_by != NULL && !is_template)
		owned_by = idgen_owning_column_name(check_owned_by(owned_by));

	/* each child of a template has its own, where none is named for all */
	if (source->check_name != NULL)
		source_name = source->check_name(is_template && source_name == NULL ? NULL : name, source_name);
	idgen_view_add_text(&line, source_name);
	idgen_view_add_text(&line, refill);
	idgen_view_add_text(&line, owned_by);
	return idgen_view_row(fcinfo, &line);
}

/*
 * idgen_child(name text, parent text) returns id_sequences: the row of that
 * name, as a draw would make it from that parent or, if this is empty, from
 * what a draw finds. Null if there is none that the caller sees. Raises 42501
 * unless they may read the table. Members of pg_monitor see all.
 */
Datum
idgen_child(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *parent = text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool monitor = idgen_may_monitor();
	IdgenRow row;
	Datum result = (Datum) 0;

	if (!monitor)
		idgen_check_select(id_sequences);
	/* Each slash of a name takes a look, and memory. */
	if (pg_mbstrlen(name) > IDGEN_NAME_CHARACTERS)
		PG_RETURN_NULL();
	idgen_row_begin(&row, id_sequences, name);
	fcinfo->isnull = !idgen_row_describe(&row, *parent != '\0' ? parent : NULL) ||
		!(monitor || idgen_row_visible(row.rel, idgen_row_origin(&row)->slot));
	if (!fcinfo->isnull)
		result = ExecFetchSlotHeapTupleDatum(row.slot);
	idgen_row_close(&row);
	return result;
}

/*
 * Restarting, and moving behind ids
 */

/*
 * The owner of the column that a row belongs to, and the transaction that has
 * written the row: invalid if there is none. Returns false if there is no row.
 */
static bool
look_at_row(Oid id_sequences, const char *name, Oid *owner, TransactionId *writer)
{
	IdgenRow row;
	bool found = idgen_row_open(&row, id_sequences, name);

	*owner = InvalidOid;
	*writer = InvalidTransactionId;
	if (found)
	{
		bool isnull;
		Datum column = slot_getattr(row.slot, IDGEN_ATT_OWNED_BY, &isnull);

		if (!isnull)
			*owner = idgen_owner_of(idgen_owning_table(DatumGetInt64(column)));
		*writer = idgen_row_writer(row.slot);
	}
	idgen_row_close(&row);
	return found;
}

/*
 * Validate the handle of an id sequence that is to be moved. Raises 0A000 for a
 * row with periods, and what idgen_handle_validate() does.
 */
static void
validate(IdgenHandle *handle, IdgenCall *call)
{
	idgen_handle_invalidate(handle);
	idgen_handle_validate(handle, call);
	if (handle->found.row.period != IDGEN_PERIOD_NONE)
		idgen_refuse_periods(handle, "idgen_restart");
}

/* Lock the native sequence of a handle as ALTER SEQUENCE does. Raises 42501. */
static void
lock_object(IdgenHandle *handle, IdgenCall *call)
{
	uint64 epoch;

	do
	{
		epoch = idgen_epoch;
		if (!OidIsValid(handle->found.object))
			break;
		idgen_native_check(handle->found.object, ACL_UPDATE);
		LockRelationOid(handle->found.object, ShareRowExclusiveLock);
		if (epoch == idgen_epoch)
			break;
		validate(handle, call);
	} while (true);
}

/*
 * idgen_look(search_path text, function text, name text, source text,
 * lock boolean, last_id bigint) returns record: what is to be known of an id
 * sequence to move it. The child of a template is made. With "lock", the native
 * sequence that its blocks come from is locked, as ALTER SEQUENCE does, and is
 * asked what comes next. Without it, all is null if there is no row, and no
 * source is asked for that needs none. If there is a last id, do all that are
 * cached or pending lie behind it? Raises 42704, 42501, 0A000, 25006.
 */
Datum
idgen_look(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	IdgenCall call = {0};
	IdgenViewLine line = {.n = 0};
	const IdgenFound *found;
	const IdgenNativeSequence *sequence;
	IdgenBlock next = {.left = 0};
	const char *name;
	IdgenHandle *handle;
	TransactionId writer;
	Oid owner;
	bool made;
	bool lock;
	int64 step;
	int guc_level;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	call.function = text_to_cstring(PG_GETARG_TEXT_PP(1));
	name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	lock = PG_GETARG_BOOL(4);
	PreventCommandIfParallelMode(call.function);
	if (!PG_ARGISNULL(3))
		call.asked = idgen_source_get(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	made = look_at_row(id_sequences, name, &owner, &writer);
	if (!made && idgen_parent_of(id_sequences, name) != NULL)
		call.missing_row = IDGEN_MISSING_ROW_MADE;
	else if (!made && !lock && (call.asked == NULL || !call.asked->has_object))
		PG_RETURN_NULL();

	/* Names are found by the search_path of whoever has called. */
	guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", text_to_cstring(PG_GETARG_TEXT_PP(0)), PGC_USERSET, PGC_S_SESSION,
	                         GUC_ACTION_SAVE, true, 0, false);
	handle = idgen_handle_get(id_sequences, name, strlen(name));
	validate(handle, &call);
	found = &handle->found;
	if (!found->temporary)
		PreventCommandIfReadOnly(call.function);
	if (lock)
		lock_object(handle, &call);
	sequence = OidIsValid(found->object) ? found->native : NULL;
	step = sequence != NULL ? sequence->step : 1;
	if (lock && sequence != NULL)
	{
		IdgenNativeState state = idgen_native_state(found->object);

		next = idgen_native_next_ids(sequence, &state);
	}

	idgen_view_add(&line, BoolGetDatum(found->has_row));
	idgen_view_add_text(&line, found->row.source->name);
	idgen_view_add_unless(!OidIsValid(owner), &line, ObjectIdGetDatum(owner));
	idgen_view_add_unless(sequence == NULL, &line, ObjectIdGetDatum(found->object));
	idgen_view_add(&line, BoolGetDatum(found->search_path != NULL));
	idgen_view_add(&line, Int32GetDatum((int32) step));
	idgen_view_add_unless(next.left == 0, &line, Int64GetDatum(next.next));

	/*
	 * Others see what a transaction has written before it publishes the rest of
	 * its block: so wait for that of the row.
	 */
	if (!PG_ARGISNULL(5) && TransactionIdIsNormal(writer) && !TransactionIdIsCurrentTransactionId(writer))
		XactLockTableWait(writer, NULL, NULL, XLTW_None);
	idgen_view_add(&line, BoolGetDatum(PG_ARGISNULL(5) || idgen_all_lie_behind(handle, PG_GETARG_INT64(5), step)));
	AtEOXact_GUC(true, guc_level);
	return idgen_view_row(fcinfo, &line);
}

/*
 * idgen_drop_cached(name text) returns void: when the transaction commits, drop
 * what is cached of a row, and for the transaction itself at once. Before the
 * row is updated: the update must not put back what this transaction has
 * reserved, and a step forward would not by itself drop anything. Raises 42501,
 * and 42704 for a row that the caller may not see.
 */
Datum
idgen_drop_cached(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	IdgenCall call = {.function = "idgen_restart"};

	idgen_check_may_update(id_sequences);
	validate(idgen_handle_get(id_sequences, name, strlen(name)), &call);
	idgen_changes_note_cached(id_sequences, name);
	PG_RETURN_VOID();
}

/*
 * idgen_start_sequence(sequence oid, value bigint, is_called boolean) returns
 * void: setval(), but on a new file, as ALTER SEQUENCE RESTART gives it one. So
 * it takes effect, and voids what is cached, when the transaction commits, or
 * not at all. Like setval(), it needs the privilege UPDATE. Raises 42501.
 */
Datum
idgen_start_sequence(PG_FUNCTION_ARGS)
{
	Oid sequence = PG_GETARG_OID(0);

	idgen_native_check(sequence, ACL_UPDATE);
	LockRelationOid(sequence, ShareRowExclusiveLock);
	ResetSequence(sequence);
	(void) DirectFunctionCall3(setval3_oid, ObjectIdGetDatum(sequence), PG_GETARG_DATUM(1), PG_GETARG_DATUM(2));
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/*
 * Moving columns
 */

/*
 * idgen_hold(relation oid, attnum smallint, to_change boolean) returns void:
 * until the transaction ends, keep others from a table, with all that inherit
 * from it, or from a native sequence; or only keep them from being dropped, for
 * who may read that column, or use the sequence. LOCK TABLE would lock what has
 * the name by then. Raises 42501.
 */
Datum
idgen_hold(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	AttrNumber attnum = PG_GETARG_INT16(1);
	bool to_change = PG_GETARG_BOOL(2);
	LOCKMODE mode = to_change ? AccessExclusiveLock : AccessShareLock;

	if (to_change)
	{
		PreventCommandIfParallelMode("LOCK TABLE");
		PreventCommandDuringRecovery("LOCK TABLE");
		check_owner(relid);
	}
	else if (attnum == InvalidAttrNumber)
		idgen_native_check(relid, ACL_USAGE | ACL_SELECT | ACL_UPDATE);
	else if (get_attname(relid, attnum, true) == NULL)
		PG_RETURN_VOID();
	else
		idgen_check_may_read(relid, attnum);
	LockRelationOid(relid, mode);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		(void) find_all_inheritors(relid, mode, NULL);
	PG_RETURN_VOID();
}

/*
 * idgen_serial_name(table_name name, column_name name) returns name: how the
 * server calls the native sequence of a serial column, if that name is free
 */
Datum
idgen_serial_name(PG_FUNCTION_ARGS)
{
	char *name = makeObjectName(NameStr(*PG_GETARG_NAME(0)), NameStr(*PG_GETARG_NAME(1)), "seq");

	return DirectFunctionCall1(namein, CStringGetDatum(name));
}

/*
 * idgen_make_serial(relation oid, column_name name, start bigint) returns oid:
 * make a native sequence that begins with "start" and belongs to the column, in
 * a table that the caller has locked. Its name and its type are those that the
 * server gives it, and it belongs to the owner of the table, whoever calls
 * this: there is no SQL that says so. Raises 42501, 42703.
 */
Datum
idgen_make_serial(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	const char *column = NameStr(*PG_GETARG_NAME(1));
	int64 start = PG_GETARG_INT64(2);
	Oid schema = get_rel_namespace(relid);
	Oid type = get_atttype(relid, get_attnum(relid, column));
	PlannedStmt *planned = makeNode(PlannedStmt);
	CreateSeqStmt *statement;
	char *name;
	char *command;

	check_owner(relid);
	if (!OidIsValid(type))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_COLUMN),
		         errmsg("column \"%s\" of relation \"%s\" does not exist", column, get_rel_name(relid))));
	name = ChooseRelationName(get_rel_name(relid), column, "seq", schema, false);
	command = psprintf("CREATE %sSEQUENCE %s AS %s START WITH %lld MINVALUE %lld OWNED BY %s.%s",
	                   get_rel_persistence(relid) == RELPERSISTENCE_PERMANENT ? "" : "UNLOGGED ",
	                   quote_qualified_identifier(get_namespace_name(schema), name),
	                   format_type_be_qualified(getBaseType(type)), (long long) start, (long long) Min(start, 1),
	                   idgen_table_name(relid), quote_identifier(column));
	statement = castNode(CreateSeqStmt, linitial_node(RawStmt, raw_parser(command, RAW_PARSE_DEFAULT))->stmt);
	statement->ownerId = idgen_owner_of(relid);
	planned->commandType = CMD_UTILITY;
	planned->utilityStmt = (Node *) statement;
	ProcessUtility(planned, command, false, PROCESS_UTILITY_QUERY, NULL, NULL, None_Receiver, NULL);
	CommandCounterIncrement();
	PG_RETURN_OID(get_relname_relid(name, schema));
}

/*
 * idgen_set_not_null(relation oid, column_name name, as_owner boolean) returns
 * void: have a column refuse nulls, in a table that the caller has locked. The
 * server may run functions in CHECK constraints, so this is done as the owner
 * of the table, unless there are none. Raises 42501, 23502.
 */
Datum
idgen_set_not_null(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	bool as_owner = PG_GETARG_BOOL(2);
	AlterTableStmt *statement = makeNode(AlterTableStmt);
	AlterTableCmd *command = makeNode(AlterTableCmd);
	IdgenIdentity before;

	check_owner(relid);
	command->subtype = AT_SetNotNull;
	command->name = pstrdup(NameStr(*PG_GETARG_NAME(1)));
	statement->relation = makeRangeVar(get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid), -1);
	statement->cmds = list_make1(command);
	statement->objtype = OBJECT_TABLE;
	if (as_owner)
		idgen_act_as(idgen_owner_of(relid), &before);
	EventTriggerAlterTableStart((Node *) statement);
	AlterTableInternal(relid, statement->cmds, true);
	EventTriggerAlterTableEnd();
	CommandCounterIncrement();
	if (as_owner)
		idgen_act_as_before(&before);
	PG_RETURN_VOID();
}
