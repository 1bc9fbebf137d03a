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

/* A row of that name, as it stands in that slot, or will. */
static IdgenChild *
make_child(Relation rel, const char *name, TupleTableSlot *row, IdgenChild *from)
{
	IdgenChild *child = palloc(sizeof(IdgenChild));

	*child = (IdgenChild){rel, name, row, from};
	return child;
}

/*
 * The row of that name, made from another one, or NULL if that is. It has all
 * that this says but for what concerns that row alone.
 */
static IdgenChild *
describe(const char *name, IdgenChild *from)
{
	static const AttrNumber own[] = {IDGEN_ATT_OWNED_BY, IDGEN_ATT_MAX_CHILDREN, IDGEN_ATT_SALT};
	TupleTableSlot *row;
	bool isnull;
	Datum start;

	if (from == NULL)
		return NULL;
	start = slot_getattr(from->row, IDGEN_ATT_START_VALUE, &isnull);
	if (isnull)
		start = idgen_row_attribute(from->row, IDGEN_ATT_NEXT_BLOCK_START);
	row = MakeSingleTupleTableSlot(RelationGetDescr(from->rel), &TTSOpsVirtual);
	ExecCopySlot(row, from->row);
	idgen_row_put(row, IDGEN_ATT_NAME, CStringGetTextDatum(name));
	idgen_row_put(row, IDGEN_ATT_NEXT_BLOCK_START, start);
	idgen_row_put(row, IDGEN_ATT_START_VALUE, start);
	idgen_row_put(row, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	idgen_row_put(row, IDGEN_ATT_TEMPLATE, idgen_row_attribute(from->row, IDGEN_ATT_NAME));
	idgen_row_put(row, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
	for (int i = 0; i < (int) lengthof(own); i++)
		row->tts_isnull[own[i] - 1] = true;
	if (!idgen_is_template_name(from->name, strlen(from->name)))
		describe_period(name, row);
	return make_child(from->rel, name, row, from);
}

/* The row of that name, if it is there; or NULL. */
static IdgenChild *
find_row(Relation rel, const char *name)
{
	TupleTableSlot *row = table_slot_create(rel, NULL);

	if (idgen_row_find(rel, name, strlen(name), row))
		return make_child(rel, name, row, NULL);
	ExecDropSingleTupleTableSlot(row);
	return NULL;
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

	return word != NULL && strcmp(word, idgen_period_word(period)) == 0;
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

	return describe(name, from != NULL ? from : find_template(rel, name));
}

/* The same from the row with periods of that name; NULL if that is gone. */
IdgenChild *
idgen_child_of(Relation rel, const char *parent, const char *name)
{
	return describe(name, find_row(rel, parent));
}

/* The same from no row, but with what the settings and the columns say. */
IdgenChild *
idgen_child_by_default(Relation rel, const char *name)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);

	ExecStoreAllNullTuple(row);
	idgen_row_put(row, IDGEN_ATT_NAME, CStringGetTextDatum(name));
	idgen_row_put(row, IDGEN_ATT_NEXT_BLOCK_START, Int64GetDatum(1));
	idgen_row_put(row, IDGEN_ATT_BLOCK_SIZE, Int32GetDatum(idgen_default_block_size));
	idgen_row_put(row, IDGEN_ATT_REFILL, CStringGetTextDatum(GetConfigOption("idgen.default_refill", false, false)));
	return make_child(rel, name, row, NULL);
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

/* Insert the row. The caller does not need the privilege, nor gains it. */
static void
insert(void *arg)
{
	const IdgenChild *child = (const IdgenChild *) arg;
	Oid relid = RelationGetRelid(child->rel);
	Relation rel = idgen_table_open(relid, RowExclusiveLock);

	idgen_table_check_not_rewritten(rel);
	if (child->from != NULL && idgen_row_needs_salt(child->row))
		idgen_give_salt(relid, child->row);
	idgen_row_insert(rel, child->row, child->from == NULL);
	table_close(rel, NoLock);
}

/* Where errors say they happened: a lock may be waited for, a trigger run. */
static void
making_error_context(void *arg)
{
	errcontext("while making id sequence \"%s\"", ((const IdgenChild *) arg)->name);
}

/*
 * Make a row that was not found, after what it is made from; then that is not
 * known any more. If another session makes it at the same time, that is as
 * good. Returns false if there is no row afterwards (a trigger has suppressed
 * it). Raises 55006 if the current command rewrites the table, and what the
 * insert raises.
 */
bool
idgen_child_make(IdgenChild *child)
{
	ErrorContextCallback context = {.previous = error_context_stack, .callback = making_error_context, .arg = child};
	TupleTableSlot *row = table_slot_create(child->rel, NULL);
	int namelen = strlen(child->name);
	ErrorData *violation;
	bool found;

	error_context_stack = &context;
	violation = idgen_try(insert, child, ERRCODE_UNIQUE_VIOLATION);
	error_context_stack = context.previous;

	/* Triggers may have changed it, or its name. */
	found = violation == NULL && ItemPointerIsValid(&child->row->tts_tid) &&
		table_tuple_fetch_row_version(child->rel, &child->row->tts_tid, SnapshotSelf, row) &&
		idgen_row_is_named(row, child->name, namelen);
	if (!found)
		found = idgen_row_find(child->rel, child->name, namelen, row);

	/* It was not the name, then, that was there already. */
	if (!found && violation != NULL)
		idgen_rethrow(violation);

	ExecDropSingleTupleTableSlot(child->row);
	child->row = row;
	if (child->from != NULL)
		idgen_child_free(child->from);
	child->from = NULL;
	return found;
}
