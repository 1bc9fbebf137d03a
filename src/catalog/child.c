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

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "common/guc.h"
#include "common/period.h"
#include "common/subxact.h"
#include "text/format.h"

/* Is that the name of a template? */
bool
idgen_is_template_name(const char *name)
{
	int namelen = strlen(name);

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

/* Have a row say what a virtual slot does. */
static TupleTableSlot *
replace_slot(IdgenRow *row)
{
	ExecDropSingleTupleTableSlot(row->slot);
	row->slot = MakeSingleTupleTableSlot(RelationGetDescr(row->rel), &TTSOpsVirtual);
	return row->slot;
}

/*
 * Describe a row that is made from another one. It has all that this says but
 * for what concerns that row alone.
 */
static void
describe(IdgenRow *row, IdgenRow *from)
{
	static const AttrNumber own[] = {IDGEN_ATT_OWNED_BY, IDGEN_ATT_MAX_CHILDREN, IDGEN_ATT_SALT};
	TupleTableSlot *slot = replace_slot(row);
	bool isnull;
	Datum start = slot_getattr(from->slot, IDGEN_ATT_START_VALUE, &isnull);

	if (isnull)
		start = idgen_row_attribute(from->slot, IDGEN_ATT_NEXT_BLOCK_START);
	row->from = from;
	ExecCopySlot(slot, from->slot);
	idgen_row_put(slot, IDGEN_ATT_NAME, CStringGetTextDatum(row->name));
	idgen_row_put(slot, IDGEN_ATT_NEXT_BLOCK_START, start);
	idgen_row_put(slot, IDGEN_ATT_START_VALUE, start);
	idgen_row_put(slot, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	idgen_row_put(slot, IDGEN_ATT_TEMPLATE, idgen_row_attribute(from->slot, IDGEN_ATT_NAME));
	idgen_row_put(slot, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
	for (int i = 0; i < (int) lengthof(own); i++)
		slot->tts_isnull[own[i] - 1] = true;
	if (!idgen_is_template_name(from->name))
		describe_period(row->name, slot);
}

/*
 * The row of that name: as it is or, with "described", as it would be made.
 * NULL if there is none.
 */
static IdgenRow *
find_row(Relation rel, const char *name, bool described)
{
	IdgenRow *row = palloc(sizeof(IdgenRow));

	*row = (IdgenRow){rel, name, table_slot_create(rel, NULL), NULL};
	if (idgen_row_find(rel, name, row->slot) || (described && idgen_row_describe(row, NULL)))
		return row;
	idgen_row_release(row);
	return NULL;
}

/* The longest template that a name matches, or NULL. */
static IdgenRow *
find_template(Relation rel, const char *name)
{
	IdgenRow *template = NULL;

	if (idgen_is_template_name(name))
		return NULL;
	for (int i = (int) strlen(name) - 2; i >= 0 && template == NULL; i--)
		if (name[i] == '/')
			template = find_row(rel, psprintf("%.*s*", i + 1, name), false);
	return template;
}

/* The row with periods of which a name is one; or NULL. */
static IdgenRow *
find_periods(Relation rel, const char *name)
{
	IdgenPeriodName parsed;
	IdgenRow *parent;
	const char *word;

	if (!idgen_period_parse(name, &parsed))
		return NULL;
	parent = find_row(rel, pnstrdup(name, parsed.parent_len), true);
	if (parent == NULL)
		return NULL;
	word = idgen_row_string(parent->slot, IDGEN_ATT_PERIOD);
	if (word != NULL && strcmp(word, idgen_period_word(parsed.period)) == 0)
		return parent;
	idgen_row_release(parent);
	return NULL;
}

/*
 * Have a row that is open say what it would be made as: from that row with
 * periods or, if it is NULL, from what there is. Returns false if there is
 * nothing.
 */
bool
idgen_row_describe(IdgenRow *row, const char *parent)
{
	IdgenRow *from = parent != NULL ? find_row(row->rel, parent, false) : find_periods(row->rel, row->name);

	if (from == NULL && parent == NULL)
		from = find_template(row->rel, row->name);
	if (from != NULL)
		describe(row, from);
	return from != NULL;
}

/* The same from no row, but with what the settings and the columns say. */
void
idgen_row_describe_by_default(IdgenRow *row)
{
	TupleTableSlot *slot = replace_slot(row);
	const char *refill = GetConfigOption("idgen.default_refill", false, false);

	ExecStoreAllNullTuple(slot);
	idgen_row_put(slot, IDGEN_ATT_NAME, CStringGetTextDatum(row->name));
	idgen_row_put(slot, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(1));
	idgen_row_put(slot, IDGEN_ATT_BLOCK_SIZE, Int32GetDatum(idgen_default_block_size));
	idgen_row_put(slot, IDGEN_ATT_REFILL, CStringGetTextDatum(refill));
}

/* The row that is there, from which all that is not there would be made. */
const IdgenRow *
idgen_row_origin(const IdgenRow *row)
{
	while (row->from != NULL)
		row = row->from;
	return row;
}

/*
 * Making
 */

/* Insert the row. The caller does not need the privilege, nor gains it. */
static void
insert(void *arg)
{
	const IdgenRow *row = (const IdgenRow *) arg;
	Oid relid = RelationGetRelid(row->rel);
	Relation rel = idgen_table_open(relid, RowExclusiveLock);

	idgen_table_check_not_rewritten(rel);
	if (row->from != NULL && idgen_row_needs_salt(row->slot))
		idgen_give_salt(relid, row->slot);
	idgen_row_insert(rel, row->slot, row->from == NULL);
	table_close(rel, NoLock);
}

/* Where errors say they happened: a lock may be waited for, a trigger run. */
static void
making_error_context(void *arg)
{
	errcontext("while making id sequence \"%s\"", ((const IdgenRow *) arg)->name);
}

/*
 * Make a row that was described, after what it is made from; then that is not
 * known any more. If another session makes it at the same time, that is as
 * good. Returns false if there is no row afterwards (a trigger has suppressed
 * it). Raises 55006 if the current command rewrites the table, and what the
 * insert raises.
 */
bool
idgen_row_make(IdgenRow *row)
{
	ErrorContextCallback context = {.previous = error_context_stack, .callback = making_error_context, .arg = row};
	TupleTableSlot *made = table_slot_create(row->rel, NULL);
	ErrorData *violation;
	bool found;

	error_context_stack = &context;
	violation = idgen_try(insert, row, ERRCODE_UNIQUE_VIOLATION);
	error_context_stack = context.previous;

	/* Triggers may have changed it, or its name. */
	found = violation == NULL && ItemPointerIsValid(&row->slot->tts_tid) &&
		table_tuple_fetch_row_version(row->rel, &row->slot->tts_tid, SnapshotSelf, made) &&
		idgen_row_is_named(made, row->name);
	if (!found)
		found = idgen_row_find(row->rel, row->name, made);

	/* It was not the name, then, that was there already. */
	if (!found && violation != NULL)
		idgen_rethrow(violation);

	idgen_row_release(row);
	row->slot = made;
	row->from = NULL;
	return found;
}
