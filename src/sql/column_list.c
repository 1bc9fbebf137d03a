/*
 * column_list.c
 *		The columns that one call moves: one, or those that two arrays name.
 *
 * Locks are taken in one order, whatever the order in the arrays: tables by
 * their OIDs, each with all that inherits from it, then native sequences by
 * their OIDs. So two such calls do not deadlock, unless a table inherits from
 * several others, or has a smaller OID than the one that it inherits from.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/privileges.h"
#include "common/compat.h"
#include "sql/column_list.h"
#include "sql/sql_support.h"

/*
 * Arguments
 */

static IdgenColumnList *
make_list(int n)
{
	IdgenColumnList *list = palloc0(sizeof(IdgenColumnList));

	list->n = n;
	list->columns = palloc0(n * sizeof(IdgenColumn));
	list->sequences = palloc0(n * sizeof(IdgenColumnSequences));
	return list;
}

/* The column that the arguments relation and column_name name, not null. */
IdgenColumnList *
idgen_column_list_of_one(FunctionCallInfo fcinfo)
{
	IdgenColumnList *list = make_list(1);

	list->columns[0].table_oid = PG_GETARG_OID(0);
	list->columns[0].name = NameStr(*PG_GETARG_NAME(1));
	return list;
}

/*
 * The columns that the arguments relations and column_names name. Two nulls are
 * no columns: that is what array_agg() makes of no rows. Raises 22004 for other
 * nulls, 2202E if the arrays do not go together.
 */
IdgenColumnList *
idgen_column_list_of_arrays(FunctionCallInfo fcinfo)
{
	Datum *relations;
	Datum *names;
	int n;
	IdgenColumnList *list;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		return make_list(0);
	relations = idgen_array_argument(fcinfo, 0, "relations", NULL);
	names = idgen_array_argument(fcinfo, 1, "column_names", NULL);
	n = idgen_array_length(fcinfo, 0);
	list = make_list(n);
	idgen_check_array_length(fcinfo, 1, "column_names", n, "relations");
	list->named_by_arrays = true;
	for (int i = 0; i < n; i++)
	{
		list->columns[i].table_oid = DatumGetObjectId(relations[i]);
		list->columns[i].name = NameStr(*DatumGetName(names[i]));
	}
	return list;
}

/*
 * One at a time
 */

static void
say_which(void *arg)
{
	errcontext("while moving %s", (const char *) arg);
}

/*
 * Do something to a column of the list, which is returned, until
 * idgen_column_turn_end(). If the call names several, errors say which one they
 * are about.
 */
IdgenColumn *
idgen_column_turn_begin(IdgenColumnTurn *turn, const IdgenColumnList *list, int i)
{
	IdgenColumn *column = &list->columns[i];

	turn->list = list;
	if (list->named_by_arrays)
	{
		const char *table = get_rel_name(column->table_oid);

		turn->description = table == NULL ? psprintf("column \"%s\" of relation with OID %u", column->name, column->table_oid) : psprintf("column \"%s\" of relation \"%s\"", column->name, table);
		turn->context.callback = say_which;
		turn->context.arg = turn->description;
		turn->context.previous = error_context_stack;
		error_context_stack = &turn->context;
	}
	return column;
}

void
idgen_column_turn_end(IdgenColumnTurn *turn)
{
	if (turn->list->named_by_arrays)
	{
		error_context_stack = turn->context.previous;
		pfree(turn->description);
	}
}

/*
 * Locks
 */

static int
compare_columns(const void *a, const void *b)
{
	const IdgenColumn *x = *(const IdgenColumn *const *) a;
	const IdgenColumn *y = *(const IdgenColumn *const *) b;

	if (x->table_oid != y->table_oid)
		return x->table_oid < y->table_oid ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The columns in the order of their tables. */
static const IdgenColumn **
sort_columns(const IdgenColumnList *list)
{
	const IdgenColumn **sorted = palloc((list->n + 1) * sizeof(IdgenColumn *));

	for (int i = 0; i < list->n; i++)
		sorted[i] = &list->columns[i];
	qsort(sorted, list->n, sizeof(IdgenColumn *), compare_columns);
	return sorted;
}

/* Raises 42701 if a column is named twice. */
static void
check_distinct(const IdgenColumnList *list, const IdgenColumn **sorted)
{
	for (int i = 1; i < list->n; i++)
		if (compare_columns(&sorted[i - 1], &sorted[i]) == 0)
			ereport(ERROR,
			        (errcode(ERRCODE_DUPLICATE_COLUMN),
			         errmsg("column \"%s\" of table \"%s\" is named more than once",
			                sorted[i]->name, sorted[i]->table)));
}

/*
 * Find the columns and lock their tables with all inheritors, until the
 * transaction ends. Everything is checked before the first lock is requested:
 * nobody should wait for a lock only to be refused. "needed" are the privileges
 * on id_sequences that it takes to move columns. Raises what
 * idgen_column_find() and idgen_column_lock() do, 42701, and 42501.
 */
void
idgen_column_list_lock(IdgenColumnList *list, Oid id_sequences, AclMode needed)
{
	const IdgenColumn **sorted = sort_columns(list);
	IdgenColumnTurn turn;

	for (int i = 0; i < list->n; i++)
	{
		idgen_column_find(idgen_column_turn_begin(&turn, list, i));
		idgen_column_turn_end(&turn);
	}
	check_distinct(list, sorted);
	if (list->n > 0)
		idgen_check_may_change(id_sequences, needed);
	for (int i = 0; i < list->n; i++)
	{
		idgen_column_lock(idgen_column_turn_begin(&turn, list, sorted[i] - list->columns));
		idgen_column_turn_end(&turn);
	}
	pfree(sorted);
}

/* Lock what has been found. A sequence may be in both lists. */
static void
lock_sequences(const IdgenColumnList *list)
{
	List *owned = NIL;
	List *all = NIL;
	ListCell *cell;

	for (int i = 0; i < list->n; i++)
	{
		owned = list_concat(owned, list->sequences[i].owned);
		all = list_concat(list_concat(all, list->sequences[i].owned), list->sequences[i].used);
	}
	list_sort(all, list_oid_cmp);
	list_deduplicate_oid(all);
	foreach(cell, all)
		LockRelationOid(lfirst_oid(cell),
		                list_member_oid(owned, lfirst_oid(cell)) ? AccessExclusiveLock : AccessShareLock);
}

/*
 * Find the native sequences of the columns, and lock them until the lists are
 * the same as before the locks. The owned ones get the lock that dropping them
 * takes, so this waits for every transaction that has drawn from them. The used
 * ones are only kept from being dropped: other tables may go on drawing from
 * them.
 */
void
idgen_column_list_lock_sequences(IdgenColumnList *list)
{
	bool changed = true;

	for (int i = 0; i < list->n; i++)
		idgen_column_find_sequences(&list->columns[i], &list->sequences[i]);
	while (changed)
	{
		lock_sequences(list);
		changed = false;
		for (int i = 0; i < list->n; i++)
		{
			IdgenColumnSequences before = list->sequences[i];

			idgen_column_find_sequences(&list->columns[i], &list->sequences[i]);
			changed = changed || !equal(before.owned, list->sequences[i].owned) ||
				!equal(before.used, list->sequences[i].used);
		}
	}
}
