/*
 * native_sequence.c
 *		Native sequences: finding one, and what it says.
 *
 * The parameters of a sequence are in the catalog pg_sequence. Its last value
 * is in the only row on its only page.
 *
 * Views look at thousands of sequences. So for them, these are read by the
 * system caches, not by the relcache, which would keep some kilobytes for each,
 * and only one is locked at a time: ACCESS SHARE, if that can be had at once.
 * That keeps a sequence from being dropped meanwhile. It does not keep ALTER
 * SEQUENCE from giving it another file: then what is read is of before. And
 * nobody gets an error because one of them is not as it should be.
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
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "catalog/definition.h"
#include "catalog/native_sequence.h"
#include "catalog/privileges.h"
#include "catalog/table.h"

/*
 * Finding one
 */

/*
 * The parts of the name of the sequence that an id sequence draws from:
 * source_name or, if that is NULL, the name with "_seq". NIL if the text is no
 * name.
 */
static List *
parse_name(const char *name, const char *source_name)
{
	List *names = NIL;
	List *parts;
	ListCell *part;

	if (!SplitIdentifierString(pstrdup(source_name != NULL ? source_name : name), '.', &parts))
		return NIL;
	foreach(part, parts)
	{
		char *text = lfirst(part);

		if (source_name == NULL && part == list_tail(parts))
		{
			text = psprintf("%s_seq", text);
			text[pg_mbcliplen(text, strlen(text), NAMEDATALEN - 1)] = '\0';
		}
		names = lappend(names, makeString(text));
	}
	return names;
}

/* The qualified name of that. Raises 42601 or 42602 for a text that is none. */
RangeVar *
idgen_native_name(const char *name, const char *source_name)
{
	List *names = parse_name(name, source_name);

	if (names == NIL)
		names = stringToQualifiedNameList(source_name != NULL ? source_name : name, NULL);
	return makeRangeVarFromNameList(names);
}

/* The same; NULL for a text that is none, or names a database as well. */
static RangeVar *
valid_name(const char *name, const char *source_name)
{
	List *names = parse_name(name, source_name);

	return names != NIL && list_length(names) <= 2 ? makeRangeVarFromNameList(names) : NULL;
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
 * The sequence that idgen_native_name() names. Invalid if there is none, or if
 * the text is no name. Unlike the server's own functions, this does not raise
 * 42501 for a schema that the current user may not use.
 */
Oid
idgen_native_look_up(const char *name, const char *source_name)
{
	RangeVar *sequence = valid_name(name, source_name);
	Oid relid;

	if (sequence == NULL)
		return InvalidOid;
	if (sequence->schemaname == NULL)
		relid = RelnameGetRelid(sequence->relname);
	else
		relid = get_relname_relid(sequence->relname, get_namespace_oid(sequence->schemaname, true));
	return get_rel_relkind(relid) == RELKIND_SEQUENCE ? relid : InvalidOid;
}

/*
 * Is it a sequence that idgen_native_name() may name, by whatever search_path?
 */
bool
idgen_native_is_named(Oid sequence, const char *name, const char *source_name)
{
	RangeVar *named = valid_name(name, source_name);

	if (get_rel_relkind(sequence) != RELKIND_SEQUENCE || named == NULL ||
	    strcmp(get_rel_name(sequence), named->relname) != 0)
		return false;
	return named->schemaname == NULL ||
		get_rel_namespace(sequence) == get_namespace_oid(named->schemaname, true);
}

/*
 * What it says
 */

/*
 * What the catalogs say of a sequence that is open, and what its values stand
 * for by that row: palloc'd.
 */
IdgenNativeSequence *
idgen_native_describe(Relation rel, const IdgenDefinition *row)
{
	HeapTuple tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(RelationGetRelid(rel)));
	IdgenNativeSequence *sequence;
	Form_pg_sequence form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", RelationGetRelid(rel));
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	sequence = palloc(sizeof(IdgenNativeSequence));
	*sequence = (IdgenNativeSequence){
		.name = rel->rd_rel->relname,
		.logged = RelationNeedsWAL(rel),
		.increment = form->seqincrement,
		.last = form->seqincrement > 0 ? form->seqmax : form->seqmin,
		.first = form->seqincrement > 0 ? form->seqmin : form->seqmax,
		.cache = form->seqcache,
		.cycle = form->seqcycle,
	};
	ReleaseSysCache(tuple);
	idgen_native_set_pool(sequence, row);
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
	Relation rel = idgen_relation_open_at_once(relid);

	if (rel == NULL)
		return file;
	if (!idgen_native_is_uncommitted(rel))
		file = rel->rd_locator.relNumber;
	relation_close(rel, AccessShareLock);
	return file;
}

