/*
 * ids_in_use.c
 *		How far the ids of a column have gone.
 *
 * Ids are in the table, or drawn and not inserted yet. The latter are known
 * only by what the column draws from: they lie below what that says comes next.
 * So each function takes one more place into account, and the greatest id
 * counts.
 *
 * The caller has locked whatever it asks about, except where a function says
 * so. Each place is read after it is locked, the table by the newest snapshot
 * rather than the transaction's: that one may be older than the lock.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "catalog/epoch.h"
#include "catalog/native_sequence.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/validate.h"
#include "sql/ids_in_use.h"
#include "sql/user_sql.h"

/* How many texts are in memory at a time. */
#define TEXTS_AT_ONCE 1000

static void
count_last(IdgenIdsInUse *ids, int64 id)
{
	ids->last = ids->any ? Max(ids->last, id) : id;
	ids->any = true;
}

/*
 * Count the ids before the next one. If there can be none before it, count it.
 */
static void
count_before(IdgenIdsInUse *ids, int64 next)
{
	count_last(ids, next == PG_INT64_MIN ? next : next - 1);
}

/*
 * Have the server raise an error rather than hide rows, until
 * AtEOXact_GUC(true, what this returns).
 */
static int
row_security_off(void)
{
	int nestlevel = NewGUCNestLevel();

	set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return nestlevel;
}

/*
 * Run a query that returns one bigint. Returns false if that is null. Raises
 * 42501 if row security hides rows from the caller.
 */
static bool
query_all_rows(const char *query, int nargs, Oid *types, Datum *values, int64 *id)
{
	int nestlevel = row_security_off();
	Datum value;
	bool isnull = true;

	idgen_run_query(query, nargs, types, values, &value, &isnull);
	AtEOXact_GUC(true, nestlevel);
	if (!isnull)
		*id = DatumGetInt64(value);
	return !isnull;
}

/*
 * The ids in the table. Raises 42501 if row security hides rows from the
 * caller.
 */
void
idgen_count_table(const IdgenColumn *column, IdgenIdsInUse *ids)
{
	char *query = psprintf("SELECT pg_catalog.max(%s)::pg_catalog.int8 FROM %s",
	                       quote_identifier(column->name), idgen_table_name(column->table_oid));
	int64 last;

	if (query_all_rows(query, 0, NULL, NULL, &last))
		count_last(ids, last);
}

/*
 * Raises 42501 unless the current user may read the column in all rows.
 */
void
idgen_check_may_read(Oid relid, const char *column)
{
	Oid user = GetUserId();

	if (pg_class_aclcheck(relid, user, ACL_SELECT) != ACLCHECK_OK &&
	    pg_attribute_aclcheck(relid, get_attnum(relid, column), user, ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
	if (check_enable_rls(relid, user, true) == RLS_ENABLED)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("query would be affected by row-level security policy for table \"%s\"", get_rel_name(relid))));
}

/*
 * The sequence value of the greatest id in a column, or of the least one: what
 * the aggregate function says, without "base" (NULL = zero). Beyond bigint it
 * is the last bigint. Returns false if there is none. The caller need not have
 * locked the table.
 *
 * A query of a table may run code of its owner, in the predicate of an index,
 * say. The user may not know of this table, so that code runs with the owner's
 * rights; the caller has to check those of the user. Raises 42501 if row
 * security hides rows from the owner.
 */
