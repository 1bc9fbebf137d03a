/*
 * missing.c
 *		What is done about a row that a name lacks.
 *
 * If the name matches a template, a call that draws has the child made. It does
 * so in its own transaction, so a rollback undoes it, and the first ids with
 * it. With refill "worker" that must not be (rule U2). There the session acts
 * as if the row were made, and requests a refill; the worker finds that there
 * is no row, and makes it in its own transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"

#include "catalog/definition.h"
#include "catalog/missing_row.h"
#include "catalog/privileges.h"
#include "catalog/template.h"
#include "common/guc.h"
#include "session/child_limit.h"
#include "session/messages.h"
#include "session/missing.h"
#include "shmem/worker_requests.h"

/* Is it the worker that makes a template's children? */
static bool
is_made_by_worker(TupleTableSlot *template, const char *name)
{
	IdgenDefinition def;

	idgen_definition_from_row(template, name, &def);
	return def.refill == IDGEN_REFILL_WORKER && def.source->locks_row;
}

/*
 * Raises 55P03 if the worker cannot see the template, which the current
 * transaction has written.
 */
static void
check_worker_sees(TupleTableSlot *template, const char *name)
{
	if (idgen_row_is_own(template))
		ereport(ERROR,
		        (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
		         errmsg("the worker cannot make id sequence \"%s\"", name),
		         errdetail("The current transaction has written its template."),
		         errhint("Commit first, or use refill \"auto\".")));
}

/*
 * The name matches a template: have the child made, or shown. Returns false if
 * there is none then, or the user may not see the template. Raises 25006 in a
 * read-only transaction if it is to be made, 2200H if the template has too many
 * children, 55P03, and what the insert raises.
 */
static bool
make_or_show_child(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row,
                   TupleTableSlot *template, IdgenFound *found)
{
	bool by_worker = is_made_by_worker(template, handle->name);
	bool cacheable;

	if (!idgen_row_visible(row->rel, template, &cacheable))
		return false;
	if (call->missing_row == IDGEN_MISSING_ROW_MADE)
		PreventCommandIfReadOnly(call->function);
	if (call->missing_row == IDGEN_MISSING_ROW_MADE && by_worker)
		check_worker_sees(template, handle->name);
	if (call->missing_row == IDGEN_MISSING_ROW_SHOWN || by_worker)
	{
		idgen_row_show_child(row, template, handle->name);
		found->unmade = true;
		return true;
	}
	idgen_check_child_limit(row->rel, template, handle->name);
	return idgen_make_child(row->rel, template, handle->name, GetUserId(), row->slot);
}

/*
 * The row of a handle was not found: have one made, or shown, as far as the
 * call asks for that. Returns whether the open row has one then; found->unmade
 * says that it is only shown. A template comes before idgen.auto_create. Raises
 * what make_or_show_child() does.
 */
bool
idgen_missing_row(const IdgenHandle *handle, const IdgenCall *call, IdgenRow *row, IdgenFound *found)
{
	TupleTableSlot *template;
	bool there = false;

	if (call->missing_row == IDGEN_MISSING_ROW_MISSED || !idgen_is_possible_name(handle->name))
		return false;
	template = table_slot_create(row->rel, NULL);
	if (idgen_template_find(row->rel, handle->name, handle->namelen, template))
		there = make_or_show_child(handle, call, row, template, found);
	else if (idgen_auto_create && !XactReadOnly && call->missing_row == IDGEN_MISSING_ROW_MADE &&
	         (call->asked == NULL || call->asked->auto_created))
		there = idgen_make_default_row(row->rel, handle->name, row->slot);
	ExecDropSingleTupleTableSlot(template);
	return there;
}

/*
 * The worker has not found the row that a role wants refilled: make it, if that
 * is for the worker to do. Returns whether the open row has one then. If nobody
 * waits any more, then the row was not missing when the refill was requested,
 * but was deleted since. Raises 2200H and what the insert raises.
 */
bool
idgen_missing_row_for_worker(const IdgenHandle *handle, const IdgenCacheKey *key,
                             Oid requested_by, IdgenRow *row)
{
	TupleTableSlot *template = table_slot_create(row->rel, NULL);
	bool made = false;

	if (idgen_cache_has_waiters(key) &&
	    idgen_template_find(row->rel, handle->name, handle->namelen, template) &&
	    is_made_by_worker(template, handle->name))
	{
		idgen_check_child_limit(row->rel, template, handle->name);
		made = idgen_make_child(row->rel, template, handle->name, requested_by, row->slot);
	}
	ExecDropSingleTupleTableSlot(template);
	return made;
}