/*
 * Can this session read the sequence's page? It cannot read that of another
 * session's temporary sequence nor, on a standby, that of an unlogged one.
 */
bool
idgen_native_is_readable(Form_pg_class class)
{
	switch (class->relpersistence)
	{
		case RELPERSISTENCE_PERMANENT:
			return true;
		case RELPERSISTENCE_UNLOGGED:
			return !RecoveryInProgress();
		default:
			return !isOtherTempNamespace(class->relnamespace);
	}
}

static Form_pg_sequence_data
data_of_page(Page page)
{
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/*
 * Read the page of a sequence that is locked, and readable. Pages of temporary
 * relations are not in shared memory.
 */
IdgenNativeState
idgen_native_state(Oid sequence)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(sequence));
	Form_pg_class class;
	Relation temporary = NULL;
	Buffer buffer;
	Form_pg_sequence_data data;
	IdgenNativeState state;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", sequence);
	class = (Form_pg_class) GETSTRUCT(tuple);
	if (class->relpersistence == RELPERSISTENCE_TEMP)
	{
		temporary = relation_open(sequence, NoLock);
		buffer = ReadBuffer(temporary, 0);
	}
	else
	{
		RelFileLocator file = {
			.spcOid = OidIsValid(class->reltablespace) ? class->reltablespace : MyDatabaseTableSpace,
			.dbOid = MyDatabaseId,
			.relNumber = class->relfilenode,
		};

		buffer = ReadBufferWithoutRelcache(file, MAIN_FORKNUM, 0, RBM_NORMAL, NULL,
		                                   class->relpersistence == RELPERSISTENCE_PERMANENT);
	}
	ReleaseSysCache(tuple);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	data = data_of_page(BufferGetPage(buffer));
	state.last_value = data->last_value;
	state.is_called = data->is_called;
	state.lsn = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	if (temporary != NULL)
		relation_close(temporary, NoLock);
	return state;
}

/*
 * May the current user know how far a sequence has got? All that nextval()
 * needs, or currval(), suffices.
 */
static bool
may_know(Oid sequence)
{
	bool is_missing = false;

	return idgen_may_monitor() ||
		pg_class_aclcheck_ext(sequence, GetUserId(), ACL_SELECT | ACL_USAGE | ACL_UPDATE, &is_missing) == ACLCHECK_OK;
}

/*
 * How far a sequence has got. Returns false if that is not known: it is gone,
 * or locked, or this session cannot read it, or the current user may not.
 */
bool
idgen_native_look_at_state(Oid sequence, IdgenNativeState *state)
{
	HeapTuple class;
	bool known = false;

	if (!may_know(sequence) || !ConditionalLockRelationOid(sequence, AccessShareLock))
		return false;
	class = SearchSysCache1(RELOID, ObjectIdGetDatum(sequence));
	if (HeapTupleIsValid(class))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT(class);

		known = form->relkind == RELKIND_SEQUENCE && idgen_native_is_readable(form);
		if (known)
			*state = idgen_native_state(sequence);
		ReleaseSysCache(class);
	}
	UnlockRelationOid(sequence, AccessShareLock);
	return known;
}

/*
 * What a crash must not undo
 */

/*
 * Have the next nextval() write WAL. It believes that an earlier record covers
 * the next values. There is none if the page came with a copied database, or if
 * the transaction that made its file wrote none.
 */
static void
log_next(Relation rel)
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

/*
 * The files of native sequences that this session has drawn from, and that
 * nextval() has written WAL for since then. NULL if there are none.
 */
static HTAB *logged_files;

typedef struct LoggedFile
{
	Oid relid; /* the key */
	RelFileNumber file;
} LoggedFile;

/*
 * See to it that a crash does not undo what is drawn: the first nextval() of a
 * session writes WAL, unless the sequence needs none, as a temporary one. That
 * holds for the values that come after, too: see log_next().
 */
void
idgen_native_log_first(Oid relid)
{
	Relation rel = relation_open(relid, NoLock);
	LoggedFile *logged;
	bool found;

	if (logged_files == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(LoggedFile)};

		logged_files = hash_create("idgen sequences", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	logged = hash_search(logged_files, &relid, HASH_ENTER, &found);
	if (!found || logged->file != rel->rd_locator.relNumber)
	{
		logged->file = InvalidRelFileNumber;
		if (RelationNeedsWAL(rel))
		{
			log_next(rel);
			logged->file = rel->rd_locator.relNumber;
		}
	}
	relation_close(rel, NoLock);
}
