/*
 * key_check.c
 *		Trigger idgen_check_key(): what may be written to idgen_keys.
 *
 * Keys are written along with rows of id_sequences (row_keys.c), by a restore,
 * and by replication. The owner may insert one ahead of its row. But as long as
 * there is a row that needs the key, nobody changes or deletes it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "catalog/epoch.h"
#include "catalog/needed_keys.h"
#include "catalog/row.h"
#include "catalog/scramble_keys.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "sql/trigger_row.h"

PG_FUNCTION_INFO_V1(idgen_check_key);

/* Raises 39P01 unless the trigger is one of idgen_keys. */
static void
check_table(FunctionCallInfo fcinfo, Oid id_sequences)
{
	Relation rel = ((TriggerData *) fcinfo->context)->tg_relation;

	if (RelationGetRelid(rel) != idgen_keys_table(id_sequences))
		ereport(ERROR,
		        (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
		         errmsg("triggers of idgen do not work on table \"%s\"", RelationGetRelationName(rel))));
	idgen_keys_check_table(rel);
}

/* Is there a row of id_sequences that needs the key of that name? */
static bool
is_needed(Oid id_sequences, const char *name)
{
	IdgenRow row;
	bool needed = idgen_row_open(&row, id_sequences, name, strlen(name), IDGEN_SEARCH_SURE) &&
		idgen_row_needs_key(row.slot);

	idgen_row_close(&row);
	return needed;
}

/* Is there one that needs any key? */
static bool
any_is_needed(Oid id_sequences)
{
	Relation rel = idgen_table_open(id_sequences, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	TableScanDesc scan = table_beginscan(rel, SnapshotSelf, 0, NULL, SO_NONE);
	bool needed = false;

	while (!needed && table_scan_getnextslot(scan, ForwardScanDirection, slot))
		needed = idgen_row_needs_key(slot);
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(rel, AccessShareLock);
	return needed;
}

/* Raises 55000: a row needs the key, whose name is NULL if it is any of all. */
static void
refuse_loss(const char *name)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         name != NULL ? errmsg("cannot change or delete the key of id sequence \"%s\"", name) : errmsg("cannot delete the keys of id sequences"),
	         errdetail("With another key, ids that have been drawn could be issued a second time."),
	         errhint("Delete the row of \"id_sequences\": its key is deleted with it.")));
}

/*
 * Have a key stored as all are: whoever chooses one gives its bytes alone.
 * Raises 22023 for something else.
 */
static void
store_key(IdgenTriggerRow *row, const char *name)
{
	int column = IDGEN_KEYS_ATT_KEY;
	bytea *given = DatumGetByteaPP(idgen_tuple_attribute(row->new, row->desc, column));
	bool isnull = false;
	Datum value;

	if (idgen_key_stored(given) != NULL)
		return;
	if (VARSIZE_ANY_EXHDR(given) != IDGEN_KEY_BYTES)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("the key of id sequence \"%s\" must be %d bytes long", name, IDGEN_KEY_BYTES),
		         errdetail("In the table, %d bytes of zero precede it.", IDGEN_KEY_ZEROS)));
	value = PointerGetDatum(idgen_key_to_store((uint8 *) VARDATA_ANY(given)));
	row->new = heap_modify_tuple_by_cols(row->new, row->desc, 1, &column, &value, &isnull);
}

/* Raises 22023 for what is no key, 23505 if there is one already. */
static void
check_new_key(Oid id_sequences, IdgenTriggerRow *row)
{
	char *name;

	/* The columns' constraints refuse a null. */
	if (heap_attisnull(row->new, IDGEN_KEYS_ATT_NAME, row->desc) ||
	    heap_attisnull(row->new, IDGEN_KEYS_ATT_KEY, row->desc))
		return;
	name = idgen_tuple_string(row->new, row->desc, IDGEN_KEYS_ATT_NAME);
	store_key(row, name);
	if (row->old == NULL && idgen_key_exists(id_sequences, name))
		ereport(ERROR,
		        (errcode(ERRCODE_UNIQUE_VIOLATION),
		         errmsg("id sequence \"%s\" has a key already", name)));
}

/* Raises 55000 if the key that is changed or deleted is needed. */
static void
check_old_key(Oid id_sequences, const IdgenTriggerRow *row)
{
	const char *name = idgen_tuple_string(row->old, row->desc, IDGEN_KEYS_ATT_NAME);

	if (is_needed(id_sequences, name))
		refuse_loss(name);
}

/*
 * Trigger BEFORE INSERT, UPDATE or DELETE (each row) and AFTER TRUNCATE
 * (statement). What another server has changed or deleted was checked there.
 */
Datum
idgen_check_key(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Oid id_sequences;
	IdgenTriggerRow row;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
	    (TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ? !TRIGGER_FIRED_BEFORE(trigger->tg_event) : !TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event)))
		idgen_trigger_misplaced("idgen_check_key", "a BEFORE ROW");
	id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	check_table(fcinfo, id_sequences);

	if (TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event))
	{
		if (any_is_needed(id_sequences))
			refuse_loss(NULL);
		return PointerGetDatum(NULL);
	}
	row = idgen_trigger_row(trigger);
	if (row.old != NULL && SessionReplicationRole != SESSION_REPLICATION_ROLE_REPLICA)
		check_old_key(id_sequences, &row);
	if (row.new != NULL)
		check_new_key(id_sequences, &row);
	return PointerGetDatum(row.new != NULL ? row.new : row.old);
}
