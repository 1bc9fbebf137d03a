/*
 * native_sequence.c
 *		Native sequences: finding one, and what it says.
 *
 * The parameters of a sequence are in the catalog pg_sequence. Its last value
 * is in the only row on its only page.
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/scansup.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/native_sequence.h"

/*
 * The qualified name of the sequence that an id sequence draws from:
 * source_name or, if that is NULL, the name with "_seq". Raises 42602 for a
 * text that is no name.
 */
RangeVar *
idgen_native_name(const char *name, const char *source_name)
{
	List *names;
	ListCell *last;
	char *with_suffix;

	if (source_name != NULL)
		return makeRangeVarFromNameList(stringToQualifiedNameList(source_name, NULL));

	names = stringToQualifiedNameList(name, NULL);
	last = list_tail(names);
	with_suffix = psprintf("%s_seq", strVal(lfirst(last)));
	truncate_identifier(with_suffix, strlen(with_suffix), false);
	lfirst(last) = makeString(with_suffix);
	return makeRangeVarFromNameList(names);
}

/*
 * Find the sequence, lock it, and open it. Returns NULL if there is none.
 * Raises 42602, 42809 and what looking into a schema can raise.
 */
Relation
idgen_native_open(const RangeVar *sequence, LOCKMODE lockmode)
{
	Oid relid = RangeVarGetRelid(sequence, lockmode, true);
	Relation rel;

	if (!OidIsValid(relid))
		return NULL;
	rel = relation_open(relid, NoLock);
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel))));
	return rel;
}

/* Raises 42501 unless the current user has one of these privileges. */
void
idgen_native_check(Oid relid, AclMode mode)
{
	if (pg_class_aclcheck(relid, GetUserId(), mode) != ACLCHECK_OK)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied for sequence %s", get_rel_name(relid))));
}

/* A name for messages. */
const char *
idgen_native_display(const RangeVar *sequence)
{
	if (sequence->schemaname == NULL)
		return sequence->relname;
	return psprintf("%s.%s", sequence->schemaname, sequence->relname);
}

/*
 * Which ids the values of a sequence stand for. If they are numbers of blocks,
 * with INCREMENT BY 1, how many is up to the program that draws them, and the
 * row has to say it.
 */
static void
set_ids(IdgenNativeSequence *sequence, const IdgenPool *pool)
{
	IdgenValueIds *ids = &sequence->ids;
	int64 last;

	ids->pooling = pool->pooling;
	ids->per_value = idgen_native_width(sequence);
	ids->step = sequence->increment > 0 ? 1 : -1;
	ids->min_id = Min(sequence->first, sequence->last);
	ids->max_id = Max(sequence->first, sequence->last);
	if (pool->pooling != IDGEN_POOLING_HILO)
		return;

	if (ids->per_value == 1)
		ids->per_value = pool->block_size;
	ids->min_id = PG_INT64_MIN;
	ids->max_id = pool->max_value;
	last = idgen_hilo_last_value(ids);
	if (last >= sequence->last)
		return;

	/* A cycle would begin only after the values in between, drawn in vain. */
	sequence->last = last;
	sequence->cycle = false;
}

/*
 * What the catalogs say, and what the values stand for by that pool. The
 * caller adds the name, and whether it is logged.
 */
IdgenNativeSequence
idgen_native_describe_form(Form_pg_sequence form, const IdgenPool *pool)
{
	IdgenNativeSequence sequence = {
		.start = form->seqstart,
		.increment = form->seqincrement,
		.last = form->seqincrement > 0 ? form->seqmax : form->seqmin,
		.first = form->seqincrement > 0 ? form->seqmin : form->seqmax,
		.cache = form->seqcache,
		.cycle = form->seqcycle,
	};

	set_ids(&sequence, pool);
	return sequence;
}

/* The same of a sequence that is open, palloc'd. */
IdgenNativeSequence *
idgen_native_describe(Relation rel, const IdgenPool *pool)
{
	HeapTuple tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(RelationGetRelid(rel)));
	IdgenNativeSequence *sequence;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", RelationGetRelid(rel));
	sequence = palloc(sizeof(IdgenNativeSequence));
	*sequence = idgen_native_describe_form((Form_pg_sequence) GETSTRUCT(tuple), pool);
	ReleaseSysCache(tuple);
	sequence->name = rel->rd_rel->relname;
	sequence->logged = RelationNeedsWAL(rel);
	return sequence;
}

/* Has the current transaction made the sequence, or given it another file? */
bool
idgen_native_is_uncommitted(Relation rel)
{
	return rel->rd_createSubid != InvalidSubTransactionId ||
		rel->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
}

/*
 * The file in which a sequence is stored, as far as that is committed. Invalid
 * if the sequence is gone, or if another transaction is altering or dropping
 * it: this does not wait.
 */
RelFileNumber
idgen_native_file(Oid relid)
{
	RelFileNumber file = InvalidRelFileNumber;
	Relation rel;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return file;
	rel = try_relation_open(relid, NoLock);
	if (rel != NULL && !idgen_native_is_uncommitted(rel))
		file = rel->rd_locator.relNumber;
	if (rel != NULL)
		relation_close(rel, NoLock);
	UnlockRelationOid(relid, AccessShareLock);
	return file;
}

/*
 * Can this session read the sequence's page? It cannot read that of another
 * session's temporary sequence nor, on a standby, that of an unlogged one.
 */
bool
idgen_native_is_readable(Relation rel)
{
	return RelationIsPermanent(rel) ||
		(!RecoveryInProgress() && !RELATION_IS_OTHER_TEMP(rel));
}

