/*
 * sql_gaps.c
 *		SQL function idgen_gaps_in(): the numbers that are missing in a column.
 *
 * A series is the numbers of one child: of one value of a child column, and of
 * text ids with periods, of one period. The numbers of a series are walked in
 * ascending order, and what lies between two neighbours is a gap. So memory is
 * needed for one number and one child, however many rows there are; gaps go to
 * the result, which the server keeps on disk if it grows.
 *
 * The order is that of an index, of which the table is read only where rows are
 * not known to be visible to all, as in an index-only scan. Without such an
 * index, with several tables that inherit from each other, and for text ids,
 * which an index orders by characters, all rows are sorted.
 *
 * sql_columns.c says whose code may not run here, and how that is kept. What
 * runs is the output function of the child column's type, and only superusers
 * make such functions. All is read in the snapshot of the calling statement,
 * and locked as by a query: so a report agrees with what else that one reads.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "common/compat.h"
#include "common/ordered_index.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_gaps_in);

/* Rows are sorted as those of the result, whose last column is null. */
enum
{
	SORTED_CHILD,
	SORTED_NUMBER,
};

/* What is read of a table. */
typedef struct Columns
{
	AttrNumber number;
	Oid type;         /* of the numbers, or of text ids */
	AttrNumber child; /* 0 without a child column */
	TypeCacheEntry *child_type;
} Columns;

typedef struct Gaps
{
	const char *name;          /* of the id sequence that text ids are of */
	const IdgenFormat *format; /* of text ids; NULL for numbers */
	IdgenPeriod period;        /* of text ids */
	ReturnSetInfo *result;
	MemoryContext of_row;

	/* where the walk has got to: a child, and its number */
	bool begun;
	bool no_child; /* is it null? */
	Datum child;
	int64 last;
} Gaps;

/* The next number, in the order of children and numbers. */
static void
walk_to(Gaps *gaps, const TypeCacheEntry *type, Datum child, bool no_child, int64 number)
{
	if (!gaps->begun || gaps->no_child != no_child ||
	    !(no_child || datum_image_eq(gaps->child, child, type->typbyval, type->typlen)))
	{
		if (gaps->begun && !gaps->no_child && !type->typbyval)
			pfree(DatumGetPointer(gaps->child));
		gaps->child = no_child ? (Datum) 0 : datumCopy(child, type->typbyval, type->typlen);
		gaps->no_child = no_child;
		gaps->begun = true;
	}
	else if (number > gaps->last && number - 1 > gaps->last)
	{
		MemoryContext caller = MemoryContextSwitchTo(gaps->of_row);
		IdgenViewLine line = {.n = 0};
		Oid output;
		bool is_varlena;

		getTypeOutputInfo(type->type_id, &output, &is_varlena);
		idgen_view_add_text(&line, no_child ? NULL : OidOutputFunctionCall(output, child));
		idgen_view_add(&line, Int64GetDatum(gaps->last + 1));
		idgen_view_add(&line, Int64GetDatum(number - 1));
		idgen_view_put(gaps->result, &line);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(gaps->of_row);
	}
	gaps->last = number;
}

/* Walk through an index that has all numbers in order. */
static void
walk_index(Gaps *gaps, Relation table, Relation index, const Columns *columns)
{
	int key = columns->child != InvalidAttrNumber ? 1 : 0;
	ScanDirection direction = (index->rd_indoption[key] & INDOPTION_DESC) != 0 ? BackwardScanDirection : ForwardScanDirection;
	Snapshot snapshot = GetActiveSnapshot();
	IndexScanDesc scan = index_beginscan(table, index, snapshot, NULL, 0, 0, SO_NONE);
	TupleTableSlot *row = table_slot_create(table, NULL);
	Buffer map = InvalidBuffer;
	ItemPointer tid;

	scan->xs_want_itup = true;
	index_rescan(scan, NULL, 0, NULL, 0);
	while ((tid = index_getnext_tid(scan, direction)) != NULL)
	{
		BlockNumber page = ItemPointerGetBlockNumber(tid);
		bool isnull;
		bool no_child = true;
		Datum child = (Datum) 0;
		Datum number;

		CHECK_FOR_INTERRUPTS();
		if ((visibilitymap_get_status(table, page, &map) & VISIBILITYMAP_ALL_VISIBLE) != 0)
			PredicateLockPage(table, page, snapshot);
		else if (!index_fetch_heap(scan, row))
			continue;
		number = index_getattr(scan->xs_itup, key + 1, scan->xs_itupdesc, &isnull);
		if (key > 0)
			child = index_getattr(scan->xs_itup, 1, scan->xs_itupdesc, &no_child);
		if (!isnull)
			walk_to(gaps, columns->child_type, child, no_child, idgen_column_integer(columns->type, number));
	}
	if (map != InvalidBuffer)
		ReleaseBuffer(map);
	ExecDropSingleTupleTableSlot(row);
	index_endscan(scan);
}

