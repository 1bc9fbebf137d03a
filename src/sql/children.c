/*
 * children.c
 *		idgen_apply_template(): all the children of a template.
 *
 * Rows are changed by ordinary SQL, with the caller's own rights: privileges,
 * row security and triggers apply. A child may have children in turn, if it is
 * one that draws from a child for each period. Those are meant, too.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "catalog/epoch.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "catalog/template.h"
#include "session/messages.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_apply_template);

/* The columns that a child has from its template from then on. */
static const struct
{
	AttrNumber attnum;
	const char *name;
	Oid type;
} applied[] = {
	{IDGEN_ATT_BLOCK_SIZE, "block_size", INT4OID},
	{IDGEN_ATT_MAX_VALUE, "max_value", INT8OID},
	{IDGEN_ATT_SOURCE, "source", TEXTOID},
	{IDGEN_ATT_SOURCE_NAME, "source_name", TEXTOID},
	{IDGEN_ATT_REFILL, "refill", TEXTOID},
	{IDGEN_ATT_LAYOUT, "layout", TEXTOID},
	{IDGEN_ATT_BIG_BASE, "big_base", NUMERICOID},
	{IDGEN_ATT_POOLING, "pooling", TEXTOID},
	{IDGEN_ATT_PERIOD, "period", TEXTOID},
	{IDGEN_ATT_TIME_ZONE, "time_zone", TEXTOID},
	{IDGEN_ATT_FORMAT, "format", TEXTOID},
};

#define NAPPLIED ((int) lengthof(applied))

/* One call of idgen_apply_template(). */
typedef struct Apply
{
	Relation rel;
	SPIPlanPtr update;   /* $1 are the names, then come the columns above */
	SPIPlanPtr children; /* the names of those of $1 */
	uint64 changed;
} Apply;

/*
 * Children that are to say the same. One statement updates them: each has the
 * server read again what it knows of the table, which triggers say has changed.
 */
typedef struct ChildGroup
{
	MemoryContext memory;
	ArrayBuildState *names;
	TupleTableSlot *wanted; /* NULL if there are none */
} ChildGroup;

/* Has the row children, or could it have? */
static bool
is_parent(TupleTableSlot *row)
{
	text *name = DatumGetTextPP(idgen_row_attribute(row, IDGEN_ATT_NAME));

	return idgen_is_template_name(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) ||
		!slot_attisnull(row, IDGEN_ATT_PERIOD);
}

/* Prepare the statements of a call; SPI is connected. */
static void
prepare_statements(Apply *apply)
{
	const char *table = idgen_table_name(RelationGetRelid(apply->rel));
	Oid types[NAPPLIED + 1] = {TEXTARRAYOID};
	Oid name_type = TEXTOID;
	StringInfoData update;

	initStringInfo(&update);
	for (int i = 0; i < NAPPLIED; i++)
	{
		types[i + 1] = applied[i].type;
		appendStringInfo(&update, "%s %s = $%d", i > 0 ? "," : "", applied[i].name, i + 2);
	}
	apply->update = idgen_prepare(psprintf("UPDATE ONLY %s SET%s WHERE name OPERATOR(pg_catalog.=) ANY ($1)", table, update.data),
	                              NAPPLIED + 1, types);
	apply->children = idgen_prepare(psprintf("SELECT name FROM ONLY %s WHERE template OPERATOR(pg_catalog.=) $1"
	                                         " ORDER BY name USING OPERATOR(pg_catalog.<)",
	                                         table),
	                                1, &name_type);
}

/* Does a row say in all these columns what is wanted? */
static bool
says_all(TupleTableSlot *row, TupleTableSlot *wanted)
{
	for (int i = 0; i < NAPPLIED; i++)
	{
		Form_pg_attribute att = TupleDescAttr(row->tts_tupleDescriptor, applied[i].attnum - 1);
		bool isnull;
		bool wanted_null;
		Datum value = slot_getattr(row, applied[i].attnum, &isnull);
		Datum wanted_value = slot_getattr(wanted, applied[i].attnum, &wanted_null);

		if (isnull != wanted_null ||
		    (!isnull && !datum_image_eq(value, wanted_value, att->attbyval, att->attlen)))
			return false;
	}
	return true;
}