static Form_pg_sequence_data
data_of_page(Page page)
{
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/* Read the page in that buffer, and release it. */
IdgenNativeState
idgen_native_state_in(Buffer buffer)
{
	Form_pg_sequence_data data;
	IdgenNativeState state;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	data = data_of_page(BufferGetPage(buffer));
	state.last_value = data->last_value;
	state.is_called = data->is_called;
	state.lsn = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	return state;
}

/*
 * Read the sequence's page. Caller must have locked the sequence, and have
 * found it readable.
 */
IdgenNativeState
idgen_native_state(Relation rel)
{
	return idgen_native_state_in(ReadBuffer(rel, 0));
}

/* The same of a sequence that this transaction has locked. */
IdgenNativeState
idgen_native_locked_state(Oid relid)
{
	Relation rel = relation_open(relid, NoLock);
	IdgenNativeState state = idgen_native_state(rel);

	relation_close(rel, NoLock);
	return state;
}

/*
 * Have the next nextval() write WAL. It believes that an earlier record covers
 * the next values. There is none if the page came with a copied database, or if
 * the transaction that made its file wrote none.
 */
void
idgen_native_log_next(Relation rel)
{
	Buffer buffer = ReadBuffer(rel, 0);
	GenericXLogState *wal;
	Page page;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	wal = GenericXLogStart(rel);
	page = GenericXLogRegisterBuffer(wal, buffer, GENERIC_XLOG_FULL_IMAGE);
	data_of_page(page)->log_cnt = 0;
	GenericXLogFinish(wal);
	UnlockReleaseBuffer(buffer);
}

/* How far is it from v to the last value? */
static uint64
ids_after(const IdgenNativeSequence *sequence, int64 v)
{
	if (sequence->increment > 0)
		return v < sequence->last ? (uint64) sequence->last - (uint64) v : 0;
	return v > sequence->last ? (uint64) v - (uint64) sequence->last : 0;
}

/* The distance from one value to the next. */
uint64
idgen_native_width(const IdgenNativeSequence *sequence)
{
	return sequence->increment > 0 ? (uint64) sequence->increment : -(uint64) sequence->increment;
}

/* The number of values after v, up to the sequence's end. */
int64
idgen_native_values_after(const IdgenNativeSequence *sequence, int64 v)
{
	return (int64) Min(ids_after(sequence, v) / idgen_native_width(sequence), PG_INT64_MAX);
}

/*
 * About how many ids the values after v stand for. The division of floating
 * point numbers takes less time than that of integers.
 */
double
idgen_native_ids_left(const IdgenNativeSequence *sequence, int64 v)
{
	return (double) ids_after(sequence, v) / idgen_native_width(sequence) * sequence->ids.per_value;
}

/* Is v + increment beyond the end? */
bool
idgen_native_is_last(const IdgenNativeSequence *sequence, int64 v)
{
	return ids_after(sequence, v) < idgen_native_width(sequence);
}

/*
 * The value that nextval() would give, if no session has values set aside by
 * CACHE. Returns false if there is none.
 */
bool
idgen_native_next_value(const IdgenNativeSequence *sequence, const IdgenNativeState *state, int64 *next)
{
	if (!state->is_called)
		*next = state->last_value;
	else if (!idgen_native_is_last(sequence, state->last_value))
		*next = state->last_value + sequence->increment;
	else if (sequence->cycle)
		*next = sequence->first;
	else
		return false;
	return true;
}

/*
 * The ids that v stands for, which nextval() has given, or will give, when the
 * sequence's page is in that state. The block is empty if none of them may be
 * issued.
 */
IdgenBlock
idgen_native_next_block(const IdgenNativeSequence *sequence, const IdgenNativeState *state, int64 v)
{
	if (!state->is_called && v == state->last_value)
		return idgen_first_value_block(&sequence->ids, v);
	return idgen_value_block(&sequence->ids, v);
}

/*
 * The ids that come next, and their value, if no session has values set aside
 * by CACHE. A value that stands for none is left out. Returns false if there
 * are no ids left.
 */
bool
idgen_native_next_ids(const IdgenNativeSequence *sequence, const IdgenNativeState *state,
                      int64 *next, IdgenBlock *block)
{
	if (!idgen_native_next_value(sequence, state, next))
		return false;
	*block = idgen_native_next_block(sequence, state, *next);
	if (block->left == 0 && !idgen_native_is_last(sequence, *next))
	{
		*next += sequence->increment;
		*block = idgen_value_block(&sequence->ids, *next);
	}
	return block->left > 0;
}

/* The first id of the sequence, whatever value it starts with. */
int64
idgen_native_first_id(const IdgenNativeSequence *sequence)
{
	if (sequence->ids.pooling == IDGEN_POOLING_HILO)
		return idgen_value_block(&sequence->ids, sequence->first).next;
	return sequence->first;
}

/*
 * The last id of the sequence, if its values go on from v, which must not be
 * beyond the last one.
 */
int64
idgen_native_last_id(const IdgenNativeSequence *sequence, int64 v)
{
	uint64 left = ids_after(sequence, v);
	int64 last = (int64) ((uint64) sequence->last - (uint64) sequence->ids.step * (left % idgen_native_width(sequence)));
	IdgenBlock block = idgen_value_block(&sequence->ids, last);

	return block.left > 0 ? idgen_block_last(&block) : last;
}

/* The percentage of all values that is left in that state. */
double
idgen_native_percent_left(const IdgenNativeSequence *sequence, const IdgenNativeState *state)
{
	double range = (double) ids_after(sequence, sequence->first) + 1;
	int64 next = state->last_value;

	if (state->is_called)
	{
		if (idgen_native_is_last(sequence, next))
			return 0;
		next += sequence->increment;
	}
	return Min(100, 100 * ((double) ids_after(sequence, next) + 1) / range);
}
