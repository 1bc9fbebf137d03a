/*
 * source_sequence.c
 *		Blocks from native sequences.
 *
 * INCREMENT BY is the block size: one nextval() that gives v stands for the ids
 * from v up to the next value, or down to it. With INCREMENT BY 1 (or -1), n
 * values make a block of n, in several pieces if others call nextval() in between.
 *
 * nextval() is not undone when its transaction aborts, so a block is good for
 * everybody as soon as no crash can bring it again: when the WAL that describes
 * the sequence's only page is on disk. (nextval() itself does not wait for that.
 * It logs one record for 32 values, and leaves the flush to the commit, which
 * with synchronous_commit = off does not wait for it either.)
 *
 * ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a sequence a new file,
 * which is how cached ids are known to be of the old one (see pending.c). Both
 * conflict with the lock that nextval() takes, and keeps until its transaction
 * ends: no block can be published from a file after it was replaced.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "commands/defrem.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_node.h"
#include "parser/scansup.h"
#include "replication/syncrep.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "compat.h"
#include "handle.h"
#include "sources.h"

/*
 * Most values that one refill draws from a sequence with INCREMENT BY 1. It
 * holds up whoever waits for the refill.
 */
#define MAX_VALUES 100000

/* Values before the end of a sequence in which nobody refills ahead. */
#define SAFE_DISTANCE 1000

/* What the catalogs say of a sequence: a handle's details. */
typedef struct Sequence
{
	NameData name;
	bool logged; /* are changes of it in the WAL? */
	int64 start;
	int64 increment;
	int64 last;  /* bound in the direction of increment */
	int64 first; /* bound in the other direction */
	int64 cache;
	bool cycle;
} Sequence;

/* What the sequence's page says. */
typedef struct State
{
	int64 last_value;
	bool is_called;
	XLogRecPtr lsn;
} State;

/* The qualified name that is asked for. Raises 42602 if it is not one. */
static RangeVar *
parse_name(const char *name, const char *source_name)
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

static void
sequence_check_syntax(const char *source_name)
{
	if (source_name != NULL)
		(void) parse_name(NULL, source_name);
}

/*
 * Find the sequence, lock it as nextval() would, and open it. Returns NULL if
 * there is none. Raises 42602, 42809 and whatever looking into a schema can.
 */
static Relation
open_sequence(const RangeVar *sequence)
{
	Oid relid = RangeVarGetRelid(sequence, RowExclusiveLock, true);
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
static void
check_privilege(Oid relid, AclMode mode)
{
	if (pg_class_aclcheck(relid, GetUserId(), mode) != ACLCHECK_OK)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("permission denied for sequence %s", get_rel_name(relid))));
}

/* A name for messages. */
static const char *
display_name(const RangeVar *sequence)
{
	if (sequence->schemaname == NULL)
		return sequence->relname;
	return psprintf("%s.%s", sequence->schemaname, sequence->relname);
}

/* Raises 42P01, in the server's words. */
static void
no_such_relation(const RangeVar *sequence)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_TABLE),
	         errmsg("relation \"%s\" does not exist",
	                display_name(sequence)),
	         errhint("Create the sequence, or name another one in column \"source_name\" of \"id_sequences\".")));
}

/* The sequence must be there; source_name is stored as it was given. */
static const char *
sequence_check_name(const char *name, const char *source_name)
{
	RangeVar *sequence = parse_name(name, source_name);
	Relation rel = open_sequence(sequence);

	if (rel == NULL)
		no_such_relation(sequence);
	relation_close(rel, RowExclusiveLock);
	return source_name;
}

/* What the catalogs say, in memory for a handle to keep. */
static Sequence *
describe(Relation rel)
{
	HeapTuple tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(RelationGetRelid(rel)));
	Form_pg_sequence form;
	Sequence *sequence;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", RelationGetRelid(rel));
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	sequence = MemoryContextAlloc(TopMemoryContext, sizeof(Sequence));
	sequence->name = rel->rd_rel->relname;
	sequence->logged = RelationNeedsWAL(rel);
	sequence->start = form->seqstart;
	sequence->increment = form->seqincrement;
	sequence->last = form->seqincrement > 0 ? form->seqmax : form->seqmin;
	sequence->first = form->seqincrement > 0 ? form->seqmin : form->seqmax;
	sequence->cache = form->seqcache;
	sequence->cycle = form->seqcycle;
	ReleaseSysCache(tuple);
	return sequence;
}

/*
 * The sequence that a name stands for now, and may the user draw from it?
 * Without a row, the id sequence is the native one: without that there is none.
 */
