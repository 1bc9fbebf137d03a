/*
 * sql_columns.c
 *		SQL functions about columns: type idgen_column, what stored expressions
 *		draw from, and the greatest or the least id in a column.
 *
 * For such an end, and for the gaps in a column (sql_gaps.c), idgen reads
 * tables of users, and nowhere else. It reads them by scans of the table or of
 * an index, and not by queries. So no code of anybody's runs: no predicate or
 * expression of an index, no policy, no view, whoever owns the table and
 * whoever asks. Partitions, and other tables that inherit the column, are read
 * one by one. Views and foreign tables are not read: the rows are those of
 * other tables, which draw themselves or not.
 *
 * A brief look is for views that thousands of columns are read for: it waits
 * for no lock, reads only the end of an index, and no more of dead rows there
 * than 100 pages of the table. So it may find nothing where there are ids. Its
 * snapshot is one that conflict tracking does not look at.
 *
 * Each table is locked ACCESS SHARE while it is read. What is not committed
 * does not count, but for the transaction's own rows.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/calls.h"
#include "catalog/owning_column.h"
#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "common/ordered_index.h"
#include "common/subxact.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_column_in);
PG_FUNCTION_INFO_V1(idgen_column_out);
PG_FUNCTION_INFO_V1(idgen_column_recv);
PG_FUNCTION_INFO_V1(idgen_column_send);
PG_FUNCTION_INFO_V1(idgen_calls);
PG_FUNCTION_INFO_V1(idgen_base_type);
PG_FUNCTION_INFO_V1(idgen_column_end_of);

/*
 * Type idgen_column. The binary form is the name, too: an OID means nothing to
 * another server.
 */

/*
 * Rows that are restored or replicated may name tables that are not there. The
 * latter do so each time that the row changes, so nobody is told.
 */
static Datum
read_column(const char *name)
{
	bool replicated = SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA;

	return Int64GetDatum(idgen_owning_column_find(name, replicated ? DEBUG1 : WARNING));
}

/* idgen_column_in(cstring) returns idgen_column */
Datum
idgen_column_in(PG_FUNCTION_ARGS)
{
	return read_column(PG_GETARG_CSTRING(0));
}

/* idgen_column_out(idgen_column) returns cstring */
Datum
idgen_column_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(idgen_owning_column_name(PG_GETARG_INT64(0)));
}

/* idgen_column_recv(internal) returns idgen_column */
Datum
idgen_column_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	int length;

	return read_column(pq_getmsgtext(buffer, buffer->len - buffer->cursor, &length));
}

