/*
 * column_survey.c
 *		All columns of a database that draw from anything.
 *
 * Serial and identity columns are found by their sequences; other calls of
 * nextval() in the defaults of columns and domains, all of which are passed
 * over once; calls of idgen's functions are remembered per session
 * (drawing_defaults.c). What belongs to a column whose default does not draw
 * from it is listed, too: then programs draw for it, most likely.
 *
 * Nothing is locked but catalogs, one at a time. So what is found may be gone
 * by the time it is looked at, and is left out then.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "catalog/owned_rows.h"
#include "common/compat.h"
#include "sql/column_survey.h"
#include "sql/drawing_defaults.h"
#include "sql/nextval_calls.h"

/* A native sequence that belongs to a column. */
typedef struct Owned
{
	Oid sequence;
	IdgenOwningColumn column;
	bool drawn_from; /* does that column draw from it? */
} Owned;

/* What a column draws from, while the survey goes on. */
typedef struct Drawn
{
	IdgenOwningColumn column;
	List *found; /* of IdgenSurveyed */
} Drawn;

typedef struct Search
{
	HTAB *owned; /* of Owned, by the sequence */
	HTAB *drawn; /* of Drawn, by the column */
	List *found; /* of IdgenSurveyed */
} Search;

/* What a column takes that is given what it stores. */
static const IdgenDrawCall plain_call = {.form = IDGEN_DRAWS_BIGINT, .plain = true};