bool
idgen_find_id(Oid relid, const char *column, Numeric base, const char *aggregate, int64 *id)
{
	IdgenIdentity before;
	bool found;
	Oid types[] = {NUMERICOID};
	Datum values[] = {NumericGetDatum(base != NULL ? base : int64_to_numeric(0))};
	char *query = psprintf("SELECT CASE"
	                       " WHEN value OPERATOR(pg_catalog.>) 9223372036854775807::pg_catalog.numeric"
	                       " THEN 9223372036854775807::pg_catalog.int8"
	                       " WHEN value OPERATOR(pg_catalog.<) (-9223372036854775808)::pg_catalog.numeric"
	                       " THEN (-9223372036854775808)::pg_catalog.int8"
	                       " ELSE pg_catalog.floor(value)::pg_catalog.int8 END"
	                       " FROM (SELECT pg_catalog.%s(%s)::pg_catalog.numeric OPERATOR(pg_catalog.-) $1 AS value FROM %s) AS ids",
	                       aggregate, quote_identifier(column), idgen_table_name(relid));

	idgen_act_as(idgen_owner_of(relid), &before);
	found = query_all_rows(query, lengthof(types), types, values, id);
	idgen_act_as_before(&before);
	return found;
}

/*
 * Count the texts that are text ids of the format. Others are none of what the
 * id sequence will ever issue.
 */
static void
count_text_ids(const IdgenFormat *format, const SPITupleTable *texts, uint64 n, IdgenIdsFound *ids)
{
	for (uint64 i = 0; i < n; i++)
	{
		bool isnull;
		text *value = DatumGetTextPP(SPI_getbinval(texts->vals[i], texts->tupdesc, 1, &isnull));
		int64 id;
		char *problem;

		if (idgen_format_read(format, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &id, &problem) != IDGEN_READING_ID)
			continue;
		ids->any = true;
		ids->least = Min(ids->least, id);
		ids->greatest = Max(ids->greatest, id);
	}
}

/*
 * Count the sequence values of the text ids in a column, in *ids. The format is
 * NULL for plain digits. For the rest, this does as idgen_find_id() does.
 */
void
idgen_find_text_ids(Oid relid, const char *column, const IdgenFormat *format, IdgenIdsFound *ids)
{
	char *query = psprintf("SELECT %s::pg_catalog.text FROM %s WHERE %s IS NOT NULL",
	                       quote_identifier(column), idgen_table_name(relid), quote_identifier(column));
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "idgen text ids being read",
	                                              ALLOCSET_DEFAULT_SIZES);
	IdgenIdentity before;
	int nestlevel;
	Portal portal;

	if (format == NULL)
		format = idgen_format_parse(IDGEN_FORMAT_PLAIN);
	idgen_act_as(idgen_owner_of(relid), &before);
	nestlevel = row_security_off();
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	portal = SPI_cursor_open(NULL, idgen_prepare(query, 0, NULL), NULL, NULL, true);
	do
	{
		MemoryContext caller;

		SPI_cursor_fetch(portal, true, TEXTS_AT_ONCE);
		caller = MemoryContextSwitchTo(scratch);
		count_text_ids(format, SPI_tuptable, SPI_processed, ids);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	PopActiveSnapshot();
	SPI_finish();
	AtEOXact_GUC(true, nestlevel);
	idgen_act_as_before(&before);
	MemoryContextDelete(scratch);
}

/* Raises 0A000 for a sequence that counts down. */
static void
check_ascends(const IdgenNativeSequence *sequence)
{
	if (sequence->increment < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot move a column that draws from descending sequence \"%s\"",
		                NameStr(sequence->name)),
		         errdetail("Its ids would have to ascend from now on.")));
}

