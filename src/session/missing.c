/*
 * missing.c
 *		What is done about a row that a name lacks.
 *
 * If there is a row that it can be made from (catalog/child.c), a template or a
 * row with periods, a call that draws has the child made. It does so in its own
 * transaction, so a rollback undoes it, and the first ids with it. With refill
 * "worker" that must not be (rule U2). There the session acts as if the row
 * were made, and requests a refill; the worker finds that there is no row, and
 * makes it in its own transaction.
 *
 * Row security is asked for each row that the child comes from, and for the
 * child itself: who may not see one of them sees nothing.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "catalog/calls.h"
#include "catalog/definition.h"
#include "catalog/privileges.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "common/ordered_index.h"
#include "session/validate.h"
#include "cache/cache.h"

/*
 * What users are told of it
 */

/* Can there be an id sequence of that name? */
static bool
is_possible_name(const char *name)
{
	return name[0] != '\0' && pg_mbstrlen(name) <= IDGEN_NAME_CHARACTERS;
}

/*
 * How to create an id sequence with that source, NULL for the default. First
 * comes what holds good if a column draws from it that has ids already: else
 * these would be issued once more.
 */
static const char *
hint_to_create(Oid relid, const char *name, const IdgenSource *source)
{
	StringInfoData hint;
	bool by_default = source == NULL || source == &idgen_source_table;

	initStringInfo(&hint);
	if (by_default)
		appendStringInfo(&hint, "If defaults of columns draw from it, %s() creates it, past the ids that these have. Otherwise create",
		                 idgen_function_name(relid, "idgen_sync"));
	else
		appendStringInfoString(&hint, "Create");
	appendStringInfo(&hint, " it with SELECT %s(%s", idgen_function_name(relid, "idgen_create"), quote_literal_cstr(name));
	if (!by_default)
		appendStringInfo(&hint, ", source => '%s'", source->name);
	if (source != NULL && source->runs_code)
		appendStringInfoString(&hint, ", source_name => '...'");
	appendStringInfoString(&hint, ").");
	if (!by_default && source->has_object)
		appendStringInfo(&hint, " If its column has ids already, call %s() then.", idgen_function_name(relid, "idgen_sync"));
	return hint.data;
}

/*
 * Raises 42704: there is no id sequence of that name, or none that the user may
 * see. "asked" is the source that the caller has asked for, or NULL.
 */
void
idgen_no_such_sequence(Oid relid, const char *name, const IdgenSource *asked)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_OBJECT),
	         errmsg("id sequence \"%s\" does not exist", name),
	         is_possible_name(name) ? errhint("%s", hint_to_create(relid, name, asked)) : errhint("A name has 1 to %d characters.", IDGEN_NAME_CHARACTERS)));
}

/*
 * Raises 42704: there is no id sequence of that name yet, but a draw would make
 * one, from a parent that the user may see.
 */
pg_noreturn static void
not_made_yet(Oid relid, const char *name, const char *parent)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_OBJECT),
	         errmsg("id sequence \"%s\" does not exist", name),
	         errdetail("The first draw of that name makes it, from \"%s\".", parent),
	         errhint("Call %s() first.", idgen_function_name(relid, "idgen_next"))));
}

/*
 * Making children
 */

/*
 * Count the rows that have that value in a column, up to "max", be they
 * committed or just being inserted. Where another transaction in progress has
 * updated one, as each refill does, there are two versions of it: the older one
 * counts. Without an index, all rows are looked at.
 */
static int64
count_rows(Relation rel, AttrNumber attnum, Datum value, int64 max)
{
	Relation index = idgen_index_open(rel, InvalidAttrNumber, attnum, LockWaitBlock);
	SnapshotData snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	int64 count = 0;

	InitDirtySnapshot(snapshot);
	ScanKeyInit(&key, attnum, BTEqualStrategyNumber, F_TEXTEQ, value);
	scan = systable_beginscan(rel, index != NULL ? RelationGetRelid(index) : InvalidOid, index != NULL, &snapshot, 1, &key);
	while (count < max && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		if (!TransactionIdIsValid(snapshot.xmin) || !(tuple->t_data->t_infomask & HEAP_UPDATED))
			count++;
	}
	systable_endscan(scan);
	if (index != NULL)
		index_close(index, AccessShareLock);
	return count;
}

