/*
 * template.c
 *		Templates: rows that other rows are made from.
 *
 * A row whose name ends in a slash and an asterisk ("invoice/<asterisk>") is a
 * template. Nobody draws from it. A name that has no row matches the template
 * if it has anything else in place of the asterisk, slashes included. Of
 * several templates that a name matches, the longest one counts.
 *
 * A template is found by its name, in the primary key: once for each slash in
 * the name. So it does not matter how many templates there are, and only a name
 * without a row costs anything.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "catalog/template.h"
#include "common/period.h"
#include "text/format.h"

/* Is that the name of a template? */
bool
idgen_is_template_name(const char *name, int namelen)
{
	return namelen >= 2 && name[namelen - 2] == '/' && name[namelen - 1] == '*';
}

/* Could there be a template that the name matches? */
static bool
may_have_template(const char *name, int namelen)
{
	return namelen >= 2 && memchr(name, '/', namelen - 1) != NULL && !idgen_is_template_name(name, namelen);
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
 * Find the longest template that a name matches. It is put into the slot as
 * idgen_row_find() does. Returns false if there is none.
 */
bool
idgen_template_find(Relation rel, const char *name, int namelen, TupleTableSlot *slot)
{
	char *template;
	bool found = false;

	if (!may_have_template(name, namelen))
		return false;
	template = palloc(namelen);
	for (int i = namelen - 2; i >= 0 && !found; i--)
	{
		if (name[i] != '/')
			continue;
		memcpy(template, name, i + 1);
		template[i + 1] = '*';
		found = idgen_row_find(rel, template, i + 2, slot);
	}
	pfree(template);
	return found;
}

static void
set_column(TupleTableSlot *slot, AttrNumber attnum, Datum value)
{
	slot->tts_values[attnum - 1] = value;
	slot->tts_isnull[attnum - 1] = false;
}

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
		set_column(child, IDGEN_ATT_FORMAT, CStringGetTextDatum(format));
	}
}

static bool
is_template(TupleTableSlot *row)
{
	text *name = DatumGetTextPP(idgen_row_attribute(row, IDGEN_ATT_NAME));

	return idgen_is_template_name(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/*
 * Put into "child", a virtual slot, the row of that name that is made from
 * another one: from a template, or from a row with periods. It has all that the
 * parent says but for what concerns that row alone. The slot is good as long as
 * that of the parent.
 */
void
idgen_describe_child(TupleTableSlot *parent, const char *name, TupleTableSlot *child)
{
	static const AttrNumber own[] = {IDGEN_ATT_OWNED_BY, IDGEN_ATT_MAX_CHILDREN, IDGEN_ATT_SALT};
	bool isnull;
	Datum start = slot_getattr(parent, IDGEN_ATT_START_VALUE, &isnull);

	if (isnull)
		start = idgen_row_attribute(parent, IDGEN_ATT_NEXT_BLOCK_START);
	slot_getallattrs(parent);
	ExecClearTuple(child);
	memset(child->tts_isnull, true, child->tts_tupleDescriptor->natts * sizeof(bool));
	memcpy(child->tts_values, parent->tts_values, IDGEN_ATT_LAST * sizeof(Datum));
	memcpy(child->tts_isnull, parent->tts_isnull, IDGEN_ATT_LAST * sizeof(bool));
	set_column(child, IDGEN_ATT_NAME, CStringGetTextDatum(name));
	set_column(child, IDGEN_ATT_NEXT_BLOCK_START, start);
	set_column(child, IDGEN_ATT_START_VALUE, start);
	set_column(child, IDGEN_ATT_EXHAUSTED, Int16GetDatum(0));
	set_column(child, IDGEN_ATT_TEMPLATE, idgen_row_attribute(parent, IDGEN_ATT_NAME));
	set_column(child, IDGEN_ATT_REFILLED_AT, TimestampTzGetDatum(GetCurrentTransactionStartTimestamp()));
	for (int i = 0; i < (int) lengthof(own); i++)
		child->tts_isnull[own[i] - 1] = true;
	if (!is_template(parent))
		describe_period(name, child);
	ExecStoreVirtualTuple(child);
}
