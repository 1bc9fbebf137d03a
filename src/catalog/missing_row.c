/*
 * missing_row.c
 *		Making the row that a name lacks: a child of a template, or what setting
 *		idgen.auto_create asks for.
 *
 * Many sessions may meet the same new name at once. Each just inserts the row:
 * the unique index makes all but the first wait for its transaction, and
 * then a unique violation says that the row is there. It is undone with a
 * subtransaction. (ON CONFLICT DO NOTHING would need none, but raises 40001 at
 * the higher isolation levels.)
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "utils/snapmgr.h"

#include "catalog/missing_row.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "common/guc.h"
#include "common/subxact.h"

/* The row to insert. */
typedef struct NewRow
{
	Oid relid;
	const char *name;
	TupleTableSlot *child; /* what it says, or NULL: that is up to the settings */
	ItemPointerData tid;   /* where it was inserted, or invalid */
} NewRow;

/* Insert the row. The caller does not need the privilege, nor gains it. */
static void
insert_row(void *arg)
{
	NewRow *new_row = (NewRow *) arg;
	Relation rel = idgen_table_open(new_row->relid, RowExclusiveLock);

	idgen_table_check_not_rewritten(rel);
	if (new_row->child != NULL)
	{
		if (idgen_row_needs_salt(new_row->child))
			idgen_give_salt(new_row->relid, new_row->child);
		idgen_row_insert_child(rel, new_row->child, &new_row->tid);
	}
	else
		idgen_row_insert(rel, new_row->name, idgen_default_block_size,
		                 idgen_refill_mode_name((IdgenRefillMode) idgen_default_refill), &new_row->tid);
	table_close(rel, NoLock);
}

/* Where errors say they happened: a lock may be waited for, a trigger run. */
static void
making_error_context(void *arg)
{
	errcontext("while making id sequence \"%s\"", ((const NewRow *) arg)->name);
}

/*
 * Make a row that was not found, and put it into the slot. If another session
 * makes it at the same time, that is as good.
 */
static bool
make_row(Relation rel, NewRow *new_row, TupleTableSlot *row)
{
	ErrorContextCallback context = {.previous = error_context_stack, .callback = making_error_context, .arg = new_row};
	int namelen = strlen(new_row->name);
	ErrorData *violation;
	bool found;

	error_context_stack = &context;
	violation = idgen_try(insert_row, new_row, ERRCODE_UNIQUE_VIOLATION);
	error_context_stack = context.previous;

	/* Triggers may have changed it, or its name. */
	found = violation == NULL && ItemPointerIsValid(&new_row->tid) &&
		table_tuple_fetch_row_version(rel, &new_row->tid, SnapshotSelf, row) &&
		idgen_row_is_named(row, new_row->name, namelen);
	if (!found)
		found = idgen_row_find(rel, new_row->name, namelen, row);

	/* It was not the name, then, that was there already. */
	if (!found && violation != NULL)
		idgen_rethrow(violation);
	return found;
}

/*
 * Make a row of that name, with what the settings say. Returns false if there
 * is no row afterwards (a trigger has suppressed it). Raises 55006 if the
 * current command rewrites the table, and what the insert raises, 22001 for a
 * name of more than 255 characters among others.
 */
bool
idgen_make_default_row(Relation rel, const char *name, TupleTableSlot *row)
{
	NewRow new_row = {.relid = RelationGetRelid(rel), .name = name};

	return make_row(rel, &new_row, row);
}

/*
 * Make a row of that name from another row, its template. Returns and raises as
 * idgen_make_default_row() does.
 */
bool
idgen_make_child(Relation rel, TupleTableSlot *parent, const char *name, TupleTableSlot *row)
{
	TupleTableSlot *child = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	NewRow new_row = {.relid = RelationGetRelid(rel), .name = name, .child = child};
	bool found;

	idgen_describe_child(parent, name, child);
	found = make_row(rel, &new_row, row);
	ExecDropSingleTupleTableSlot(child);
	return found;
}
