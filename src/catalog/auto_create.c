/*
 * auto_create.c
 *		Making the row that an unknown name lacks (setting idgen.auto_create).
 *
 * Many sessions may meet the same new name at once. Each just inserts the row:
 * the unique index makes all but the first wait for its transaction, and
 * then a unique violation says that the row is there. It is undone with a
 * subtransaction. (ON CONFLICT DO NOTHING would need none, but raises 40001 at
 * the higher isolation levels.)
 */
#include "postgres.h"

#include "access/table.h"

#include "catalog/auto_create.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "common/subxact.h"

/* The row to insert. */
typedef struct NewRow
{
	Oid relid;
	const char *name;
} NewRow;

/* Insert the row. The caller does not need the privilege, nor gains it. */
static void
insert_row(void *arg)
{
	const NewRow *new_row = (const NewRow *) arg;
	Relation rel = idgen_table_open(new_row->relid, RowExclusiveLock);

	idgen_table_check_not_rewritten(rel);
	idgen_row_insert(rel, new_row->name, idgen_default_block_size,
	                 idgen_refill_mode_name((IdgenRefillMode) idgen_default_refill));
	table_close(rel, NoLock);
}

/*
 * Make a row of that name, which was not found, and put it into the slot. If
 * another session makes it at the same time, that is as good. Returns false
 * if there is no row afterwards (a trigger has suppressed it). Raises 55006 if
 * the current command rewrites the table, and what the insert raises, 22001 for
 * a name of more than 255 characters among others.
 */
bool
idgen_auto_create_row(Relation rel, const char *name, TupleTableSlot *row)
{
	NewRow new_row = {RelationGetRelid(rel), name};
	ErrorData *violation = idgen_try(insert_row, &new_row, ERRCODE_UNIQUE_VIOLATION);
	bool found;

	found = idgen_row_find(rel, name, strlen(name), IDGEN_SEARCH_SURE, row);

	/* It was not the name, then, that was there already. */
	if (!found && violation != NULL)
		idgen_rethrow(violation);
	return found;
}