/* idgen_column_send(idgen_column) returns bytea */
Datum
idgen_column_send(PG_FUNCTION_ARGS)
{
	char *name = idgen_owning_column_name(PG_GETARG_INT64(0));
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendtext(&buffer, name, strlen(name));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

/*
 * What stored expressions draw from
 */

/*
 * What draws, as it is stored: it is kept as long as the calling statement
 * runs. Raises 55000 if the library is not of the version of the database.
 */
static IdgenSearched *
get_searched(FmgrInfo *flinfo)
{
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);

		idgen_version_check();
		flinfo->fn_extra = idgen_searched(get_func_namespace(flinfo->fn_oid));
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

/*
 * idgen_calls(expression pg_node_tree) returns setof record: the calls in an
 * expression that draw, each thing that they draw from once
 */
Datum
idgen_calls(PG_FUNCTION_ARGS)
{
	IdgenSearched *searched = get_searched(fcinfo->flinfo);
	char *stored = TextDatumGetCString(PG_GETARG_DATUM(0));
	ListCell *cell;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(cell, idgen_calls_in(searched, stored))
	{
		const IdgenDrawCall *call = lfirst(cell);
		IdgenViewLine line = {.n = 0};

		idgen_view_add_text(&line, call->form);
		idgen_view_add_text(&line, call->name);
		idgen_view_add_text(&line, call->source);
		idgen_view_add_unless(!OidIsValid(call->sequence), &line, ObjectIdGetDatum(call->sequence));
		idgen_view_add(&line, BoolGetDatum(call->plain));
		idgen_view_put((ReturnSetInfo *) fcinfo->resultinfo, &line);
	}
	pfree(stored);
	return (Datum) 0;
}

/*
 * idgen_base_type(type oid, typmod integer) returns record: the type that a
 * domain is made of; null if it is gone. The server's own function would raise
 * an error then.
 */
Datum
idgen_base_type(PG_FUNCTION_ARGS)
{
	Oid type = PG_GETARG_OID(0);
	int32 typmod = PG_GETARG_INT32(1);
	IdgenViewLine line = {.n = 0};

	for (;;)
	{
		HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
		Form_pg_type form;

		if (!HeapTupleIsValid(tuple))
			PG_RETURN_NULL();
		form = (Form_pg_type) GETSTRUCT(tuple);
		if (form->typtype != TYPTYPE_DOMAIN)
		{
			ReleaseSysCache(tuple);
			break;
		}
		type = form->typbasetype;
		typmod = form->typtypmod;
		ReleaseSysCache(tuple);
	}
	idgen_view_add(&line, ObjectIdGetDatum(type));
	idgen_view_add(&line, Int32GetDatum(typmod));
	return idgen_view_row(fcinfo, &line);
}

/*
 * Ends of columns
 */

/* As many as the planner reads for the same (utils/adt/selfuncs.c). */
#define MAX_PAGES_OF_BRIEF_LOOK 100

typedef enum ColumnEnd
{
	END_LEAST,
	END_GREATEST,
} ColumnEnd;

/* How much a look may cost. */
typedef enum Look
{
	LOOK_AT_ALL,  /* it waits for locks, and reads the table if need be */
	LOOK_IF_FREE, /* it reads the table, but raises 55006 if that is locked */
	LOOK_BRIEFLY,
} Look;

typedef struct Search
{
	Oid relid;
	AttrNumber attnum;
	FmgrInfo *flinfo; /* of the function that was called */
	ColumnEnd end;
	Look look;
	const IdgenFormat *format; /* of text ids; NULL for numbers */
	MemoryContext context;     /* of what is found */
	Numeric found;             /* NULL as long as there is none */
} Search;

/*
 * Whose rows, and who may know
 */

/*
 * A table and all that inherit from it, directly or not, as a list of OIDs. One
 * may be dropped meanwhile: of that, the server's function would raise an
 * error.
 */
List *
idgen_heirs_of(Oid relid)
{
	List *line = list_make1_oid(relid);
	ListCell *cell;

	foreach(cell, line)
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(lfirst_oid(cell))))
			line = list_concat_unique_oid(line, find_inheritance_children_extended(lfirst_oid(cell), false, NoLock, NULL, NULL));
	return line;
}

static bool
may_select(Oid relid, AttrNumber attnum)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relid, attnum, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

static bool
sees_all_rows(Oid relid)
{
	return check_enable_rls(relid, GetUserId(), true) != RLS_ENABLED;
}

/* Raises 42501 unless the current user may read the column in all rows. */
void
idgen_check_may_read(Oid relid, AttrNumber attnum)
{
	if (!may_select(relid, attnum))
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
	if (!sees_all_rows(relid))
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("query would be affected by row-level security policy for table \"%s\"", get_rel_name(relid))));
}

/* Does the default of a column draw, be it its own or that of its domain? */
static bool
has_drawing_default(const IdgenSearched *searched, Relation table, AttrNumber attnum)
{
	const TupleConstr *constr = RelationGetDescr(table)->constr;
	Oid type = TupleDescAttr(RelationGetDescr(table), attnum - 1)->atttypid;
	HeapTuple tuple;
	bool isnull;
	Datum stored;
	bool answer;

	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == attnum)
			return idgen_calls_in(searched, constr->defval[i].adbin) != NIL;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		return false;
	stored = SysCacheGetAttr(TYPEOID, tuple, Anum_pg_type_typdefaultbin, &isnull);
	answer = !isnull && idgen_calls_in(searched, TextDatumGetCString(stored)) != NIL;
	ReleaseSysCache(tuple);
	return answer;
}

