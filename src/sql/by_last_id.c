/*
 * by_last_id.c
 *		Trigger idgen_by_last_id(): what other programs write to view
 *		id_sequences_by_last_id.
 *
 * Such a program keeps the last id that is allocated, where id_sequences has
 * the next one. It may write what it has computed from an earlier answer, or
 * have the UPDATE compute it from the old value. The view locks the rows that
 * it reads. So the old value is the newest one either way, and the trigger can
 * write the new one as it stands, without losing what others have allocated.
 *
 * A trigger that adds the difference to a row that nobody has locked would lose
 * nothing in the second case, but be wrong in the first: "SET seq_count = 70
 * WHERE seq_count = 20" has to find no row once another program has got there.
 *
 * The trigger writes by ordinary SQL with the caller's own rights: privileges,
 * row security and the triggers of id_sequences apply.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "catalog/definition.h"
#include "catalog/epoch.h"
#include "catalog/table.h"
#include "sql/trigger_row.h"

PG_FUNCTION_INFO_V1(idgen_by_last_id);

/* The columns of the view */
enum
{
	ATT_SEQ_NAME = 1, /* varchar */
	ATT_SEQ_COUNT,    /* bigint */
	NATTS = ATT_SEQ_COUNT
};

/* Raises 39P01 unless the function is called as the view has it called. */
static void
check_call(FunctionCallInfo fcinfo)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	TupleDesc desc;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_INSTEAD(trigger->tg_event))
		idgen_trigger_misplaced("idgen_by_last_id", "an INSTEAD OF");
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		idgen_trigger_misplaced("idgen_by_last_id", "an INSERT OR UPDATE");

	desc = RelationGetDescr(trigger->tg_relation);
	if (desc->natts != NATTS ||
	    TupleDescAttr(desc, ATT_SEQ_NAME - 1)->atttypid != VARCHAROID ||
	    TupleDescAttr(desc, ATT_SEQ_COUNT - 1)->atttypid != INT8OID)
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("triggers of idgen do not work on view \"%s\"",
		                RelationGetRelationName(trigger->tg_relation))));
}

/* Raises 23502 if a column of the row to be written is null. */
static void
refuse_nulls(const IdgenTriggerRow *row)
{
	for (int attnum = 1; attnum <= NATTS; attnum++)
	{
		if (heap_attisnull(row->new, attnum, row->desc))
			ereport(ERROR,
			        (errcode(ERRCODE_NOT_NULL_VIOLATION),
			         errmsg("null value in column \"%s\" of view \"%s\"",
			                NameStr(TupleDescAttr(row->desc, attnum - 1)->attname),
			                RelationGetRelationName(row->rel))));
	}
}

/*
 * Run a command with these arguments, a name and two numbers, of which it may
 * use the first ones only. It returns a bigint for each row, which goes to
 * *result. Returns the number of rows.
 */
static uint64
run_command(const char *command, int nargs, const char *name, int64 first, int64 second, int64 *result)
{
	Oid types[] = {TEXTOID, INT8OID, INT8OID};
	Datum values[] = {CStringGetTextDatum(name), Int64GetDatum(first), Int64GetDatum(second)};
	uint64 processed;

	SPI_connect();
	if (SPI_execute_with_args(command, nargs, types, values, NULL, false, 0) < 0)
		elog(ERROR, "unexpected result of command: %s", command);
	processed = SPI_processed;
	if (processed > 0 && SPI_tuptable != NULL)
	{
		bool isnull;

		*result = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	}
	SPI_finish();
	return processed;
}

/*
 * Write that "last" is the last id allocated, where it was "old_last". Returns
 * whether there is such a row. Raises 2200H if "last" lies behind max_value.
 */
static bool
update_row(Oid id_sequences, const char *name, int64 old_last, int64 last)
{
	int64 next = last < PG_INT64_MAX ? last + 1 : last; /* as refills do */
	int64 max_value = PG_INT64_MAX;
	const char *command = psprintf("UPDATE ONLY %s SET next_block_start = $2,"
	                               " exhausted = CASE WHEN $3 OPERATOR(pg_catalog.<) max_value THEN 0 ELSE 1 END"
	                               " WHERE name OPERATOR(pg_catalog.=) $1 RETURNING max_value",
	                               idgen_table_name(id_sequences));

	if (run_command(command, 3, name, next, last, &max_value) == 0)
		return false;
	if (last > max_value)
		idgen_too_few(name, last - old_last, max_value);
	return true;
}

/* Make the row of an id sequence of which "last" is the last id allocated. */
static void
insert_row(Oid id_sequences, const char *name, int64 last)
{
	int64 ignored;
	const char *command = psprintf("INSERT INTO %s (name, next_block_start)"
	                               " VALUES ($1, $2 OPERATOR(pg_catalog.+) 1)",
	                               idgen_table_name(id_sequences));

	run_command(command, 2, name, last, 0, &ignored);
}

/*
 * Trigger INSTEAD OF INSERT or UPDATE, each row. Raises 23502 for a null, 0A000
 * if the row is to get another name, and what the table raises.
 */
Datum
idgen_by_last_id(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	IdgenTriggerRow row;
	Oid id_sequences;
	const char *name;
	int64 last;

	check_call(fcinfo);
	id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	row = idgen_trigger_row(trigger);
	refuse_nulls(&row);
	name = idgen_tuple_string(row.new, row.desc, ATT_SEQ_NAME);
	last = idgen_tuple_int64(row.new, row.desc, ATT_SEQ_COUNT);

	if (row.old == NULL)
	{
		insert_row(id_sequences, name, last);
		return PointerGetDatum(row.new);
	}
	if (idgen_trigger_row_changes(&row, ATT_SEQ_NAME))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("id sequences cannot be renamed in view \"%s\"", RelationGetRelationName(row.rel)),
		         errhint("Update table \"id_sequences\".")));
	if (!update_row(id_sequences, name, idgen_tuple_int64(row.old, row.desc, ATT_SEQ_COUNT), last))
		return PointerGetDatum(NULL);
	return PointerGetDatum(row.new);
}
