/*
 * column_row.c
 *		The row of an id sequence for a column.
 *
 * It is made as idgen_create() does, by SQL with the caller's own rights. That
 * function is not called by SQL: another function of the same name with other
 * arguments could be taken for it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "catalog/owned_rows.h"
#include "catalog/privileges.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "session/handle_table.h"
#include "session/validate.h"
#include "sources/sources.h"
#include "sql/column_row.h"
#include "sql/sync.h"
#include "sql/user_sql.h"

/*
 * Make a row. What the column has used up already counts: its range begins with
 * 1. Returns false if there is a row of that name.
 */
bool
idgen_column_row_insert(Oid id_sequences, const IdgenColumnRow *row)
{
	Oid types[] = {TEXTOID, INT8OID, INT4OID, INT8OID, TEXTOID, idgen_owning_column_type(id_sequences), INT8OID};
	Datum values[] = {
		CStringGetTextDatum(row->name),
		Int64GetDatum(row->start),
		Int32GetDatum(idgen_default_block_size),
		Int64GetDatum(row->max_value),
		CStringGetTextDatum(row->refill),
		Int64GetDatum(row->owner),
		Int64GetDatum(Min(row->start, 1)),
	};
	const char *owner = row->owner != IDGEN_NO_COLUMN ? "$6" : "NULL";

	return idgen_run_query(psprintf("INSERT INTO %s (name, next_block_start, block_size, max_value, refill, owned_by, start_value)"
	                                " VALUES ($1, $2, $3, $4, $5, %s, $7) ON CONFLICT (name) DO NOTHING",
	                                idgen_table_name(id_sequences), owner),
	                       lengthof(types), types, values, NULL, NULL) > 0;
}

/* A column, as that which an id sequence belongs to. */
IdgenOwningColumn
idgen_column_as_owner(const IdgenColumn *column)
{
	return idgen_owning_column(column->table_oid, idgen_column_attribute(column->table_oid, column->name)->attnum);
}

/* The names of the id sequences that belong to a column. */
List *
idgen_column_rows(Oid id_sequences, const IdgenColumn *column)
{
	IdgenOwnedSearch search;
	List *names;

	if (!idgen_owned_begin(&search, id_sequences))
		return NIL;
	names = idgen_owned_by_column(&search, idgen_column_as_owner(column));
	idgen_owned_end(&search);
	return names;
}

/*
 * Is there a row of that name that belongs to the column? Then a migration has
 * undone an adoption, or programs draw for the column.
 */
bool
idgen_column_has_row(Oid id_sequences, const IdgenColumn *column, const char *name)
{
	ListCell *cell;

	foreach(cell, idgen_column_rows(id_sequences, column))
	{
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	}
	return false;
}

/*
 * Go on with the row that belongs to a column already: move it behind the ids
 * in use, which others may have given. Raises 42501; 0A000 unless the row
 * itself counts the ids; 2200H if no id is left.
 */
void
idgen_column_row_take(Oid id_sequences, const char *name, const IdgenIdsInUse *ids)
{
	IdgenIdsFound found = {.any = ids->any, .least = ids->last, .greatest = ids->last};
	IdgenHandle *handle = idgen_handle_get(id_sequences, name, strlen(name));
	IdgenCall call = {.function = "idgen_adopt()"};
	bool held = idgen_handle_hold(handle);
	IdgenMove move;

	idgen_check_may_change(id_sequences, ACL_SELECT | ACL_UPDATE);
	idgen_lock_row(id_sequences, name);
	do
	{
		idgen_handle_invalidate(handle);
		idgen_handle_validate(handle, &call);
		idgen_sync_check(handle);
		if (handle->found.source != &idgen_source_table)
			ereport(ERROR,
			        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			         errmsg("id sequence \"%s\" with source \"%s\" cannot be moved", name, handle->found.source->name),
			         errhint("Set the default of the column by ALTER TABLE, or give another name as the third argument.")));
	} while (handle->found.source->advance(handle, &found, &move) == IDGEN_SOURCE_STALE);
	if (held)
		idgen_handle_let_go(handle);
}