static void
sequence_resolve(IdgenHandle *handle)
{
	RangeVar *name;
	Relation rel;

	idgen_watch_relations();
	name = parse_name(handle->name, handle->source_name);
	if (name->schemaname == NULL)
		idgen_handle_keep(&handle->search_path, namespace_search_path);

	rel = open_sequence(name);
	if (rel == NULL)
	{
		if (handle->has_row)
			no_such_relation(name);
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("id sequence \"%s\" does not exist", handle->name),
		         errdetail("It has no row in \"id_sequences\", and there is no sequence \"%s\".",
		                   display_name(name)),
		         errhint("Create the sequence.")));
	}
	check_privilege(RelationGetRelid(rel), ACL_USAGE | ACL_UPDATE);

	handle->object = RelationGetRelid(rel);
	handle->storage = rel->rd_locator.relNumber;
	handle->own_storage = rel->rd_createSubid != InvalidSubTransactionId ||
		rel->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
	handle->temporary = rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP;
	handle->details = describe(rel);
	relation_close(rel, RowExclusiveLock);
}

/* The lock that nextval() takes, and like it keeps whatever savepoints do. */
static void
sequence_prepare(IdgenHandle *handle)
{
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(handle->object, RowExclusiveLock);
	CurrentResourceOwner = owner;
}

static State
get_state(Oid relid)
{
	Relation rel = relation_open(relid, AccessShareLock);
	Buffer buffer = ReadBuffer(rel, 0);
	HeapTupleHeader tuple;
	Form_pg_sequence_data data;
	State state;
	Page page;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
	data = (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
	state.last_value = data->last_value;
	state.is_called = data->is_called;
	state.lsn = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	relation_close(rel, AccessShareLock);
	return state;
}

/* The number of ids after v, in the direction of the sequence. */
static uint64
ids_after(const Sequence *sequence, int64 v)
{
	return sequence->increment > 0 ? (uint64) sequence->last - (uint64) v : (uint64) v - (uint64) sequence->last;
}

/* The distance from one value to the next. */
static uint64
width(const Sequence *sequence)
{
	return sequence->increment > 0 ? (uint64) sequence->increment : -(uint64) sequence->increment;
}

/* Is v + increment beyond the end? */
static bool
is_last_value(const Sequence *sequence, int64 v)
{
	return ids_after(sequence, v) < width(sequence);
}

/* The ids that one value stands for. */
static IdgenBlock
block_of_value(const Sequence *sequence, int64 v)
{
	uint64 after = Min(width(sequence) - 1, ids_after(sequence, v));
	IdgenBlock block;

	block.next = v;
	block.left = (int64) Min(after, IDGEN_BLOCK_MAX - 1) + 1;
	block.step = sequence->increment > 0 ? 1 : -1;
	return block;
}

/* Percentage of the range from START on that is left after v's block. */
static int
percent_left(const Sequence *sequence, int64 v)
{
	double range = (double) ids_after(sequence, sequence->start) + 1;
	double left = is_last_value(sequence, v) ? 0 : (double) ids_after(sequence, v + sequence->increment) + 1;

	return sequence->cycle ? 100 : (int) Min(100, 100 * left / range);
}

/* What nextval() says about its end, in our words. */
static void
exhausted(void *arg)
{
	const IdgenHandle *handle = (const IdgenHandle *) arg;
	const Sequence *sequence = (const Sequence *) handle->details;

	if (geterrcode() != ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED)
		return;
	errmsg("id sequence \"%s\" is exhausted", handle->name);
	errdetail("Its last id is %lld.", (long long) sequence->last);
	errhint("Change %s of sequence \"%s\" with ALTER SEQUENCE.",
	        sequence->increment > 0 ? "MAXVALUE" : "MINVALUE",
	        NameStr(sequence->name));
}

/*
 * Draw up to nvalues values into blocks, of which there is room for so many as
 * the cache can hold. Returns the number of blocks, at least 1; *drawn is set to
 * that of values, *v to the last one.
 *
 * It ends with the sequence's last value, before a cycle begins. (Should others
 * draw that one in between, our next nextval() fails, and what we have is a gap.)
 */
static int
draw_values(Oid relid, const Sequence *sequence, int64 nvalues,
            IdgenBlock *blocks, int64 *drawn, int64 *v)
{
	int nblocks = 0;
	int64 ids = 0;

	*drawn = 0;
	do
	{
		IdgenBlock block;

		*v = nextval_internal(relid, false);
		(*drawn)++;
		block = block_of_value(sequence, *v);
		if (nblocks > 0 && idgen_block_adjacent(&blocks[nblocks - 1], &block))
			blocks[nblocks - 1].left += block.left;
		else
			blocks[nblocks++] = block;
		ids += block.left;
	} while (*drawn < nvalues && nblocks < IDGEN_SLOT_BLOCKS && ids < IDGEN_BLOCK_MAX &&
	         !is_last_value(sequence, *v));
	return nblocks;
}

/*
 * Is the end so near that nextval() might reach it while others call it, too?
 * Nobody should get that error who does without.
 */
static bool
is_near_end(Oid relid, const Sequence *sequence, int64 nvalues)
{
	return !sequence->cycle &&
		ids_after(sequence, get_state(relid).last_value) / width(sequence) < (uint64) nvalues + SAFE_DISTANCE;
}

/*
 * Wait until no crash can bring back what nextval() has given: as a commit would,
 * also for synchronous replication, but whatever synchronous_commit says about
 * the local disk.
 */
static void
flush(Oid relid)
{
	XLogRecPtr lsn = get_state(relid).lsn;

	XLogFlush(lsn);
	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
}

/*
 * Allocate blocks. A bulk load takes no more at once than others: asking again
 * costs one nextval(), and every 32nd time a flush.
 */
static bool
sequence_allocate(IdgenHandle *handle, const IdgenRequest *request, IdgenRefill *refill)
{
	const Sequence *sequence = (const Sequence *) handle->details;
	int64 block_size = width(sequence) == 1 ? Min(handle->block_size, MAX_VALUES) : 1; /* in values */
	int64 nvalues = Min(request->blocks, MAX_VALUES / block_size) * block_size;
	IdgenBlock blocks[IDGEN_SLOT_BLOCKS];
	ErrorContextCallback context;
	int64 drawn;
	int64 v;
	int nblocks;

	if (!request->wait && is_near_end(handle->object, sequence, nvalues))
		return false;

	context.callback = exhausted;
	context.arg = handle;
	context.previous = error_context_stack;
	error_context_stack = &context;
	nblocks = draw_values(handle->object, sequence, nvalues, blocks, &drawn, &v);
	error_context_stack = context.previous;

	if (sequence->logged)
		flush(handle->object);

	refill->block = blocks[0];
	refill->nmore = nblocks - 1;
	if (nblocks > 1)
		refill->more = memcpy(palloc(refill->nmore * sizeof(IdgenBlock)),
		                      &blocks[1], refill->nmore * sizeof(IdgenBlock));
	refill->blocks = (drawn - 1) / block_size + 1;
	refill->ahead_blocks = refill->blocks;
	for (int i = 0; i < nblocks; i++)
		refill->ahead_ids += blocks[i].left;
	refill->shareable = true;
	refill->percent_left = percent_left(sequence, v);
	return true;
}

/* What nextval() would give. Raises 2200H, 55000. */
static int64
sequence_peek(IdgenHandle *handle)
{
	const Sequence *sequence = (const Sequence *) handle->details;
	State state = get_state(handle->object);

	if (sequence->cache > 1)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("the next id of id sequence \"%s\" is not known yet", handle->name),
		         errdetail("None is cached, and of sequence \"%s\", which has CACHE %lld, each session may hold values.",
		                   NameStr(sequence->name), (long long) sequence->cache)));
	if (!state.is_called)
		return state.last_value;
	if (!is_last_value(sequence, state.last_value))
		return state.last_value + sequence->increment;
	if (sequence->cycle)
		return sequence->first;
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" is exhausted", handle->name),
	         errdetail("Its last id is %lld.", (long long) sequence->last)));
}