/*
 * The number of a text id. Its period becomes part of the child, as in the name
 * of an id sequence.
 */
static int64
read_text_id(const Gaps *gaps, Oid type, Datum value, char **child)
{
	int length;
	const char *at = idgen_column_text(type, value, &length);
	int64 number = idgen_read_text_id(gaps->format, gaps->name, at, length);
	IdgenDay day;

	if (gaps->period == IDGEN_PERIOD_NONE || !idgen_format_read_day(gaps->format, at, length, &day))
		return number;
	if (*child != NULL)
		*child = idgen_period_child(*child, gaps->period, &day);
	else
		*child = idgen_period_child("", gaps->period, &day) + strlen("/");
	return number;
}

/* Have the rows of a table sorted. */
static void
sort_table(Gaps *gaps, Tuplesortstate *sort, Relation table, const Columns *columns)
{
	TableScanDesc scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL, SO_NONE);
	TupleTableSlot *row = table_slot_create(table, NULL);
	TupleTableSlot *sorted = MakeSingleTupleTableSlot(gaps->result->setDesc, &TTSOpsVirtual);
	MemoryContext caller = MemoryContextSwitchTo(gaps->of_row);
	Oid output;
	bool is_varlena;

	getTypeOutputInfo(columns->child_type->type_id, &output, &is_varlena);
	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		bool isnull;
		bool no_child = true;
		Datum value = slot_getattr(row, columns->number, &isnull);
		Datum child_value = columns->child == InvalidAttrNumber ? (Datum) 0 : slot_getattr(row, columns->child, &no_child);
		char *child;
		int64 number;

		CHECK_FOR_INTERRUPTS();
		if (isnull)
			continue;
		child = no_child ? NULL : OidOutputFunctionCall(output, child_value);
		ExecStoreAllNullTuple(sorted);
		if (gaps->format == NULL)
			number = idgen_column_integer(columns->type, value);
		else
			number = read_text_id(gaps, columns->type, value, &child);
		sorted->tts_values[SORTED_NUMBER] = Int64GetDatum(number);
		sorted->tts_values[SORTED_CHILD] = child != NULL ? CStringGetTextDatum(child) : (Datum) 0;
		sorted->tts_isnull[SORTED_NUMBER] = false;
		sorted->tts_isnull[SORTED_CHILD] = child == NULL;
		tuplesort_puttupleslot(sort, sorted);
		MemoryContextReset(gaps->of_row);
	}
	MemoryContextSwitchTo(caller);
	ExecDropSingleTupleTableSlot(sorted);
	ExecDropSingleTupleTableSlot(row);
	table_endscan(scan);
}

static Tuplesortstate *
begin_sort(TupleDesc desc)
{
	AttrNumber columns[] = {SORTED_CHILD + 1, SORTED_NUMBER + 1};
	Oid operators[] = {TextLessOperator, Int8LessOperator};
	Oid collations[] = {C_COLLATION_OID, InvalidOid};
	bool nulls_first[] = {false, false};

	return tuplesort_begin_heap(desc, lengthof(columns), columns, operators, collations, nulls_first, work_mem, NULL,
	                            TUPLESORT_NONE);
}

/* Walk through what was sorted. */
static void
walk_sorted(Gaps *gaps, Tuplesortstate *sort)
{
	TupleTableSlot *row = MakeSingleTupleTableSlot(gaps->result->setDesc, &TTSOpsMinimalTuple);
	const TypeCacheEntry *text_type = lookup_type_cache(TEXTOID, 0);

	tuplesort_performsort(sort);
	while (tuplesort_gettupleslot(sort, true, false, row, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(row);
		walk_to(gaps, text_type, row->tts_values[SORTED_CHILD], row->tts_isnull[SORTED_CHILD],
		        DatumGetInt64(row->tts_values[SORTED_NUMBER]));
	}
	ExecDropSingleTupleTableSlot(row);
	tuplesort_end(sort);
}

/*
 * A column that has its values in that table, or in those that inherit it.
 * Raises 42703 and 42809, and 42501 if rights are asked for and are missing.
 */
static AttrNumber
find_column(Relation table, const char *name, bool check_rights)
{
	AttrNumber attnum = get_attnum(RelationGetRelid(table), name);

	if (attnum <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_COLUMN),
		         errmsg("column \"%s\" of relation \"%s\" does not exist", name, RelationGetRelationName(table))));
	if ((!idgen_table_is_readable(table) && table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE) ||
	    TupleDescAttr(RelationGetDescr(table), attnum - 1)->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("ids of column \"%s\" of relation \"%s\" are not known", name, RelationGetRelationName(table))));
	if (check_rights)
		idgen_check_may_read(RelationGetRelid(table), attnum);
	return attnum;
}