/* Does a column have ids, as far as can be known without waiting? */
static bool
is_of_ids(FmgrInfo *flinfo, Oid relid, AttrNumber attnum)
{
	IdgenOwningColumn column = idgen_owning_column(relid, attnum);
	Relation table;
	bool answer;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	table = try_relation_open(relid, NoLock);
	answer = table != NULL && attnum > 0 &&
		(has_drawing_default(get_searched(flinfo), table, attnum) || idgen_owned_names(idgen_table_oid(flinfo->fn_oid), &column, 1) != NIL);
	if (table != NULL)
		relation_close(table, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return answer;
}

/*
 * The same, but a brief look finds nothing then. Monitors may look briefly at
 * columns that have ids.
 */
static bool
may_read(const Search *search)
{
	if (search->look == LOOK_BRIEFLY)
		return (may_select(search->relid, search->attnum) && sees_all_rows(search->relid)) ||
			(idgen_may_monitor() && is_of_ids(search->flinfo, search->relid, search->attnum));
	idgen_check_may_read(search->relid, search->attnum);
	return true;
}

/* Are there rows of the table here that this session can read? */
bool
idgen_table_is_readable(Relation table)
{
	return table->rd_rel->relkind == RELKIND_RELATION && !RELATION_IS_OTHER_TEMP(table) &&
		(table->rd_rel->relpersistence != RELPERSISTENCE_UNLOGGED || !RecoveryInProgress());
}

/*
 * Values
 */

/* A value of a column of integers. */
int64
idgen_column_integer(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* A value of a column of texts, not terminated; char pads them. */
const char *
idgen_column_text(Oid type, Datum value, int *length)
{
	text *stored = DatumGetTextPP(value);

	*length = VARSIZE_ANY_EXHDR(stored);
	if (type == BPCHAROID)
		*length = bpchartruelen(VARDATA_ANY(stored), *length);
	return VARDATA_ANY(stored);
}

/* The id that a value of a column is; NULL for a text that is none. */
static Numeric
id_of_value(const Search *search, Oid type, Datum value)
{
	const char *id_text;
	int length;
	int64 id;

	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return int64_to_numeric(idgen_column_integer(type, value));
		case NUMERICOID:
			return DatumGetNumeric(value);
		default:
			id_text = idgen_column_text(type, value, &length);
			if (idgen_format_read(search->format, id_text, length, &id) != IDGEN_READING_ID)
				return NULL;
			return int64_to_numeric(id);
	}
}

/* Has a column of that type ids that this search is for? */
static bool
has_ids(const Search *search, Oid type)
{
	if (search->format != NULL)
		return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
	return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

static void
count_value(Search *search, Oid type, Datum value)
{
	Numeric id = id_of_value(search, type, value);
	Numeric further = id;

	if (id != NULL && search->found != NULL)
		further = DatumGetNumeric(DirectFunctionCall2(search->end == END_GREATEST ? numeric_larger : numeric_smaller,
		                                              NumericGetDatum(search->found), NumericGetDatum(id)));
	if (further != NULL && further != search->found)
	{
		MemoryContext caller = MemoryContextSwitchTo(search->context);

		search->found = DatumGetNumericCopy(NumericGetDatum(further));
		MemoryContextSwitchTo(caller);
	}
}

/*
 * Scans
 */

/* Read all rows of a table. */
static void
read_table(Search *search, Relation table, AttrNumber attnum, Oid type)
{
	Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = table_beginscan(table, snapshot, 0, NULL, SO_NONE);
	TupleTableSlot *row = table_slot_create(table, NULL);
	MemoryContext of_row = AllocSetContextCreate(CurrentMemoryContext, "idgen row", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(of_row);

	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		bool isnull;
		Datum value = slot_getattr(row, attnum, &isnull);

		if (!isnull)
			count_value(search, type, value);
		MemoryContextReset(of_row);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(of_row);
	ExecDropSingleTupleTableSlot(row);
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
}

/* Read the index from its end, as far as the first row that counts. */
static void
read_index(Search *search, Relation table, Relation index, AttrNumber attnum, Oid type)
{
	bool brief = search->look == LOOK_BRIEFLY;
	bool descending = (index->rd_indoption[0] & INDOPTION_DESC) != 0;
	ScanDirection direction = (search->end == END_GREATEST) != descending ? BackwardScanDirection : ForwardScanDirection;
	Snapshot snapshot = brief ? SnapshotSelf : RegisterSnapshot(GetLatestSnapshot());
	IndexScanDesc scan = index_beginscan(table, index, snapshot, NULL, 1, 0, SO_NONE);
	TupleTableSlot *row = table_slot_create(table, NULL);
	BlockNumber page = InvalidBlockNumber;
	int pages = 0;
	ItemPointer tid;
	ScanKeyData not_null;

	ScanKeyEntryInitialize(&not_null, SK_ISNULL | SK_SEARCHNOTNULL, 1, InvalidStrategy, InvalidOid, InvalidOid,
	                       InvalidOid, (Datum) 0);
	index_rescan(scan, &not_null, 1, NULL, 0);
	while ((tid = index_getnext_tid(scan, direction)) != NULL)
	{
		if (ItemPointerGetBlockNumber(tid) != page && ++pages > MAX_PAGES_OF_BRIEF_LOOK && brief)
			break;
		page = ItemPointerGetBlockNumber(tid);
		if (index_fetch_heap(scan, row))
		{
			bool isnull;
			Datum value = slot_getattr(row, attnum, &isnull);

			count_value(search, type, value);
			break;
		}
		CHECK_FOR_INTERRUPTS();
	}
	ExecDropSingleTupleTableSlot(row);
	index_endscan(scan);
	if (!brief)
		UnregisterSnapshot(snapshot);
}

/* Read an index in the order of the column; false if there is none. */
static bool
read_any_index(Search *search, Relation table, AttrNumber attnum, Oid type)
{
	Relation index = idgen_index_open(table, InvalidAttrNumber, attnum,
	                                  search->look == LOOK_AT_ALL ? LockWaitBlock : LockWaitSkip);

	if (index == NULL)
		return false;
	read_index(search, table, index, attnum, type);
	index_close(index, AccessShareLock);
	return true;
}

/*
 * Lock a table to read it. Returns false if a brief look finds it locked. It
 * may be gone by then.
 */
static bool
lock_table(const Search *search, Oid relid)
{
	if (search->look == LOOK_AT_ALL)
		LockRelationOid(relid, AccessShareLock);
	else if (!ConditionalLockRelationOid(relid, AccessShareLock))
	{
		if (search->look == LOOK_BRIEFLY)
			return false;
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_IN_USE),
		         errmsg("table \"%s\" is locked by another transaction", psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)), get_rel_name(relid)))));
	}
	return true;
}