/* Update the children of a group, with the caller's own rights. */
static void
update_group(Apply *apply, ChildGroup *group)
{
	Datum values[NAPPLIED + 1];
	char nulls[NAPPLIED + 1] = {' '};

	if (group->wanted == NULL)
		return;
	idgen_check_may_change(RelationGetRelid(apply->rel), ACL_UPDATE);
	values[0] = makeArrayResult(group->names, group->memory);
	for (int i = 0; i < NAPPLIED; i++)
	{
		bool isnull;

		values[i + 1] = slot_getattr(group->wanted, applied[i].attnum, &isnull);
		nulls[i + 1] = isnull ? 'n' : ' ';
	}
	if (SPI_execute_snapshot(apply->update, values, nulls, GetLatestSnapshot(), InvalidSnapshot,
	                         false, true, 0) != SPI_OK_UPDATE)
		elog(ERROR, "unexpected result of update of \"id_sequences\"");
	apply->changed += SPI_processed;
	ExecDropSingleTupleTableSlot(group->wanted);
	group->wanted = NULL;
	group->names = NULL;
}

/* Add a child to a group. If it is to say something else, it begins another. */
static void
add_to_group(Apply *apply, ChildGroup *group, const char *name, TupleTableSlot *wanted)
{
	MemoryContext before = MemoryContextSwitchTo(group->memory);

	if (group->wanted != NULL && !says_all(wanted, group->wanted))
		update_group(apply, group);
	if (group->wanted == NULL)
	{
		group->wanted = MakeSingleTupleTableSlot(RelationGetDescr(apply->rel), &TTSOpsVirtual);
		ExecCopySlot(group->wanted, wanted);
	}
	group->names = accumArrayResult(group->names, CStringGetTextDatum(name), false, TEXTOID, group->memory);
	MemoryContextSwitchTo(before);
}

static void apply_to_children(Apply *apply, TupleTableSlot *parent);

/*
 * Have one child say what its parent does, as one of that group, and its own
 * children as well.
 */
static void
apply_to_child(Apply *apply, ChildGroup *group, TupleTableSlot *parent, const char *name)
{
	TupleTableSlot *row = table_slot_create(apply->rel, NULL);
	TupleTableSlot *wanted = MakeSingleTupleTableSlot(RelationGetDescr(apply->rel), &TTSOpsVirtual);

	CHECK_FOR_INTERRUPTS();
	if (idgen_row_find(apply->rel, name, strlen(name), IDGEN_SEARCH_SURE, row))
	{
		idgen_describe_child(parent, name, wanted);
		if (!says_all(row, wanted))
			add_to_group(apply, group, name, wanted);
		if (is_parent(wanted))
			apply_to_children(apply, wanted);
	}
	ExecDropSingleTupleTableSlot(wanted);
	ExecDropSingleTupleTableSlot(row);
}

/* Have all children of a row say what the row does. */
static void
apply_to_children(Apply *apply, TupleTableSlot *parent)
{
	Datum name = idgen_row_attribute(parent, IDGEN_ATT_NAME);
	ChildGroup group = {.memory = CurrentMemoryContext};
	SPITupleTable *children;

	if (SPI_execute_snapshot(apply->children, &name, NULL, GetLatestSnapshot(), InvalidSnapshot,
	                         true, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of query on \"id_sequences\"");
	children = SPI_tuptable;
	for (uint64 i = 0; i < children->numvals; i++)
	{
		MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "idgen child", ALLOCSET_SMALL_SIZES);
		MemoryContext before = MemoryContextSwitchTo(memory);

		apply_to_child(apply, &group, parent, SPI_getvalue(children->vals[i], children->tupdesc, 1));
		MemoryContextSwitchTo(before);
		MemoryContextDelete(memory);
	}
	update_group(apply, &group);
	SPI_freetuptable(children);
}

/*
 * Find a template that the caller may see. Raises 42704 if there is none, and
 * 22023 for a row of another kind.
 */
static void
open_template(IdgenRow *row, Oid relid, const char *name)
{
	bool cacheable;

	if (!idgen_row_open(row, relid, name, strlen(name), IDGEN_SEARCH_SURE) ||
	    !idgen_row_visible(row->rel, row->slot, &cacheable))
		idgen_no_such_sequence(relid, name, NULL);
	if (!is_parent(row->slot))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" is no template", name),
		         errhint("The name of a template ends in \"/*\".")));
}

/*
 * idgen_apply_template(template text) returns bigint
 *
 * Have the children that a template has say what it says now. Where they have
 * come to stays as it is. Returns how many were changed. Raises 25006, 42501,
 * 42704, 22023, and what updating them does.
 */
Datum
idgen_apply_template(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Oid relid = idgen_table_oid(fcinfo->flinfo->fn_oid);
	Apply apply = {0};
	IdgenRow row;

	PreventCommandIfReadOnly("idgen_apply_template()");
	PreventCommandIfParallelMode("idgen_apply_template()");
	idgen_check_select(relid);
	open_template(&row, relid, name);
	apply.rel = row.rel;
	SPI_connect();
	prepare_statements(&apply);
	apply_to_children(&apply, row.slot);
	SPI_finish();
	idgen_row_close(&row);
	PG_RETURN_INT64(apply.changed);
}
