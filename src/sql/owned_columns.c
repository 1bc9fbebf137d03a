/*
 * owned_columns.c
 *		What becomes of an id sequence when its column is dropped or altered.
 *
 * Two event triggers call these functions: at the end of each command that has
 * dropped something, and of each ALTER TABLE or ALTER TYPE. They were preferred
 * to the server's hook object_access_hook, which is called only where the
 * library is loaded: without preload, most sessions that drop a table have not
 * drawn.
 *
 * Everything happens in the transaction of the command, so a rollback undoes
 * it. Whoever drops a table must not fail because of idgen: where there is no
 * id_sequences as it should be, nothing is done.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/event_trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

#include "catalog/child_rows.h"
#include "catalog/definition.h"
#include "catalog/owned_rows.h"
#include "catalog/row.h"
#include "catalog/row_alter.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/pending.h"
#include "sql/column.h"
#include "sql/column_users.h"
#include "sql/dependants.h"

PG_FUNCTION_INFO_V1(idgen_columns_dropped);
PG_FUNCTION_INFO_V1(idgen_columns_altered);

/* What the command has dropped: columns, or a table as a whole. */
typedef struct Dropped
{
	Oid relid;
	AttrNumber attnum; /* 0 for all columns */
} Dropped;

/* Raises 39P03 unless an event trigger calls. */
static EventTriggerData *
get_event(FunctionCallInfo fcinfo, const char *function)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("function \"%s\" must be fired by an event trigger", function)));
	return (EventTriggerData *) fcinfo->context;
}

/* The OID of id_sequences, which is in the function's schema, or invalid. */
static Oid
find_id_sequences(FunctionCallInfo fcinfo)
{
	return get_relname_relid("id_sequences", get_func_namespace(fcinfo->flinfo->fn_oid));
}

/*
 * Dropped columns
 */

/*
 * Tables, columns and whatever else is in pg_class. *n is their number.
 * Temporary ones are left out: no id sequence belongs to them.
 */
static Dropped *
get_dropped(uint64 *n)
{
	static SPIPlanPtr plan = NULL;
	MemoryContext caller = CurrentMemoryContext;
	Dropped *dropped;

	SPI_connect();
	if (plan == NULL)
	{
		plan = SPI_prepare("SELECT objid, objsubid FROM pg_catalog.pg_event_trigger_dropped_objects()"
		                   " WHERE classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass"
		                   " AND NOT is_temporary",
		                   0, NULL);
		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare the query for dropped objects");
	}
	if (SPI_execute_plan(plan, NULL, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not get the dropped objects");
	*n = SPI_processed;
	dropped = MemoryContextAllocHuge(caller, (SPI_processed + 1) * sizeof(Dropped));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		bool isnull;

		dropped[i].relid = DatumGetObjectId(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &isnull));
		dropped[i].attnum = (AttrNumber) DatumGetInt32(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &isnull));
	}
	SPI_finish();
	return dropped;
}

/* Has the command dropped anything that an id sequence could belong to? */
static bool
drops_any(void)
{
	uint64 n;

	pfree(get_dropped(&n));
	return n > 0;
}

/*
 * The names of the id sequences that have lost their column. While somebody has
 * locked the table, those wait that have dropped something of concern. It takes
 * less time to look at the table, mostly, than at what was dropped.
 */
static List *
find_orphans(Oid id_sequences)
{
	IdgenOwnedSearch search;
	List *names = NIL;

	if (ConditionalLockRelationOid(id_sequences, AccessShareLock))
		UnlockRelationOid(id_sequences, AccessShareLock);
	else if (!drops_any())
		return NIL;
	if (!idgen_owned_begin(&search, id_sequences))
		return NIL;
	if (idgen_owned_any(&search))
	{
		uint64 n;
		Dropped *dropped = get_dropped(&n);

		for (uint64 i = 0; i < n; i++)
			names = list_concat(names,
			                    dropped[i].attnum == 0 ? idgen_owned_by_table(&search, dropped[i].relid) : idgen_owned_by_column(&search, idgen_owning_column(dropped[i].relid, dropped[i].attnum)));
		pfree(dropped);
	}
	idgen_owned_end(&search);
	return names;
}

/*
 * Delete the row of an id sequence that has lost its column; or have it belong
 * to another column that draws from it. Another transaction may have given it
 * another column before the lock was there. Returns false if it has deleted or
 * renamed it.
 */
