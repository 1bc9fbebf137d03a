/*
 * native_look.c
 *		Looking at native sequences without waiting.
 *
 * Views look at thousands of them. So they are read by the system caches, not
 * by the relcache, which would keep some kilobytes for each, and only one is
 * locked at a time: ACCESS SHARE, if that can be had at once. That keeps a
 * sequence from being dropped meanwhile. It does not keep ALTER SEQUENCE from
 * giving it another file: then what is read is of before.
 *
 * Nobody gets an error because one of them is not as it should be.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "catalog/native_look.h"
#include "catalog/privileges.h"

/* A qualified name. */
typedef struct SplitName
{
	const char *schema; /* NULL for any, by search_path */
	const char *relation;
} SplitName;

/*
 * The name that idgen_native_name() makes. Returns false if the text is no
 * name.
 */
static bool
split_name(const char *name, const char *source_name, SplitName *split)
{
	List *parts;
	char *last;

	if (!SplitIdentifierString(pstrdup(source_name != NULL ? source_name : name), '.', &parts) ||
	    parts == NIL || list_length(parts) > 2)
		return false;
	last = llast(parts);
	if (source_name == NULL)
	{
		last = psprintf("%s_seq", last);
		last[pg_mbcliplen(last, strlen(last), NAMEDATALEN - 1)] = '\0';
	}
	split->schema = list_length(parts) == 2 ? linitial(parts) : NULL;
	split->relation = last;
	return true;
}

/*
 * The sequence that idgen_native_name() names. Invalid if there is none, or if
 * the text is no name. Unlike the server's own functions, this does not raise
 * 42501 for a schema that the current user may not use.
 */
Oid
idgen_native_look_up(const char *name, const char *source_name)
{
	SplitName split;
	Oid relid;

	if (!split_name(name, source_name, &split))
		return InvalidOid;
	if (split.schema == NULL)
		relid = RelnameGetRelid(split.relation);
	else
		relid = get_relname_relid(split.relation, get_namespace_oid(split.schema, true));
	return get_rel_relkind(relid) == RELKIND_SEQUENCE ? relid : InvalidOid;
}

/*
 * Is it a sequence that idgen_native_name() may name, by whatever search_path?
 */
bool
idgen_native_is_named(Oid sequence, const char *name, const char *source_name)
{
	SplitName split;

	if (get_rel_relkind(sequence) != RELKIND_SEQUENCE || !split_name(name, source_name, &split) ||
	    strcmp(get_rel_name(sequence), split.relation) != 0)
		return false;
	return split.schema == NULL ||
		get_rel_namespace(sequence) == get_namespace_oid(split.schema, true);
}

/* The same as for idgen_native_is_readable(). */
static bool
is_readable(Form_pg_class class)
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

/* Read the page of a sequence that is locked and readable. */
static IdgenNativeState
read_state(Oid sequence, Form_pg_class class)
{
	RelFileLocator file = {
		.spcOid = OidIsValid(class->reltablespace) ? class->reltablespace : MyDatabaseTableSpace,
		.dbOid = MyDatabaseId,
		.relNumber = class->relfilenode,
	};

	/* Pages of temporary relations are not in shared memory. */
	if (class->relpersistence == RELPERSISTENCE_TEMP)
		return idgen_native_locked_state(sequence);
	return idgen_native_state_in(ReadBufferWithoutRelcache(file, MAIN_FORKNUM, 0, RBM_NORMAL, NULL,
	                                                       class->relpersistence == RELPERSISTENCE_PERMANENT));
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

		known = form->relkind == RELKIND_SEQUENCE && is_readable(form);
		if (known)
			*state = read_state(sequence, form);
		ReleaseSysCache(class);
	}
	UnlockRelationOid(sequence, AccessShareLock);
	return known;
}
