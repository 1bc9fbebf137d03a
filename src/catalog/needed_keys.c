/*
 * needed_keys.c
 *		Which rows of id_sequences need a key, and giving them one.
 *
 * A key is made along with the row that needs it, never later: ids may have
 * been issued with one that is missing.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

#include "catalog/layout.h"
#include "catalog/needed_keys.h"
#include "catalog/row.h"
#include "catalog/scramble_keys.h"
#include "catalog/source.h"
#include "catalog/template.h"
#include "common/subxact.h"

/* A column of text, NULL if it is null: its constraint refuses that later. */
static char *
get_text(HeapTuple tuple, TupleDesc desc, AttrNumber attnum)
{
	bool isnull;
	Datum value = heap_getattr(tuple, attnum, desc, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * Does this version of a row need a key? Not if nothing is drawn from it
 * itself, but from others that are made from it.
 */
bool
idgen_tuple_needs_key(HeapTuple tuple, TupleDesc desc)
{
	const char *layout = get_text(tuple, desc, IDGEN_ATT_LAYOUT);
	const char *name;

	if (layout == NULL || strcmp(layout, idgen_layout_scrambled.name) != 0 ||
	    !heap_attisnull(tuple, IDGEN_ATT_PERIOD, desc))
		return false;
	name = get_text(tuple, desc, IDGEN_ATT_NAME);
	return name != NULL && !idgen_is_template_name(name, strlen(name));
}

/* The same of a row in a slot. */
bool
idgen_row_needs_key(TupleTableSlot *row)
{
	bool free_tuple;
	HeapTuple tuple = ExecFetchSlotHeapTuple(row, false, &free_tuple);
	bool result = idgen_tuple_needs_key(tuple, row->tts_tupleDescriptor);

	if (free_tuple)
		heap_freetuple(tuple);
	return result;
}

/* What make_key() needs to know. */
typedef struct NewKey
{
	Oid id_sequences;
	const char *name;
} NewKey;

static void
make_key(void *arg)
{
	const NewKey *key = (const NewKey *) arg;

	idgen_key_make(key->id_sequences, key->name);
}

/*
 * Give a key to a row that is about to be written and needs one, unless it is
 * there: the owner of the table may have chosen it. If another session makes
 * the same row at the same time, its key is as good; then id_sequences says
 * that there is that row. A row that is not written after all leaves a key
 * behind, for the next row of that name.
 *
 * Raises 55000 if the source is another server: its other nodes need the same
 * key. Raises what making a key raises.
 */
void
idgen_give_key(Relation rel, HeapTuple tuple)
{
	TupleDesc desc = RelationGetDescr(rel);
	NewKey key = {RelationGetRelid(rel), get_text(tuple, desc, IDGEN_ATT_NAME)};
	const char *source_name = get_text(tuple, desc, IDGEN_ATT_SOURCE);
	const IdgenSource *source = source_name != NULL ? idgen_source_find(source_name) : NULL;

	if (idgen_key_exists(key.id_sequences, key.name))
		return;
	if (source != NULL && source->timeout != NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" has no key", key.name),
		         errdetail("With source \"%s\", other servers issue ids of the same sequence, which all need the same key.", source->name),
		         errhint("Insert the same row into \"idgen_keys\" of each of them first.")));
	(void) idgen_try(make_key, &key, ERRCODE_UNIQUE_VIOLATION);
}

/* The same for a row in a slot, if it needs one. */
void
idgen_give_key_to_row(Relation rel, TupleTableSlot *row)
{
	if (idgen_row_needs_key(row))
	{
		bool free_tuple;
		HeapTuple tuple = ExecFetchSlotHeapTuple(row, false, &free_tuple);

		idgen_give_key(rel, tuple);
		if (free_tuple)
			heap_freetuple(tuple);
	}
}