static HTAB *
make_hash(const char *name, Size keysize, Size entrysize)
{
	HASHCTL control = {.keysize = keysize, .entrysize = entrysize, .hcxt = CurrentMemoryContext};

	return hash_create(name, 1024, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* Add a column that is there. */
static void
add(Search *search, Form_pg_attribute att, IdgenDrawKind kind, const IdgenDrawCall *call,
    Oid sequence, const char *sequence_name)
{
	IdgenDrawingColumn *column = idgen_describe_column(att, call);
	IdgenSurveyed *surveyed;
	IdgenOwningColumn key;
	Drawn *drawn;
	bool found;

	if (column == NULL)
		return;
	surveyed = palloc(sizeof(IdgenSurveyed));
	*surveyed = (IdgenSurveyed){kind, *column, sequence, sequence_name};
	search->found = lappend(search->found, surveyed);

	key = idgen_owning_column(column->relid, column->attnum);
	drawn = hash_search(search->drawn, &key, HASH_ENTER, &found);
	drawn->found = lappend(found ? drawn->found : NIL, surveyed);
}

/*
 * Native sequences
 */

/* Add the identity column of a sequence, or note which column it belongs to. */
static void
add_sequence(Search *search, Oid sequence)
{
	Oid table;
	int32 attnum;
	Form_pg_attribute att;
	Owned *owned;

	if (sequenceIsOwned(sequence, DEPENDENCY_INTERNAL, &table, &attnum))
	{
		att = idgen_look_up_column(table, (AttrNumber) attnum);
		if (att != NULL)
			add(search, att, IDGEN_KIND_IDENTITY, &plain_call, sequence, NULL);
	}
	else if (sequenceIsOwned(sequence, DEPENDENCY_AUTO, &table, &attnum))
	{
		owned = hash_search(search->owned, &sequence, HASH_ENTER, NULL);
		owned->column = idgen_owning_column(table, (AttrNumber) attnum);
		owned->drawn_from = false;
	}
}

static void
add_sequences(Search *search)
{
	Relation rel = table_open(SequenceRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		add_sequence(search, ((Form_pg_sequence) GETSTRUCT(tuple))->seqrelid);
		CHECK_FOR_INTERRUPTS();
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/* Is it the column's own sequence? If so, note that it draws from it. */
static bool
is_own_sequence(Search *search, Form_pg_attribute att, Oid sequence)
{
	Owned *owned = hash_search(search->owned, &sequence, HASH_FIND, NULL);

	if (owned == NULL || owned->column != idgen_owning_column(att->attrelid, att->attnum))
		return false;
	owned->drawn_from = true;
	return true;
}

/*
 * Add the columns with a default, of a column or of a domain, that is stored
 * so.
 */
static void
add_nextval_calls(Search *search, const ObjectAddress *object, const char *stored)
{
	List *columns;
	ListCell *column;
	ListCell *cell;

	if (!idgen_may_call_nextval(stored))
		return;
	columns = idgen_columns_with_default(object);
	foreach(cell, columns == NIL ? NIL : idgen_nextval_calls(stored))
	{
		const IdgenNextvalCall *call = lfirst(cell);

		foreach(column, columns)
		{
			Form_pg_attribute att = lfirst(column);
			IdgenDrawCall draw = {.form = IDGEN_DRAWS_BIGINT, .plain = call->plain};

			add(search, att,
			    is_own_sequence(search, att, call->sequence) ? IDGEN_KIND_SERIAL : IDGEN_KIND_NEXTVAL,
			    &draw, call->sequence, call->name);
		}
	}
}

/*
 * Go through all defaults in a catalog, of columns (pg_attrdef) or of domains
 * (pg_type).
 */
static void
add_defaults(Search *search, Oid catalog, AttrNumber attnum_of_default)
{
	Relation rel = table_open(catalog, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum stored = heap_getattr(tuple, attnum_of_default, RelationGetDescr(rel), &isnull);
		ObjectAddress object;
		char *expr;

		if (isnull)
			continue;
		if (catalog == TypeRelationId)
			ObjectAddressSet(object, TypeRelationId, ((Form_pg_type) GETSTRUCT(tuple))->oid);
		else
			ObjectAddressSubSet(object, RelationRelationId, ((Form_pg_attrdef) GETSTRUCT(tuple))->adrelid,
			                    ((Form_pg_attrdef) GETSTRUCT(tuple))->adnum);
		expr = TextDatumGetCString(stored);
		add_nextval_calls(search, &object, expr);
		pfree(expr);
		CHECK_FOR_INTERRUPTS();
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/* Add the columns that do not draw from a sequence that belongs to them. */
static void
add_owned_sequences(Search *search)
{
	HASH_SEQ_STATUS scan;
	Owned *owned;

	hash_seq_init(&scan, search->owned);
	while ((owned = hash_seq_search(&scan)) != NULL)
	{
		Form_pg_attribute att;

		if (owned->drawn_from)
			continue;
		att = idgen_look_up_column(idgen_owning_table(owned->column), idgen_owning_attnum(owned->column));
		if (att != NULL)
			add(search, att, IDGEN_KIND_OWNED, &plain_call, owned->sequence, NULL);
	}
}

/*
 * Id sequences
 */

static void
add_drawing_columns(Search *search)
{
	ListCell *cell;
	ListCell *column;

	foreach(cell, idgen_defaults_all())
	{
		const IdgenDrawingDefault *drawing = lfirst(cell);

		foreach(column, idgen_columns_with_default(&drawing->object))
			add(search, lfirst(column), IDGEN_KIND_IDGEN, &drawing->call, InvalidOid, NULL);
	}
}

/* Does a column draw from the id sequence of that name? */
static bool
draws_from(Search *search, IdgenOwningColumn column, const char *name)
{
	const Drawn *drawn = hash_search(search->drawn, &column, HASH_FIND, NULL);
	ListCell *cell;

	foreach(cell, drawn != NULL ? drawn->found : NIL)
	{
		const char *of_column = ((const IdgenSurveyed *) lfirst(cell))->column.call.name;

		if (of_column != NULL && strcmp(of_column, name) == 0)
			return true;
	}
	return false;
}

/* Add the columns that do not draw from an id sequence that belongs to them. */
static void
add_owned_rows(Search *search, Oid id_sequences)
{
	IdgenOwnedSearch rows;
	List *owned;
	ListCell *cell;

	if (!idgen_owned_begin(&rows, id_sequences))
		return;
	owned = idgen_owned_all(&rows);
	idgen_owned_end(&rows);
	foreach(cell, owned)
	{
		const IdgenOwnedRow *row = lfirst(cell);
		IdgenDrawCall call = plain_call;
		Form_pg_attribute att;

		call.name = row->name;
		if (draws_from(search, row->column, row->name))
			continue;
		att = idgen_look_up_column(idgen_owning_table(row->column), idgen_owning_attnum(row->column));
		if (att != NULL)
			add(search, att, IDGEN_KIND_OWNED, &call, InvalidOid, NULL);
	}
}

/*
 * What is left out, and the order
 */

static bool
same_name(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Does a column draw from the same as another one, of which it is known? */
static bool
draws_the_same(Search *search, IdgenOwningColumn column, const IdgenSurveyed *other)
{
	const Drawn *drawn = hash_search(search->drawn, &column, HASH_FIND, NULL);
	ListCell *cell;

	foreach(cell, drawn != NULL ? drawn->found : NIL)
	{
		const IdgenSurveyed *surveyed = lfirst(cell);

		if (surveyed->sequence == other->sequence &&
		    same_name(surveyed->sequence_name, other->sequence_name) &&
		    same_name(surveyed->column.call.name, other->column.call.name))
			return true;
	}
	return false;
}

/* Has the column inherited what it draws from? */
static bool
is_inherited(Search *search, const IdgenSurveyed *surveyed)
{
	ListCell *cell;

	if (!surveyed->column.inherited)
		return false;
	foreach(cell, idgen_parents_of(surveyed->column.relid))
	{
		AttrNumber attnum = get_attnum(lfirst_oid(cell), surveyed->column.name);

		if (draws_the_same(search, idgen_owning_column(lfirst_oid(cell), attnum), surveyed))
			return true;
	}
	return false;
}

static int
compare_surveyed(const void *a, const void *b)
{
	const IdgenSurveyed *x = *(const IdgenSurveyed *const *) a;
	const IdgenSurveyed *y = *(const IdgenSurveyed *const *) b;
	int order = strcmp(x->column.table, y->column.table);

	if (order != 0)
		return order;
	return x->column.attnum != y->column.attnum ? x->column.attnum - y->column.attnum : (int) x->kind - (int) y->kind;
}

/*
 * Find the columns: one for each thing that it draws from. Of partitions, and
 * of other tables that inherit, only those count that draw from something else
 * than the column that they have inherited.
 */
void
idgen_survey_columns(Oid id_sequences, IdgenSurvey *survey)
{
	Search search = {
		.owned = make_hash("idgen owned sequences", sizeof(Oid), sizeof(Owned)),
		.drawn = make_hash("idgen columns that draw", sizeof(IdgenOwningColumn), sizeof(Drawn)),
	};
	ListCell *cell;

	idgen_defaults_look(get_rel_namespace(id_sequences));
	add_sequences(&search);
	add_defaults(&search, AttrDefaultRelationId, Anum_pg_attrdef_adbin);
	add_defaults(&search, TypeRelationId, Anum_pg_type_typdefaultbin);
	add_owned_sequences(&search);
	add_drawing_columns(&search);
	add_owned_rows(&search, id_sequences);

	survey->id_sequences = id_sequences;
	survey->n = 0;
	survey->found = palloc((list_length(search.found) + 1) * sizeof(IdgenSurveyed *));
	foreach(cell, search.found)
	{
		if (!is_inherited(&search, lfirst(cell)))
			survey->found[survey->n++] = lfirst(cell);
	}
	qsort(survey->found, survey->n, sizeof(IdgenSurveyed *), compare_surveyed);
	survey->by_column = search.drawn;
	hash_destroy(search.owned);
}

/*
 * Does a column draw from an id sequence already, as far as idgen_adopt()
 * knows?
 */
bool
idgen_survey_is_adopted(const IdgenSurvey *survey, IdgenOwningColumn column)
{
	const Drawn *drawn = hash_search(survey->by_column, &column, HASH_FIND, NULL);
	ListCell *cell;

	foreach(cell, drawn != NULL ? drawn->found : NIL)
	{
		const IdgenSurveyed *surveyed = lfirst(cell);

		if (surveyed->kind == IDGEN_KIND_IDGEN && surveyed->column.call.name != NULL)
			return true;
	}
	return false;
}