/*
 * A child of a template is about to be made, of a name that was not found.
 * Raises 2200H if there are as many as there may be; but if another transaction
 * is making that very one, who waits for it may get it.
 *
 * What counts is column "template" of the rows there are. The slot of the
 * template keeps a session from counting each time; but not without the
 * server's cache, since then a session does not learn what the others make.
 * Between being added there and being in the table, a child is missing from the
 * count. So sessions that make children at the very same moment can exceed the
 * limit, by as many as they are; but no transaction can, however long it takes.
 */
static void
check_limit(Relation rel, TupleTableSlot *template, const char *child)
{
	Datum name = idgen_row_attribute(template, IDGEN_ATT_NAME);
	uint8 digest[IDGEN_DIGEST_BYTES];
	IdgenCacheKey key;
	uint64 version;
	int32 before;
	bool isnull;
	int32 max = DatumGetInt32(slot_getattr(template, IDGEN_ATT_MAX_CHILDREN, &isnull));

	idgen_cache_digest(VARDATA_ANY(DatumGetTextPP(name)), VARSIZE_ANY_EXHDR(DatumGetTextPP(name)), digest);
	idgen_cache_key(&key, RelationGetRelid(rel), digest);
	if (isnull)
	{
		(void) idgen_cache_add_child(&key, PG_INT32_MAX, &before); /* there may be a limit later */
		return;
	}
	(void) idgen_cache_attach(&key, &version);
	while (!idgen_cache_add_child(&key, max, &before))
	{
		int64 children = count_rows(rel, IDGEN_ATT_TEMPLATE, name, max);

		if (children >= max && count_rows(rel, IDGEN_ATT_NAME, CStringGetTextDatum(child), 1) > 0)
			return;
		if (children >= max)
			ereport(ERROR,
			        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			         errmsg("template \"%s\" cannot have another child", TextDatumGetCString(name)),
			         errdetail("Its max_children is %d.", max),
			         errhint("Raise max_children, or delete children that are out of use from %s.",
			                 idgen_table_name(RelationGetRelid(rel)))));
		if (!idgen_cache_is_shared())
			return;
		idgen_cache_set_children(&key, version, children, before);
		(void) idgen_cache_attach(&key, &version);
	}
}

/*
 * Make a row, and before it what it is made from. For a call, each has to be
 * one that the user may see. Only then is that known, since a policy may look
 * for the row in the table: so it does not stay. Returns false if a trigger has
 * suppressed one. Raises 42704, 2200H, and what the insert raises.
 */
static bool
make(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row)
{
	IdgenRow *from = row->from;

	if (from->from != NULL && !make(handle, call, from))
		return false;
	if (idgen_is_template_name(from->name))
		check_limit(row->rel, from->slot, row->name);
	if (!idgen_row_make(row))
		return false;
	if (call != NULL && !idgen_row_visible(row->rel, row->slot))
		idgen_no_such_sequence(handle->relid, handle->name, call->asked);
	return true;
}

/* Is it the worker that makes the children of a row? */
static bool
is_made_by_worker(TupleTableSlot *parent, const char *name)
{
	IdgenDefinition def;

	idgen_definition_from_row(parent, name, &def);
	return def.refill == IDGEN_REFILL_WORKER && def.source->locks_row;
}

/*
 * Raises 55P03 if the worker cannot see what a child is made from, which the
 * current transaction has written.
 */
static void
check_worker_sees(TupleTableSlot *parent, const char *name)
{
	if (idgen_row_is_own(parent))
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot make id sequence \"%s\"", name),
		         errdetail("The current transaction has written what it is made from."),
		         errhint("Commit first, or use refill \"auto\".")));
}

/* May the user see all that a row comes from? */
static bool
is_origin_visible(const IdgenRow *row)
{
	return row->from == NULL ||
		(is_origin_visible(row->from) && idgen_row_visible(row->rel, row->from->slot));
}

/*
 * There is what the row can be made from: have it made, or shown, or raise
 * 42704, since it is not made yet. Returns false if there is none then, or the
 * user may not see what it comes from. Raises
 * 25006 in a read-only transaction if it is to be made, 42704 if the user may
 * not see what is made, 2200H if the template has too many children, 55P03, and
 * what the insert raises.
 */
