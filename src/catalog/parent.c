/*
 * parent.c
 *		What the row that a name lacks would be made from.
 *
 * That is a row with periods, if the name is one of a child of its: what is
 * behind the last slash names a period of that kind. Otherwise it is the
 * longest template that the name matches.
 *
 * The row with periods may be missing as well, and may be the child of a
 * template in turn: bill/acme/2026 is a child of bill/acme, and that one of the
 * template for all customers. Then both are made.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "utils/builtins.h"

#include "catalog/parent.h"
#include "catalog/template.h"
#include "common/period.h"

/* Has a row periods of that kind? */
static bool
has_period(TupleTableSlot *row, IdgenPeriod period)
{
	bool isnull;
	Datum value = slot_getattr(row, IDGEN_ATT_PERIOD, &isnull);
	IdgenPeriod found;

	return !isnull && idgen_period_find(TextDatumGetCString(value), &found) && found == period;
}

/*
 * Find what a row of that name would be made from. A row is put into the slot
 * as idgen_row_find() does: the parent, or the template that the parent has to
 * be made from first.
 */
IdgenParent
idgen_parent_find(Relation rel, const char *name, int namelen, TupleTableSlot *slot)
{
	IdgenPeriodName parsed;

	if (idgen_period_parse(name, &parsed))
	{
		if (idgen_row_find(rel, name, parsed.parent_len, slot))
		{
			if (has_period(slot, parsed.period))
				return IDGEN_PARENT_PERIODS;
		}
		else if (idgen_template_find(rel, name, parsed.parent_len, slot) && has_period(slot, parsed.period))
			return IDGEN_PARENT_TEMPLATE_PERIODS;
	}
	return idgen_template_find(rel, name, namelen, slot) ? IDGEN_PARENT_TEMPLATE : IDGEN_PARENT_NONE;
}

/* The name of the row with periods that a child of a period belongs to. */
char *
idgen_parent_name(const char *name)
{
	return pnstrdup(name, strrchr(name, '/') - name);
}

/*
 * Have a row that is open, but was not found, show the child that would be made
 * from what idgen_parent_find() has found.
 */
void
idgen_row_show_child(IdgenRow *row, IdgenParent kind, TupleTableSlot *parent, const char *name)
{
	TupleDesc desc = RelationGetDescr(row->rel);
	TupleTableSlot *between = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);

	if (kind == IDGEN_PARENT_TEMPLATE_PERIODS)
	{
		idgen_describe_child(parent, idgen_parent_name(name), between);
		parent = between;
	}
	ExecDropSingleTupleTableSlot(row->slot);
	row->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	idgen_describe_child(parent, name, row->slot);
	ExecMaterializeSlot(row->slot);
	ExecDropSingleTupleTableSlot(between);
}

/*
 * The same, with what there is now. Returns false if there is nothing that the
 * row could be made from.
 */
bool
idgen_row_show_unmade(IdgenRow *row, const char *name, int namelen)
{
	TupleTableSlot *parent = table_slot_create(row->rel, NULL);
	IdgenParent kind = idgen_parent_find(row->rel, name, namelen, parent);

	if (kind != IDGEN_PARENT_NONE)
		idgen_row_show_child(row, kind, parent, name);
	ExecDropSingleTupleTableSlot(parent);
	return kind != IDGEN_PARENT_NONE;
}