/*
 * Start again at a value, with what setval() wants: the privilege UPDATE. But it
 * is done by ALTER SEQUENCE, so that it takes effect, and voids what is cached,
 * when the transaction commits, or not at all. Raises 42501, 25006, and 22023 if
 * the value is out of bounds.
 */
static void
sequence_restart(IdgenHandle *handle, int64 start)
{
	AlterSeqStmt *statement = makeNode(AlterSeqStmt);
	Relation rel = relation_open(handle->object, ShareRowExclusiveLock);
	Oid userid;
	int sec_context;

	check_privilege(handle->object, ACL_UPDATE);
	if (!handle->temporary)
		PreventCommandIfReadOnly("idgen_restart()");

	statement->sequence = makeRangeVar(get_namespace_name(RelationGetNamespace(rel)),
	                                   pstrdup(RelationGetRelationName(rel)), -1);
	statement->options = list_make1(makeDefElem("restart", (Node *) makeFloat(psprintf(INT64_FORMAT, start)), -1));

	/* It is the owner who may alter it. No code of users is run. */
	GetUserIdAndSecContext(&userid, &sec_context);
	SetUserIdAndSecContext(rel->rd_rel->relowner,
	                       sec_context | SECURITY_LOCAL_USERID_CHANGE |
	                           SECURITY_RESTRICTED_OPERATION);
	AlterSequence(make_parsestate(NULL), statement);
	SetUserIdAndSecContext(userid, sec_context);

	relation_close(rel, NoLock);
	CommandCounterIncrement();
}

const IdgenSource idgen_source_sequence = {
	.name = "sequence",
	.transactional = false,
	.needs_row = false,
	.check_syntax = sequence_check_syntax,
	.check_name = sequence_check_name,
	.resolve = sequence_resolve,
	.prepare = sequence_prepare,
	.allocate = sequence_allocate,
	.peek = sequence_peek,
	.restart = sequence_restart,
};