/* One table, without those that inherit from it. */
static void
read_one(Search *search, Oid relid, const char *column)
{
	Relation table;

	if (!lock_table(search, relid))
		return;
	table = try_relation_open(relid, NoLock);
	if (table != NULL)
	{
		AttrNumber attnum = get_attnum(relid, column);
		Oid type = attnum > 0 ? getBaseType(get_atttype(relid, attnum)) : InvalidOid;

		if (idgen_table_is_readable(table) && has_ids(search, type) &&
		    (search->format != NULL || !read_any_index(search, table, attnum, type)) &&
		    search->look != LOOK_BRIEFLY)
			read_table(search, table, attnum, type);
		relation_close(table, NoLock);
	}
	UnlockRelationOid(relid, AccessShareLock);
}

/* Read the column, in all tables that have it. */
static void
read_all(void *arg)
{
	Search *search = arg;
	const char *column;
	ListCell *cell;

	if (get_attname(search->relid, search->attnum, true) == NULL || !may_read(search) || !lock_table(search, search->relid))
		return;

	/* By now, the column keeps its name, by which the others have it. */
	column = get_attname(search->relid, search->attnum, true);
	if (column != NULL)
		foreach(cell, idgen_heirs_of(search->relid))
			read_one(search, lfirst_oid(cell), column);
	UnlockRelationOid(search->relid, AccessShareLock);
}

/*
 * The same, in a subtransaction: a table that cannot even be opened does not
 * keep the others from being shown.
 */
static void
read_briefly(Search *search)
{
	ErrorData *error = idgen_try(read_all, search, IDGEN_TRY_ANY);

	if (error != NULL && (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_OUT_OF_MEMORY))
		idgen_rethrow(error);
}

/*
 * idgen_column_end(relation oid, attnum smallint, upper boolean, format text,
 * look text) returns numeric: that end of the ids in a column and in what
 * inherits it; null if there are none, or if it is gone. Text ids are read by
 * their format, numbers without one; values that are no ids do not count. The
 * look is "brief", "wait", or "free", which does not wait for locks either.
 * Raises 42501, and 55006 if a table is not free; a brief look raises nothing.
 */
Datum
idgen_column_end_of(PG_FUNCTION_ARGS)
{
	Search search = {.flinfo = fcinfo->flinfo, .look = LOOK_AT_ALL, .context = CurrentMemoryContext};
	const char *look;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	search.relid = PG_GETARG_OID(0);
	search.attnum = PG_GETARG_INT16(1);
	search.end = PG_GETARG_BOOL(2) ? END_GREATEST : END_LEAST;
	search.format = PG_ARGISNULL(3) ? NULL : idgen_format_parse(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	look = text_to_cstring(PG_GETARG_TEXT_PP(4));
	if (strcmp(look, "brief") == 0)
		search.look = LOOK_BRIEFLY;
	else if (strcmp(look, "free") == 0)
		search.look = LOOK_IF_FREE;
	if (search.look == LOOK_BRIEFLY)
		read_briefly(&search);
	else
		read_all(&search);
	if (search.found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(search.found);
}