/* The type of numbers, or of text ids. Raises 42804 for a column of others. */
static Oid
find_type(const Gaps *gaps, Relation table, const char *name, AttrNumber attnum)
{
	Oid type = getBaseType(get_atttype(RelationGetRelid(table), attnum));
	bool is_number = type == INT2OID || type == INT4OID || type == INT8OID;
	bool is_text = type == TEXTOID || type == VARCHAROID || type == BPCHAROID;

	if (gaps->format == NULL ? !is_number : !is_text)
		ereport(ERROR,
		        (errcode(ERRCODE_DATATYPE_MISMATCH),
		         errmsg("column \"%s\" of relation \"%s\" must be of type %s", name, RelationGetRelationName(table),
		                gaps->format == NULL ? "smallint, integer, or bigint" : "text, varchar, or char"),
		         gaps->format == NULL && is_text ? errhint("Name the id sequence or the template that says the format.") : 0));
	return type;
}

/*
 * Read one table, without those that inherit from it: walk through it, if it is
 * "alone" and has an index in the order of the numbers, or else add its rows to
 * those to be sorted. Rights are asked for at the table that was named.
 */
static void
read_table(Gaps *gaps, Relation table, const char *number_name, const char *child_name, bool check_rights, bool alone,
           Tuplesortstate **sort)
{
	Relation index = NULL;
	Columns columns = {.number = find_column(table, number_name, check_rights)};

	columns.type = find_type(gaps, table, number_name, columns.number);
	if (*child_name != '\0')
		columns.child = find_column(table, child_name, check_rights);
	columns.child_type = lookup_type_cache(columns.child != 0 ? get_atttype(RelationGetRelid(table), columns.child) : TEXTOID, 0);
	if (!idgen_table_is_readable(table))
		return;
	if (alone && gaps->format == NULL)
		index = idgen_index_open(table, columns.child, columns.number, LockWaitBlock);
	if (index != NULL)
	{
		walk_index(gaps, table, index, &columns);
		index_close(index, NoLock);
		return;
	}
	if (*sort == NULL)
		*sort = begin_sort(gaps->result->setDesc);
	sort_table(gaps, *sort, table, &columns);
}

/*
 * idgen_gaps_in(relation oid, column_name name, child_column name, name text,
 * format text, period text) returns setof record: the child, the first and the
 * last number of each gap. The name, the format and the period are those of
 * text ids. What is not given is empty. Raises 42501 unless the caller may read
 * the columns in all rows.
 */
Datum
idgen_gaps_in(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	const char *number_name = NameStr(*PG_GETARG_NAME(1));
	const char *child_name = NameStr(*PG_GETARG_NAME(2));
	char *format = text_to_cstring(PG_GETARG_TEXT_PP(4));
	Gaps gaps = {.name = text_to_cstring(PG_GETARG_TEXT_PP(3)), .result = (ReturnSetInfo *) fcinfo->resultinfo};
	Tuplesortstate *sort = NULL;
	List *heirs;
	ListCell *cell;

	if (*format != '\0')
		gaps.format = idgen_format_parse(format);
	gaps.period = idgen_period_find(text_to_cstring(PG_GETARG_TEXT_PP(5)));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	gaps.of_row = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_DEFAULT_SIZES);
	LockRelationOid(relid, AccessShareLock);
	heirs = idgen_heirs_of(relid);
	foreach(cell, heirs)
	{
		Relation table = try_relation_open(lfirst_oid(cell), AccessShareLock);
		bool named = lfirst_oid(cell) == relid;

		if (table == NULL && named)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relid)));
		if (table == NULL)
			continue;
		read_table(&gaps, table, number_name, child_name, named, list_length(heirs) == 1, &sort);
		relation_close(table, NoLock);
	}
	if (sort != NULL)
		walk_sorted(&gaps, sort);
	return (Datum) 0;
}
