/*
 * child.c
 *		Rows that are made from other rows, or of their own accord.
 *
 * A row whose name ends in a slash and an asterisk ("invoice/<asterisk>") is a
 * template. Nobody draws from it. A name that has no row matches the template
 * if it has anything else in place of the asterisk, slashes included. Of
 * several templates that a name matches, the longest one counts. It is found by
 * its name, in the primary key: once for each slash in the name. So it does not
 * matter how many templates there are, and only a name without a row costs
 * anything.
 *
 * Nobody draws from a row with periods either, but from its child for a period,
 * which is named after that. The row with periods may be missing as well, and
 * may be the child of a template in turn: bill/acme/2026 is a child of
 * bill/acme, and that one of the template for all customers. Then both are
 * made. A child of a period comes before one of a template.
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
#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/child.h"
#include "catalog/row_write.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "common/period.h"
#include "common/subxact.h"
#include "text/format.h"

/* Is that the name of a template? */
bool
idgen_is_template_name(const char *name, int namelen)
{
	return namelen >= 2 && name[namelen - 2] == '/' && name[namelen - 1] == '*';
}

/* Raises 22023: the name is that of a template. */
void
idgen_refuse_template(const char *name)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("\"%s\" is the name of a template, which has no ids", name),
	         errhint("Name one of its children, with anything else in place of the asterisk.")));
}

/*
 * Describing
 */

/*
 * The child of that name is made from a row with periods, and has none itself.
 * What the period decides of a date in its format becomes plain text.
 */
static void
describe_period(const char *name, TupleTableSlot *child)
{
	IdgenPeriodName parsed;

	child->tts_isnull[IDGEN_ATT_PERIOD - 1] = true;
	if (!child->tts_isnull[IDGEN_ATT_FORMAT - 1] && idgen_period_parse(name, &parsed))
	{
		const char *format = TextDatumGetCString(child->tts_values[IDGEN_ATT_FORMAT - 1]);

		format = idgen_format_within(format, parsed.period, &parsed.first);
		idgen_row_put(child, IDGEN_ATT_FORMAT, CStringGetTextDatum(format));
	}
}

/*
 * The row of that name, made from another one. It has all that this says but
 * for what concerns that row alone.
 */
