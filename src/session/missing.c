/*
 * missing.c
 *		What is done about a row that a name lacks.
 *
 * If there is a row that it can be made from (catalog/parent.c), a template or
 * a row with periods, a call that draws has the child made. It does
 * so in its own transaction, so a rollback undoes it, and the first ids with
 * it. With refill "worker" that must not be (rule U2). There the session acts
 * as if the row were made, and requests a refill; the worker finds that there
 * is no row, and makes it in its own transaction.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "catalog/definition.h"
#include "catalog/missing_row.h"
#include "catalog/parent.h"
#include "catalog/privileges.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "catalog/used_name.h"
#include "common/guc.h"
#include "session/child_limit.h"
#include "session/messages.h"
#include "session/missing.h"
#include "shmem/worker_requests.h"

/* Is it the worker that makes the children of a row? */
static bool
is_made_by_worker(TupleTableSlot *parent, const char *name)
{
	IdgenDefinition def;

	idgen_definition_from_row(parent, name, &def);
	return def.refill == IDGEN_REFILL_WORKER && def.source->locks_row;
}

/*
 * Raises 55P03 if the worker cannot see the parent, which the current
 * transaction has written.
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

/*
 * Make the row with periods that a child of that name is a child of, from the
 * template in the slot, and put it there. Returns and raises as make_child()
 * does.
 */
static bool
make_parent(Relation rel, TupleTableSlot *parent, const char *name)
{
	const char *between = idgen_parent_name(name);

	idgen_check_child_limit(rel, parent, between);
	return idgen_make_child(rel, parent, between, parent);
}

/*
 * Make a row from what was found; and before it, the row with periods, if that
 * is missing, too. Returns false if there is none then. Raises 2200H and what
 * the insert raises.
 */
static bool
make_child(IdgenRow *row, IdgenParent kind, TupleTableSlot *parent, const char *name)
{
	if (kind == IDGEN_PARENT_TEMPLATE_PERIODS && !make_parent(row->rel, parent, name))
		return false;
	if (kind == IDGEN_PARENT_TEMPLATE)
		idgen_check_child_limit(row->rel, parent, name);
	return idgen_make_child(row->rel, parent, name, row->slot);
}

/*
 * Row security decides about the row with periods, too, that is to be made from
 * a template before its child: may the user see it, and so draw from it?
 */
static bool
is_parent_visible(Relation rel, IdgenParent kind, TupleTableSlot *parent, const char *name)
{
	TupleTableSlot *between;
	bool visible;

	if (kind != IDGEN_PARENT_TEMPLATE_PERIODS)
		return true;
	between = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	idgen_describe_child(parent, idgen_parent_name(name), between);
	visible = idgen_row_visible(rel, between);
	ExecDropSingleTupleTableSlot(between);
	return visible;
}

/*
 * Raises 42704 if a row that was made just now is one that the user may not
 * see: so it does not stay. Only then is it known, since a policy may look for
 * the row in the table.
 */
static void
check_made_row(const IdgenHandle *handle, const IdgenCall *call, Relation rel, TupleTableSlot *row)
{
	if (!idgen_row_visible(rel, row))
		idgen_no_such_sequence(handle->relid, handle->name, call->asked);
}

/*
 * There is what the row can be made from: have it made, or shown. Returns false
 * if there is none then, or the user may not see the parent. Raises 25006 in a
 * read-only transaction if it is to be made, 42704 if the user may not see what
 * is made, 2200H if the template has too many children, 55P03, and what the
 * insert raises.
 */
static bool
make_or_show_child(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row,
                   IdgenParent kind, TupleTableSlot *parent, IdgenFound *found)
{
	bool by_worker = is_made_by_worker(parent, handle->name);

	if (!idgen_row_visible(row->rel, parent))
		return false;
	if (call->missing_row == IDGEN_MISSING_ROW_MADE)
		PreventCommandIfReadOnly(call->function);
	if (call->missing_row == IDGEN_MISSING_ROW_MADE && by_worker)
		check_worker_sees(parent, handle->name);
	if (call->missing_row == IDGEN_MISSING_ROW_SHOWN || by_worker)
	{
		if (!is_parent_visible(row->rel, kind, parent, handle->name))
			return false;
		idgen_row_show_child(row, kind, parent, handle->name);
		found->unmade = true;
		return true;
	}
	if (kind == IDGEN_PARENT_TEMPLATE_PERIODS)
	{
		kind = IDGEN_PARENT_PERIODS;
		if (!make_parent(row->rel, parent, handle->name))
			return false;
		check_made_row(handle, call, row->rel, parent);
	}
	if (!make_child(row, kind, parent, handle->name))
		return false;
	check_made_row(handle, call, row->rel, row->slot);
	return true;
}

/*
 * Find what the row can be made from. A child that is drawn from on behalf of a
 * row with periods is made from that one, even if that has got others by now.
 * Raises 42704 if that is gone.
 */