static void
count_sequence(Oid sequence_oid, IdgenIdsInUse *ids)
{
	Relation rel = relation_open(sequence_oid, NoLock);
	IdgenNativeSequence *sequence = idgen_native_describe(rel, &idgen_no_pool);
	IdgenNativeState state;
	int64 next;

	idgen_native_check(sequence_oid, ACL_USAGE | ACL_SELECT | ACL_UPDATE);
	check_ascends(sequence);
	if (!idgen_native_is_readable(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot access temporary sequences of other sessions")));
	state = idgen_native_state(rel);
	relation_close(rel, NoLock);

	if (!state.is_called)
		count_before(ids, state.last_value);
	else if (pg_add_s64_overflow(state.last_value, sequence->increment, &next))
		count_last(ids, PG_INT64_MAX);
	else
		count_before(ids, next);
}

/*
 * The ids that native sequences have given out, up to the next value: one value
 * may stand for a block of ids. Raises 42501, 0A000.
 */
void
idgen_count_sequences(const IdgenColumnSequences *sequences, IdgenIdsInUse *ids)
{
	ListCell *cell;

	foreach(cell, sequences->owned)
		count_sequence(lfirst_oid(cell), ids);
	foreach(cell, sequences->used)
		count_sequence(lfirst_oid(cell), ids);
}

/*
 * Lock the native sequence of a handle, if it has one. Returns false if it has
 * changed until it was locked. Raises 0A000 if it counts down.
 */
static bool
lock_native_sequence(const IdgenHandle *handle)
{
	uint64 epoch = idgen_epoch;
	Relation rel;

	if (!OidIsValid(handle->found.object))
		return true;
	rel = try_relation_open(handle->found.object, ShareRowExclusiveLock);
	if (rel == NULL)
		return false;
	check_ascends(idgen_native_describe(rel, &handle->found.pool));
	relation_close(rel, NoLock);
	return epoch == idgen_epoch;
}

/*
 * The id that comes after all blocks. With CACHE, the next one cannot be told
 * (peek), but all that any session holds lies before what the native sequence
 * has not given yet. Raises 2200H.
 */
static IdgenSourceResult
id_after_blocks(IdgenHandle *handle, int64 *id)
{
	IdgenIdsFound none = {0};
	IdgenMove move = {0};
	IdgenSourceResult result;

	if (!OidIsValid(handle->found.object))
		return handle->found.source->peek(handle, id);
	result = handle->found.source->advance(handle, &none, &move);
	*id = move.from;
	return result;
}

/*
 * The ids in blocks of an id sequence, be they used, cached or pending. The
 * caller has locked the row. Blocks of a native sequence come without a lock of
 * the row, so this locks the native sequence. Raises 0A000 if ids are composed
 * of what the row counts, if the row has periods, or if the native sequence
 * counts down.
 */
void
idgen_count_id_sequence(IdgenHandle *handle, IdgenIdsInUse *ids)
{
	IdgenCall call = {0};
	bool held = idgen_handle_hold(handle);
	int64 next;

	do
	{
		do
		{
			idgen_handle_invalidate(handle);
			idgen_handle_validate(handle, &call);
			if (handle->found.period != IDGEN_PERIOD_NONE)
				ereport(ERROR,
				        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				         errmsg("cannot move back a column whose ids start anew each %s",
				                idgen_period_word(handle->found.period)),
				         errdetail("Id sequence \"%s\" has periods.", handle->name)));
			if (handle->found.layout != &idgen_layout_plain)
				ereport(ERROR,
				        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				         errmsg("cannot move back a column that draws %s ids",
				                handle->found.layout->scrambled ? "scrambled" : "composed"),
				         errdetail("The layout of id sequence \"%s\" is not \"plain\".", handle->name)));
		} while (!lock_native_sequence(handle));
	} while (id_after_blocks(handle, &next) == IDGEN_SOURCE_STALE);
	count_before(ids, next);
	if (held)
		idgen_handle_let_go(handle);
}

/*
 * The first id that the column can use; 1 if none is in use. Raises 2200H if
 * the column's type has no greater one.
 */
int64
idgen_first_free_id(const IdgenColumn *column, const IdgenIdsInUse *ids)
{
	int64 last = ids->any ? ids->last : 0;

	if (last >= column->type_max)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("no id is left for column \"%s\" of table \"%s\"", column->name, column->table),
		         errdetail("The last value of its type is %lld.", (long long) column->type_max),
		         column->type != INT8OID ? errhint("Change its type to bigint first.") : 0));
	return last + 1;
}
