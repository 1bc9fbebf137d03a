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

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "as_owner.h"
#include "auto_create.h"
#include "guc.h"
#include "row.h"
#include "subxact.h"

/* The row to insert. */
typedef struct NewRow
{
	Relation rel;
	const char *name;
} NewRow;

/*
 * Insert the row as the owner of the table. The caller has not the privilege,
 * and must not gain any.
 */
static void
insert_as_owner(void *arg)
{
	Relation rel = ((NewRow *) arg)->rel;
	const char *name = ((NewRow *) arg)->name;
	Oid argtypes[] = {TEXTOID, INT4OID};
	Datum values[] = {
		CStringGetTextDatum(name),
		Int32GetDatum(idgen_default_block_size),
	};
	IdgenIdentity caller;
	char *query;

	query = psprintf("INSERT INTO %s (name, next_block_start, block_size) VALUES ($1, 1, $2)",
	                 idgen_table_name(RelationGetRelid(rel)));

	idgen_act_as(rel->rd_rel->relowner, &caller);
	SPI_connect();
	(void) SPI_execute_with_args(query, 2, argtypes, values, NULL, false, 0);
	SPI_finish();
	idgen_act_as_before(&caller);
}

/*
 * Make a row of that name, which was not found, and put it into the slot. If
 * somebody else makes it at the same time, that one is as good. Returns false if
 * there is no row afterwards (a trigger or a rule has swallowed it). Raises what the
 * insert raises, 22001 for a name of more than 255 characters among others.
 */
bool
idgen_auto_create_row(Relation rel, const char *name, TupleTableSlot *row)
{
	NewRow new_row = {rel, name};
	ErrorData *violation = idgen_try(insert_as_owner, &new_row, ERRCODE_UNIQUE_VIOLATION);
	bool found;

	found = idgen_row_find(rel, name, strlen(name), true, row);

	/* It was not the name, then, that was there already. */
	if (!found && violation != NULL)
		ReThrowError(violation);
	return found;
}