static bool
settle_orphan(Relation rel, const IdgenUsed *used, TupleTableSlot *row)
{
	IdgenRowChanges changes = {.n = 0};
	bool isnull;
	Datum column;

	if (!idgen_row_lock(rel, used->name, row))
		return false;
	column = slot_getattr(row, IDGEN_ATT_OWNED_BY, &isnull);
	if (!isnull && !idgen_owning_column_exists(DatumGetInt64(column)))
	{
		if (used->use == IDGEN_USED_BY_NONE)
			idgen_row_delete(rel, row);
		else
		{
			idgen_row_set(&changes, IDGEN_ATT_OWNED_BY, Int64GetDatum(used->column),
			              used->column == IDGEN_NO_COLUMN);
			idgen_row_alter(rel, row, &changes);
		}
	}
	ExecClearTuple(row);
	return true;
}

/*
 * Find out what else draws from the id sequences, and keep the columns that do
 * from being dropped: whoever drops one meanwhile would not know that it is to
 * own something.
 */
static void
hold_users(Relation id_sequences, IdgenUsed *used, int n)
{
	bool all_there;

	do
	{
		idgen_find_users(id_sequences, used, n);
		all_there = true;
		for (int i = 0; i < n; i++)
		{
			if (used[i].column == IDGEN_NO_COLUMN)
				continue;
			LockRelationOid(idgen_owning_table(used[i].column), AccessShareLock);
			all_there = all_there && idgen_owning_column_exists(used[i].column);
		}
	} while (!all_there);
}

/* Returns false if some of the rows have been deleted or renamed meanwhile. */
static bool
settle_orphans(Oid id_sequences, List *names)
{
	IdgenUsed *used = palloc(list_length(names) * sizeof(IdgenUsed));
	Relation rel = idgen_table_open(id_sequences, RowExclusiveLock);
	TupleTableSlot *row = table_slot_create(rel, NULL);
	bool all_there = true;
	ListCell *cell;

	idgen_table_check_not_rewritten(rel);
	foreach(cell, names)
		used[foreach_current_index(cell)].name = (char *) lfirst(cell);
	hold_users(rel, used, list_length(names));
	for (int i = 0; i < list_length(names); i++)
		all_there = settle_orphan(rel, &used[i], row) && all_there;
	ExecDropSingleTupleTableSlot(row);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	return all_there;
}

/*
 * Event trigger on sql_drop. Raises what idgen_table_open(), idgen_row_delete()
 * and idgen_row_alter() do.
 */
Datum
idgen_columns_dropped(PG_FUNCTION_ARGS)
{
	Oid id_sequences;
	List *names;

	(void) get_event(fcinfo, "idgen_columns_dropped");
	id_sequences = find_id_sequences(fcinfo);
	if (!OidIsValid(id_sequences))
		PG_RETURN_NULL();

	/* What has been renamed is found under its new name. */
	do
		names = find_orphans(id_sequences);
	while (names != NIL && !settle_orphans(id_sequences, names));
	PG_RETURN_NULL();
}

/*
 * Altered columns
 */

/*
 * The greatest value that a column can hold, 0 if it is not an integer or is
 * gone by now.
 */
static int64
greatest_value(Oid relid, AttrNumber attnum)
{
	Oid type = get_atttype(relid, attnum);

	return OidIsValid(type) ? idgen_greatest_value(getBaseType(type)) : 0;
}

/* Is it the greatest value of some integer type? */
static bool
is_greatest_value(int64 value)
{
	return value == PG_INT16_MAX || value == PG_INT32_MAX || value == PG_INT64_MAX;
}

/*
 * If the transaction has reserved gapless ids, give them back to the row: a
 * lower max_value drops pending ids. Returns false if there are none.
 */
static bool
give_back_reserved_ids(Relation rel, const IdgenDefinition *def, const char *name, IdgenRowChanges *changes)
{
	IdgenHandle *handle = idgen_handle_find(RelationGetRelid(rel), name, strlen(name));

	if (handle == NULL || !idgen_pending_ends_at(handle, def->next_block_start, def->exhausted))
		return false;
	idgen_row_set(changes, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(idgen_pending_surrender(handle)), false);
	idgen_row_set(changes, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0), false);
	return true;
}

/*
 * May an id sequence get another max_value on behalf of its column? Composed
 * ids say nothing of the sequence value, and with another range, ids that have
 * been scrambled would be issued a second time.
 */
static bool
may_change_max_value(const IdgenDefinition *def)
{
	if (def->layout->scrambled)
		return def->source->locks_row && !def->exhausted && def->next_block_start == def->start_value;
	return def->layout == &idgen_layout_plain;
}

