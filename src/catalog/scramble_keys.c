/*
 * scramble_keys.c
 *		Table idgen_keys: the keys of id sequences that scramble their ids.
 *
 * Only the table's owner has privileges on it. Whoever draws, or writes a row
 * of id_sequences, needs none: the table is read and written directly, as
 * logical replication does. (By SQL, a key would be a parameter, and a module
 * such as auto_explain could write it to the log.) What the owner has put on
 * the table, such as triggers, runs with the owner's rights; see
 * common/as_owner.c.
 *
 * A key is read as the row is that it belongs to: the newest version, whatever
 * the snapshot shows. A handle keeps what it has read. If the key is one that
 * the transaction has written itself, a rollback takes it away again.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/epoch.h"
#include "catalog/row.h"
#include "catalog/row_write_state.h"
#include "catalog/scramble_keys.h"
#include "common/as_owner.h"
#include "common/compat.h"

/* May a handle have a key that the current transaction has written? */
static bool own_key_read;

/*
 * The OID of idgen_keys, which is in the schema of id_sequences. Raises 42P01.
 */
Oid
idgen_keys_table(Oid id_sequences)
{
	Oid keys = get_relname_relid("idgen_keys", get_rel_namespace(id_sequences));

	if (!OidIsValid(keys))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"idgen_keys\" of extension \"idgen\" does not exist")));
	return keys;
}

/* Raises 55000 unless its columns are what the install script has made them. */
void
idgen_keys_check_table(Relation keys)
{
	TupleDesc desc = RelationGetDescr(keys);

	if (keys->rd_rel->relkind != RELKIND_RELATION || desc->natts < IDGEN_KEYS_ATT_KEY ||
	    TupleDescAttr(desc, IDGEN_KEYS_ATT_NAME - 1)->atttypid != VARCHAROID ||
	    TupleDescAttr(desc, IDGEN_KEYS_ATT_NAME - 1)->attcollation != C_COLLATION_OID ||
	    TupleDescAttr(desc, IDGEN_KEYS_ATT_KEY - 1)->atttypid != BYTEAOID)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("table \"%s\" does not have the columns that it was created with",
		                RelationGetRelationName(keys)),
		         errhint("Restore their types, and the collation of column \"name\".")));
}

static Relation
open_keys(Oid id_sequences, LOCKMODE lockmode)
{
	Relation keys = table_open(idgen_keys_table(id_sequences), lockmode);

	idgen_keys_check_table(keys);
	return keys;
}

/* A key as it is stored. */
bytea *
idgen_key_to_store(const uint8 *key)
{
	bytea *stored = palloc0(VARHDRSZ + IDGEN_STORED_KEY_BYTES);

	SET_VARSIZE(stored, VARHDRSZ + IDGEN_STORED_KEY_BYTES);
	memcpy(VARDATA(stored) + IDGEN_KEY_ZEROS, key, IDGEN_KEY_BYTES);
	return stored;
}

/* The key in what is stored; NULL if that is none. */
const uint8 *
idgen_key_stored(const bytea *stored)
{
	static const uint8 zeros[IDGEN_KEY_ZEROS];
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(stored);

	if (VARSIZE_ANY_EXHDR(stored) != IDGEN_STORED_KEY_BYTES || memcmp(bytes, zeros, IDGEN_KEY_ZEROS) != 0)
		return NULL;
	return bytes + IDGEN_KEY_ZEROS;
}

static bool
find_key(Relation keys, const char *name, TupleTableSlot *slot)
{
	return idgen_row_find(keys, name, strlen(name), IDGEN_SEARCH_SURE, slot);
}