static IdgenChild *
describe(Relation rel, const char *name, IdgenChild *from)
{
	static const AttrNumber own[] = {IDGEN_ATT_OWNED_BY, IDGEN_ATT_MAX_CHILDREN, IDGEN_ATT_SALT};
	TupleTableSlot *parent = from->row;
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
	IdgenChild *child = palloc(sizeof(IdgenChild));
	bool isnull;
	Datum start = slot_getattr(parent, IDGEN_ATT_START_VALUE, &isnull);

	if (isnull)
		start = idgen_row_attribute(parent, IDGEN_ATT_NEXT_BLOCK_START);
	ExecCopySlot(row, parent);
	idgen_row_put(row, IDGEN_ATT_NAME, CStringGetTextDatum(name));
	idgen_row_put(row, IDGEN_ATT_NEXT_BLOCK_START, start);
	idgen_row_put(row, IDGEN_ATT_START_VALUE, start);
	idgen_row_put(row, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	idgen_row_put(row, IDGEN_ATT_TEMPLATE, idgen_row_attribute(parent, IDGEN_ATT_NAME));
	idgen_row_put(row, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
	for (int i = 0; i < (int) lengthof(own); i++)
		row->tts_isnull[own[i] - 1] = true;
	if (!idgen_is_template_name(from->name, strlen(from->name)))
		describe_period(name, row);
	*child = (IdgenChild){name, row, from};
	return child;
}

/* The row of that name, if it is there; or NULL. */
static IdgenChild *
find_row(Relation rel, const char *name)
{
	TupleTableSlot *row = table_slot_create(rel, NULL);
	IdgenChild *found;

	if (!idgen_row_find(rel, name, strlen(name), row))
	{
		ExecDropSingleTupleTableSlot(row);
		return NULL;
	}
	found = palloc(sizeof(IdgenChild));
	*found = (IdgenChild){name, row, NULL};
	return found;
}

/* The longest template that a name matches, or NULL. */
static IdgenChild *
find_template(Relation rel, const char *name)
{
	int namelen = strlen(name);
	IdgenChild *template = NULL;

	if (idgen_is_template_name(name, namelen))
		return NULL;
	for (int i = namelen - 2; i >= 0 && template == NULL; i--)
		if (name[i] == '/')
			template = find_row(rel, psprintf("%.*s*", i + 1, name));
	return template;
}

/* Has a row periods of that kind? */
static bool
has_period(TupleTableSlot *row, IdgenPeriod period)
{
	const char *word = idgen_row_string(row, IDGEN_ATT_PERIOD);
	IdgenPeriod found;

	return word != NULL && idgen_period_find(word, &found) && found == period;
}

/* The row with periods of which a name is one; or NULL. */
static IdgenChild *
find_periods(Relation rel, const char *name)
{
	IdgenPeriodName parsed;
	char *parent_name;
	IdgenChild *parent;

	if (!idgen_period_parse(name, &parsed))
		return NULL;
	parent_name = pnstrdup(name, parsed.parent_len);
	parent = find_row(rel, parent_name);
	if (parent == NULL)
		parent = idgen_child_find(rel, parent_name);
	if (parent != NULL && !has_period(parent->row, parsed.period))
	{
		idgen_child_free(parent);
		return NULL;
	}
	return parent;
}

/*
 * The row of a name that has none, as it would be made from another one; NULL
 * if there is nothing that it could be made from. The caller frees it.
 */
IdgenChild *
idgen_child_find(Relation rel, const char *name)
{
	IdgenChild *from = find_periods(rel, name);

	if (from == NULL)
		from = find_template(rel, name);
	return from != NULL ? describe(rel, name, from) : NULL;
}

/* The same from the row with periods of that name; NULL if that is gone. */
IdgenChild *
idgen_child_of(Relation rel, const char *parent, const char *name)
{
	IdgenChild *from = find_row(rel, parent);

	return from != NULL ? describe(rel, name, from) : NULL;
}

/* The row that is there, from which all that is not there would be made. */
const IdgenChild *
idgen_child_origin(const IdgenChild *child)
{
	while (child->from != NULL)
		child = child->from;
	return child;
}

/* Have a row that is open, but was not found, say what the child does. */
void
idgen_child_show(IdgenChild *child, IdgenRow *row)
{
	TupleTableSlot *slot = row->slot;

	row->slot = child->row;
	child->row = slot;
}

void
idgen_child_free(IdgenChild *child)
{
	if (child->from != NULL)
		idgen_child_free(child->from);
	ExecDropSingleTupleTableSlot(child->row);
	pfree(child);
}

/*
 * Making
 */

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
 * makes it at the same time, that is as good. Returns false if there is no row
 * afterwards (a trigger has suppressed it). Raises 55006 if the current command
 * rewrites the table, and what the insert raises, 22001 for a name of more than
 * 255 characters among others.
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

/* Make a row of that name, with what the settings say. See make_row(). */
bool
idgen_make_default_row(Relation rel, const char *name, TupleTableSlot *row)
{
	NewRow new_row = {.relid = RelationGetRelid(rel), .name = name};

	return make_row(rel, &new_row, row);
}

/*
 * Make a row, after what it is made from; then that is not known any more. See
 * make_row().
 */
bool
idgen_child_make(Relation rel, IdgenChild *child)
{
	NewRow new_row = {.relid = RelationGetRelid(rel), .name = child->name, .child = child->row};
	TupleTableSlot *row = table_slot_create(rel, NULL);
	bool found = make_row(rel, &new_row, row);

	ExecDropSingleTupleTableSlot(child->row);
	child->row = row;
	idgen_child_free(child->from);
	child->from = NULL;
	return found;
}
