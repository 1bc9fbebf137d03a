/*
 * health_ahead.c
 *		Columns that have ids which their id sequence has yet to issue.
 *
 * Rows that were loaded with ids of their own make inserts fail later on. The
 * greatest id in the column tells, if an index has it (column_end.c).
 *
 * While sessions draw, what was read of the id sequence is older than what is
 * read of the column. So where a column seems to be ahead, all is read once
 * more, the column first: an id that was issued before the column was read does
 * not count as one to come then.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rls.h"

#include "catalog/row.h"
#include "sql/column_end.h"
#include "sql/health.h"

/*
 * Does a column have the sequence values themselves? Ids of another layout do
 * not tell how far it has got.
 */
static bool
has_values(const IdgenHealth *health, const IdgenDrawingColumn *column)
{
	return health->extent.is_known && health->extent.layout == &idgen_layout_plain && column->call.plain &&
		(column->call.form == IDGEN_DRAWS_BIGINT ||
	     (column->call.form == IDGEN_DRAWS_NUMERIC && health->extent.big_base == NULL));
}

/* May the reader of the view know of ids in all rows of a column? */
static bool
may_know(const IdgenHealthView *view, const IdgenDrawingColumn *column)
{
	Oid user = GetUserId();

	if (view->reader == IDGEN_READER_MONITORS)
		return true;
	return (pg_class_aclcheck(column->relid, user, ACL_SELECT) == ACLCHECK_OK ||
	        pg_attribute_aclcheck(column->relid, column->attnum, user, ACL_SELECT) == ACLCHECK_OK) &&
		check_enable_rls(column->relid, user, true) != RLS_ENABLED;
}

/*
 * Will ids be issued that do not lie behind this one: by the source, or from
 * the cache? Without a shared cache, what is cached counts for nothing, since
 * sessions have caches of their own.
 */
static bool
is_to_come(const IdgenExtent *extent, const IdgenCached *cached, int64 id)
{
	if (!idgen_extent_reaches(extent, id))
		return false;
	if (!extent->exhausted && (extent->step > 0 ? id >= extent->next : id <= extent->next))
		return true;
	if (cached == NULL || !idgen_cache_is_shared())
		return false;
	for (int i = 0; i < cached->nblocks; i++)
	{
		const IdgenBlock *block = &cached->blocks[i];

		if (block->left > 0 && (block->step > 0 ? block->next <= id : block->next >= id))
			return true;
	}
	return false;
}

/* What an index has at that end of a column; false if nothing is known. */
static bool
find_end(const IdgenDrawingColumn *column, IdgenColumnEnd end, int64 *value)
{
	Numeric id = idgen_column_end(column->relid, column->name, end, NULL, IDGEN_LOOK_BRIEFLY);

	if (id != NULL)
		*value = idgen_cut_to_bigint(id);
	return id != NULL;
}

/* The extent of an id sequence as it is now; false if it is gone. */
static bool
read_extent(const IdgenHealthView *view, const IdgenHealth *health, IdgenExtent *extent)
{
	const IdgenHealthItem *item = health->item;
	TupleTableSlot *row;
	bool found = true;

	*extent = (IdgenExtent){.layout = &idgen_layout_plain, .step = 1};
	if (item->row == NULL)
		idgen_extent_add_native(extent, health->object, &idgen_no_pool);
	else
	{
		row = table_slot_create(view->rel, NULL);
		found = idgen_row_find(view->rel, item->name, strlen(item->name), IDGEN_SEARCH_SURE, row);
		if (found)
			idgen_extent_of_row(row, item->sequence, extent);
		ExecDropSingleTupleTableSlot(row);
	}
	return found && extent->is_known;
}

/* Look at all of it once more. */
static bool
is_ahead_now(const IdgenHealthView *view, const IdgenHealth *health, const IdgenDrawingColumn *column,
             IdgenColumnEnd end)
{
	const IdgenHealthEntry *entry = health->item->entry;
	IdgenExtent extent;
	IdgenCached cached;
	int64 id;

	if (!find_end(column, end, &id) || !read_extent(view, health, &extent))
		return false;
	return is_to_come(&extent, entry != NULL && idgen_cache_read(&entry->key, &cached) ? &cached : NULL, id);
}

/* Does a column have ids that the id sequence has yet to issue? */
bool
idgen_health_is_ahead(IdgenHealthView *view, const IdgenHealth *health, const IdgenDrawingColumn *column)
{
	const IdgenHealthEntry *entry = health->item->entry;
	IdgenColumnEnd end = health->extent.step > 0 ? IDGEN_END_GREATEST : IDGEN_END_LEAST;
	int64 id;

	if (!has_values(health, column) || !may_know(view, column))
		return false;
	return find_end(column, end, &id) &&
		is_to_come(&health->extent, entry != NULL ? &entry->cached : NULL, id) &&
		is_ahead_now(view, health, column, end);
}