/* Has the id sequence of that name a key? */
bool
idgen_key_exists(Oid id_sequences, const char *name)
{
	Relation keys = open_keys(id_sequences, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(keys, NULL);
	bool found = find_key(keys, name, slot);

	ExecDropSingleTupleTableSlot(slot);
	table_close(keys, AccessShareLock);
	return found;
}

/*
 * How the id sequence of that name scrambles the numbers from 1 to "values".
 * Returns false if it has no key, or something else in its place: the trigger
 * of idgen_keys lets none in.
 */
bool
idgen_key_read(Oid id_sequences, const char *name, int64 values, IdgenScramble *scramble)
{
	Relation keys = open_keys(id_sequences, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(keys, NULL);
	bool found = false;

	if (find_key(keys, name, slot))
	{
		bool isnull;
		Datum value = slot_getattr(slot, IDGEN_KEYS_ATT_KEY, &isnull);
		const uint8 *key = isnull ? NULL : idgen_key_stored(DatumGetByteaPP(value));

		found = key != NULL;
		if (found)
			idgen_scramble_init(scramble, key, values);
		own_key_read = own_key_read || idgen_row_is_own(slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_close(keys, AccessShareLock);
	return found;
}

/*
 * A transaction or savepoint is rolled back, or a transaction is prepared, of
 * which nobody tells the end: all handles look again for a key that went with
 * it.
 */
void
idgen_keys_undone(void)
{
	if (own_key_read)
		idgen_epoch_advance();
	own_key_read = false;
}

/* A row of idgen_keys that is being written. */
typedef struct KeyWrite
{
	IdgenRowWrite row;
	EPQState epqstate;
	TupleTableSlot *found; /* the version that there is */
	IdgenIdentity before;
} KeyWrite;

/* Prepare to write as the owner of the table. */
static void
begin_write(KeyWrite *write, Oid id_sequences, CmdType command)
{
	Relation keys = open_keys(id_sequences, RowExclusiveLock);

	/* What this very command has written must count as past. */
	CommandCounterIncrement();
	write->found = table_slot_create(keys, NULL);
	idgen_act_as(keys->rd_rel->relowner, &write->before);
	idgen_row_write_begin(&write->row, keys, command, 0, NULL, keys->rd_rel->relowner);
	ExecOpenIndices(write->row.rri, false);
	EvalPlanQualInit(&write->epqstate, write->row.estate, NULL, NIL, -1, NIL);
	AfterTriggerBeginQuery();
}

static void
end_write(KeyWrite *write)
{
	AfterTriggerEndQuery(write->row.estate);
	EvalPlanQualEnd(&write->epqstate);
	idgen_row_write_end(&write->row);
	idgen_act_as_before(&write->before);
	ExecDropSingleTupleTableSlot(write->found);
	table_close(write->row.rel, NoLock);
}

static TupleTableSlot *
make_slot(const KeyWrite *write)
{
	return ExecInitExtraTupleSlot(write->row.estate, RelationGetDescr(write->row.rel), &TTSOpsVirtual);
}

/* A new row, with null in columns that the owner has added. */
static TupleTableSlot *
make_row(const KeyWrite *write, const char *name, Datum key)
{
	TupleTableSlot *row = make_slot(write);

	ExecStoreAllNullTuple(row);
	row->tts_values[IDGEN_KEYS_ATT_NAME - 1] = CStringGetTextDatum(name);
	row->tts_isnull[IDGEN_KEYS_ATT_NAME - 1] = false;
	row->tts_values[IDGEN_KEYS_ATT_KEY - 1] = key;
	row->tts_isnull[IDGEN_KEYS_ATT_KEY - 1] = false;
	return row;
}

/* A new key, as it is stored. Raises XX000 if there are no random numbers. */
static Datum
random_key(void)
{
	uint8 key[IDGEN_KEY_BYTES];

	if (!pg_strong_random(key, sizeof(key)))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not generate random values")));
	return PointerGetDatum(idgen_key_to_store(key));
}

/*
 * Make a key for an id sequence that has none. Raises 23505 if another session
 * does so at the same time, and what the table's owner has put on it raises.
 */
void
idgen_key_make(Oid id_sequences, const char *name)
{
	KeyWrite write;

	begin_write(&write, id_sequences, CMD_INSERT);
	ExecSimpleRelationInsert(write.row.rri, write.row.estate, make_row(&write, name, random_key()));
	end_write(&write);
}

static void
delete_key(KeyWrite *write)
{
	ExecSimpleRelationDelete(write->row.rri, write->row.estate, &write->epqstate, write->found);
}

/* Delete the key of an id sequence, if it has one. */
void
idgen_key_delete(Oid id_sequences, const char *name)
{
	KeyWrite write;

	begin_write(&write, id_sequences, CMD_DELETE);
	if (find_key(write.row.rel, name, write.found))
		delete_key(&write);
	end_write(&write);
}

/* Delete all keys. */
void
idgen_keys_delete_all(Oid id_sequences)
{
	KeyWrite write;
	TableScanDesc scan;

	begin_write(&write, id_sequences, CMD_DELETE);
	scan = table_beginscan(write.row.rel, SnapshotSelf, 0, NULL, SO_NONE);
	while (table_scan_getnextslot(scan, ForwardScanDirection, write.found))
		delete_key(&write);
	table_endscan(scan);
	end_write(&write);
}

/*
 * An id sequence gets another name, and its key does so too, if it has one. A
 * key that is there under the new name belongs to no row, so it goes.
 */
void
idgen_key_rename(Oid id_sequences, const char *old_name, const char *new_name)
{
	KeyWrite write;

	idgen_key_delete(id_sequences, new_name);
	begin_write(&write, id_sequences, CMD_UPDATE);
	if (find_key(write.row.rel, old_name, write.found))
	{
		TupleTableSlot *row = make_slot(&write);

		ExecCopySlot(row, write.found);
		row->tts_values[IDGEN_KEYS_ATT_NAME - 1] = CStringGetTextDatum(new_name);
		ExecSimpleRelationUpdate(write.row.rri, write.row.estate, &write.epqstate, write.found, row);
	}
	end_write(&write);
}