static IdgenParent
find_parent(const IdgenHandle *handle, const IdgenCall *call, Relation rel, TupleTableSlot *parent)
{
	if (call->parent == NULL || call->parent->found.unmade)
		return idgen_parent_find(rel, handle->name, handle->namelen, parent);
	if (!idgen_row_find(rel, call->parent->name, call->parent->namelen, parent))
		idgen_no_such_sequence(handle->relid, call->parent->name, call->asked);
	return IDGEN_PARENT_PERIODS;
}

/*
 * Open the row of a handle. If there is none, have one made, or shown, as far
 * as the call asks for that. Returns whether the open row has one then;
 * found->unmade says that it is only shown. A parent comes before
 * idgen.auto_create, which makes no row that could begin below the ids that
 * columns have. Raises what find_parent() and make_or_show_child() do.
 */
bool
idgen_open_or_make_row(IdgenRow *row, const IdgenHandle *handle, const IdgenCall *call, IdgenFound *found)
{
	TupleTableSlot *parent;
	IdgenParent kind;
	bool there = false;

	if (idgen_row_open(row, handle->relid, handle->name, handle->namelen))
		return true;
	if (call->missing_row == IDGEN_MISSING_ROW_MISSED || !idgen_is_possible_name(handle->name))
		return false;
	parent = table_slot_create(row->rel, NULL);
	kind = find_parent(handle, call, row->rel, parent);
	if (kind != IDGEN_PARENT_NONE)
		there = make_or_show_child(handle, call, row, kind, parent, found);
	else if (idgen_auto_create && !XactReadOnly && call->missing_row == IDGEN_MISSING_ROW_MADE &&
	         (call->asked == NULL || call->asked->auto_created) && !idgen_name_is_used(handle->relid, handle->name))
		there = idgen_make_default_row(row->rel, handle->name, row->slot);
	ExecDropSingleTupleTableSlot(parent);
	return there;
}

/*
 * The name of the row that one of that name would be made from, palloc'd: a row
 * with periods, or a template. NULL if there is none. A row with periods may be
 * missing as well.
 */
char *
idgen_parent_of(Oid relid, const char *name)
{
	Relation rel = idgen_table_open(relid, AccessShareLock);
	TupleTableSlot *parent = table_slot_create(rel, NULL);
	IdgenParent kind = IDGEN_PARENT_NONE;
	char *found = NULL;

	if (idgen_is_possible_name(name))
		kind = idgen_parent_find(rel, name, strlen(name), parent);
	if (kind == IDGEN_PARENT_TEMPLATE_PERIODS)
		found = idgen_parent_name(name);
	else if (kind != IDGEN_PARENT_NONE)
		found = idgen_row_string(parent, IDGEN_ATT_NAME);
	ExecDropSingleTupleTableSlot(parent);
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * A call that makes no rows has found none that the user may see. Raises 42704
 * if that is because none has been drawn from yet, and says what would make it.
 */
void
idgen_check_unmade(const IdgenHandle *handle, const IdgenCall *call)
{
	IdgenRow row;
	TupleTableSlot *parent;
	IdgenParent kind = IDGEN_PARENT_NONE;

	if (call->missing_row != IDGEN_MISSING_ROW_MISSED || !idgen_is_possible_name(handle->name))
		return;
	if (!idgen_row_open(&row, handle->relid, handle->name, handle->namelen))
	{
		parent = table_slot_create(row.rel, NULL);
		kind = idgen_parent_find(row.rel, handle->name, handle->namelen, parent);
		if (kind != IDGEN_PARENT_NONE && idgen_row_visible(row.rel, parent) &&
		    is_parent_visible(row.rel, kind, parent, handle->name))
		{
			idgen_row_show_child(&row, kind, parent, handle->name);
			if (idgen_row_visible(row.rel, row.slot))
				idgen_not_made_yet(handle->relid, handle->name, TextDatumGetCString(idgen_row_attribute(parent, IDGEN_ATT_NAME)));
		}
		ExecDropSingleTupleTableSlot(parent);
	}
	idgen_row_close(&row);
}

/*
 * The worker has not found the row that is to be refilled: make it, if that is
 * for the worker to do. Returns whether the open row has one then. If nobody
 * waits any more, then the row was not missing when the refill was requested,
 * but was deleted since. Raises 2200H, what the insert raises, and 09000 if
 * there is no row after it: those who wait would ask again and again.
 */
bool
idgen_missing_row_for_worker(const IdgenHandle *handle, const IdgenCacheKey *key, IdgenRow *row)
{
	TupleTableSlot *parent;
	IdgenParent kind;
	bool made = false;

	if (!idgen_cache_has_waiters(key))
		return false;
	parent = table_slot_create(row->rel, NULL);
	kind = idgen_parent_find(row->rel, handle->name, handle->namelen, parent);
	if (kind != IDGEN_PARENT_NONE && is_made_by_worker(parent, handle->name))
	{
		made = make_child(row, kind, parent, handle->name);
		if (!made)
			ereport(ERROR,
			        (errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
			         errmsg("a trigger on \"id_sequences\" has suppressed the row of id sequence \"%s\"", handle->name),
			         errhint("Make the trigger leave rows alone that have a template.")));
	}
	ExecDropSingleTupleTableSlot(parent);
	return made;
}