static bool
make_or_show(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row, IdgenFound *found)
{
	TupleTableSlot *origin = idgen_row_origin(row)->slot;
	bool by_worker = is_made_by_worker(origin, handle->name);

	if (!idgen_row_visible(row->rel, origin))
		return false;
	if (call->missing_row == IDGEN_MISSING_ROW_MISSED)
	{
		if (is_origin_visible(row) && idgen_row_visible(row->rel, row->slot))
			not_made_yet(handle->relid, handle->name, idgen_row_origin(row)->name);
		return false;
	}
	if (call->missing_row == IDGEN_MISSING_ROW_MADE)
		PreventCommandIfReadOnly(call->function);
	if (call->missing_row == IDGEN_MISSING_ROW_MADE && by_worker)
		check_worker_sees(origin, handle->name);
	if (call->missing_row != IDGEN_MISSING_ROW_SHOWN && !by_worker)
		return make(handle, call, row);
	found->unmade = is_origin_visible(row);
	return found->unmade;
}

/*
 * Find what the row would be made as. Returns false if there is nothing that it
 * can be made from. A child that is drawn from on behalf of a row with periods
 * is made from that one, even if that has got others by now. Raises 42704 if
 * that is gone.
 */
static bool
describe(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row)
{
	const char *parent = call->parent != NULL && !call->parent->found.unmade ? call->parent->name : NULL;
	bool found = idgen_row_describe(row, parent);

	if (!found && parent != NULL)
		idgen_no_such_sequence(handle->relid, parent, call->asked);
	return found;
}

/*
 * Open the row of a handle. If there is none, have one made, or shown, as far
 * as the call asks for that. Returns whether the open row has one then;
 * found->unmade says that it is only shown. A parent comes before
 * idgen.auto_create, which makes no row that could begin below the ids that
 * columns have. Raises what describe() and make_or_show() do.
 */
bool
idgen_open_or_make_row(IdgenRow *row, const IdgenHandle *handle, const IdgenCall *call, IdgenFound *found)
{
	if (idgen_row_open(row, handle->relid, handle->name))
		return true;
	if (!is_possible_name(handle->name) ||
	    (call->missing_row == IDGEN_MISSING_ROW_MISSED && call->asked != NULL && call->asked->has_object))
		return false;
	if (describe(handle, call, row))
		return make_or_show(handle, call, row, found);
	if (!idgen_auto_create || XactReadOnly || call->missing_row != IDGEN_MISSING_ROW_MADE ||
	    (call->asked != NULL && call->asked != &idgen_source_table) || idgen_name_is_used(handle->relid, handle->name))
		return false;
	idgen_row_describe_by_default(row);
	return idgen_row_make(row);
}

/*
 * The name of the row that one of that name would be made from, palloc'd: a row
 * with periods, or a template. NULL if there is none. A row with periods may be
 * missing as well.
 */
const char *
idgen_parent_of(Oid relid, const char *name)
{
	IdgenRow row;
	const char *parent;

	idgen_row_begin(&row, relid, name);
	parent = is_possible_name(name) && idgen_row_describe(&row, NULL) ? row.from->name : NULL;
	idgen_row_close(&row);
	return parent;
}

/*
 * The worker has not found the row that is to be refilled: make it, if that is
 * for the worker to do. Returns whether the open row has one then. (If nobody
 * has waited, then the row was not missing when the refill was requested, but
 * was deleted since, and this is not called.) Raises 2200H, what the insert
 * raises, and 09000 if there is no row after it: those who wait would ask again
 * and again.
 */
bool
idgen_missing_row_for_worker(const IdgenHandle *handle, IdgenRow *row)
{
	if (!idgen_row_describe(row, NULL) || !is_made_by_worker(idgen_row_origin(row)->slot, handle->name))
		return false;
	if (!make(handle, NULL, row))
		ereport(ERROR,
		        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
		         errmsg("a trigger on \"id_sequences\" has suppressed the row of id sequence \"%s\"", handle->name),
		         errhint("Make the trigger leave rows alone that have a template.")));
	return true;
}