/*
 * A max_value that is the end of an integer type becomes that of the column's
 * new type, as ALTER SEQUENCE ... AS has it. Any other was chosen by somebody.
 */
static void
set_max_value(Relation rel, const char *name, int64 type_max, TupleTableSlot *row)
{
	IdgenRowChanges changes = {.n = 0};
	IdgenDefinition def;

	if (!idgen_row_lock(rel, name, row))
		return;
	idgen_definition_from_row(row, name, &def);
	if (def.max_value != type_max && is_greatest_value(def.max_value) && may_change_max_value(&def))
	{
		idgen_row_set(&changes, IDGEN_ATT_MAX_VALUE, Int64GetDatum(type_max), false);
		if (!give_back_reserved_ids(rel, &def, name, &changes) && def.exhausted &&
		    def.next_block_start <= type_max && def.next_block_start > def.max_value)
			idgen_row_set(&changes, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0), false);
		idgen_row_alter(rel, row, &changes);
	}
	ExecClearTuple(row);
}

/* The same for an id sequence and its children, which have their ids there. */
static void
set_max_values(Relation rel, const char *name, int64 type_max, TupleTableSlot *row)
{
	ListCell *cell;

	set_max_value(rel, name, type_max, row);
	foreach(cell, idgen_child_rows_unowned(rel, name))
		set_max_value(rel, (char *) lfirst(cell), type_max, row);
}

/* The type of a column has changed. */
static void
type_changed(Oid id_sequences, Oid relid, AttrNumber attnum)
{
	int64 type_max = greatest_value(relid, attnum);
	IdgenOwnedSearch search;
	List *names;
	ListCell *cell;

	if (type_max == 0 || !idgen_owned_begin(&search, id_sequences))
		return;
	names = idgen_owned_by_column(&search, idgen_owning_column(relid, attnum));
	idgen_owned_end(&search);
	if (names != NIL)
	{
		Relation rel = idgen_table_open(id_sequences, RowExclusiveLock);
		TupleTableSlot *row = table_slot_create(rel, NULL);

		foreach(cell, names)
			set_max_values(rel, (char *) lfirst(cell), type_max, row);
		ExecDropSingleTupleTableSlot(row);
		table_close(rel, NoLock);
		CommandCounterIncrement();
	}
}

/* It has changed in all that have inherited the column, too. */
static void
type_changed_in_all(Oid id_sequences, Oid relid, const char *column)
{
	ListCell *cell;

	foreach(cell, find_all_inheritors(relid, NoLock, NULL))
		type_changed(id_sequences, lfirst_oid(cell), get_attnum(lfirst_oid(cell), column));
}

/*
 * The type of an attribute has changed, and so have the columns of the tables
 * of that type, or the command would have failed.
 */
static void
type_changed_in_typed_tables(Oid id_sequences, Oid type, const char *attribute)
{
	ListCell *cell;

	foreach(cell, idgen_dependants(TypeRelationId, type))
	{
		const ObjectAddress *user = lfirst(cell);

		if (user->classId == RelationRelationId && user->objectSubId == 0)
			type_changed_in_all(id_sequences, user->objectId, attribute);
	}
}

/*
 * Event trigger on ddl_command_end of ALTER TABLE, ALTER FOREIGN TABLE and
 * ALTER TYPE. Raises what idgen_table_open() and idgen_row_alter() do.
 */
Datum
idgen_columns_altered(PG_FUNCTION_ARGS)
{
	EventTriggerData *event = get_event(fcinfo, "idgen_columns_altered");
	AlterTableStmt *command = (AlterTableStmt *) event->parsetree;
	ListCell *cell;

	if (!IsA(command, AlterTableStmt))
		PG_RETURN_NULL();
	foreach(cell, command->cmds)
	{
		AlterTableCmd *part = lfirst_node(AlterTableCmd, cell);
		Oid id_sequences;
		Oid relid;

		if (part->subtype != AT_AlterColumnType)
			continue;
		id_sequences = find_id_sequences(fcinfo);
		relid = RangeVarGetRelid(command->relation, NoLock, true);
		if (!OidIsValid(id_sequences) || !OidIsValid(relid))
			continue;
		if (get_rel_relkind(relid) == RELKIND_COMPOSITE_TYPE)
			type_changed_in_typed_tables(id_sequences, get_rel_type_id(relid), part->name);
		else
			type_changed_in_all(id_sequences, relid, part->name);
	}
	PG_RETURN_NULL();
}
