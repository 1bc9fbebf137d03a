/*
 * hooks.c
 *		Hooks of the server: utility commands, and what is done to databases,
 *		the extension, its tables and foreign servers.
 *
 * These commands fire no row trigger. What the cache must be told of them waits
 * until their transaction commits.
 *
 * Utility commands are all but SELECT, INSERT, UPDATE, DELETE and MERGE. The
 * server calls a hook for each, also for one that a function runs while another
 * one is in progress.
 *
 * COPY computes the defaults of a row before it stores it. It stores rows in
 * batches of up to 1000 only if no default holds a volatile function, except
 * nextval(): the code of such a function could look at the table, and would
 * miss the rows of the batch. The server asks for that when it has planned the
 * defaults. So while COPY FROM runs, the planner gets another function in place
 * of idgen_next(name) in a default: one that does the same and is labelled
 * STABLE.
 *
 * That is right only where drawing runs no code that could look at the table:
 *
 * - not that of an allocator (source "function"),
 * - nor of triggers on id_sequences, which a refill fires,
 * - nor of its policies.
 *
 * (CHECK constraints and generated columns could, too. The server takes them
 * for immutable, also those of the table that COPY loads, and so do we.)
 *
 * And the label must not matter to anything else. It would to ALTER TABLE ...
 * ADD COLUMN, which computes a default once for all rows unless it is volatile.
 * That is a utility command, so idgen_in_copy_from() says no in it. Other
 * commands have a planner's context ("root"). What remains are other
 * expressions that COPY itself evaluates for each row, such as its condition:
 * there, the label says what is true in a default.
 *
 * The other function takes an argument of type internal, which SQL cannot make:
 * nobody calls it but through here. An expression with it may outlive COPY in a
 * cache of the server (that of a domain's constraints), so it draws anywhere.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/objectaccess.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "catalog/pg_user_mapping.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/source.h"
#include "common/compat.h"
#include "session/handle.h"
#include "session/xact.h"
#include "cache/desk.h"
#include "sql/hooks.h"

PG_FUNCTION_INFO_V1(idgen_next_support);

/* What a utility command is to idgen. */
typedef enum UtilityCommand
{
	UTILITY_OTHER, /* also: there is none */
	UTILITY_COPY_FROM,
	UTILITY_DISCARD_SEQUENCES, /* or all */
	UTILITY_RESTART_IDENTITY,
} UtilityCommand;

/* What runs the commands: the hook that was there before, or the server. */
static ProcessUtility_hook_type next_utility;

static object_access_hook_type previous_object_access;

/* The command in progress: of nested ones the innermost. */
static UtilityCommand running = UTILITY_OTHER;

/* The tables that it truncates, and whose id sequences it restarts. */
static List *truncated = NIL;

/*
 * Utility commands
 */

static UtilityCommand
command_of(const Node *statement)
{
	DiscardMode discards;

	if (IsA(statement, CopyStmt))
		return ((const CopyStmt *) statement)->is_from ? UTILITY_COPY_FROM : UTILITY_OTHER;
	if (IsA(statement, TruncateStmt))
		return ((const TruncateStmt *) statement)->restart_seqs ? UTILITY_RESTART_IDENTITY : UTILITY_OTHER;
	if (!IsA(statement, DiscardStmt))
		return UTILITY_OTHER;
	discards = ((const DiscardStmt *) statement)->target;
	return discards == DISCARD_ALL || discards == DISCARD_SEQUENCES ? UTILITY_DISCARD_SEQUENCES
																	: UTILITY_OTHER;
}

static void
process_utility(PlannedStmt *statement, const char *query, bool read_only_tree,
                ProcessUtilityContext context, ParamListInfo params, QueryEnvironment *environment,
                DestReceiver *dest, QueryCompletion *completion)
{
	UtilityCommand outer = running;
	List *outer_truncated = truncated;

	running = command_of(statement->utilityStmt);
	truncated = NIL;
	PG_TRY();
	{
		/* The command may free the statement. */
		next_utility(statement, query, read_only_tree, context, params, environment, dest, completion);
		if (running == UTILITY_DISCARD_SEQUENCES)
			idgen_handles_forget_last();
		else if (running == UTILITY_RESTART_IDENTITY)
			idgen_restart_of_tables(truncated);
	}
	PG_FINALLY();
	{
		running = outer;
		truncated = outer_truncated;
	}
	PG_END_TRY();
}

/*
 * Is COPY FROM in progress, and no other command that it has led to? Queries do
 * not count.
 */
bool
idgen_in_copy_from(void)
{
	return running == UTILITY_COPY_FROM;
}

/*
 * What is done to objects
 */

static bool
is_of_extension(Oid relid)
{
	Oid extension = get_extension_oid("idgen", true);

	return OidIsValid(extension) && getExtensionOfObject(RelationRelationId, relid) == extension;
}

/*
 * Is that relation the table of the extension? Anybody may have one that is
 * called as it is.
 */
static bool
is_table(Oid relid)
{
	char *name = get_rel_name(relid);

	return name != NULL && strcmp(name, "id_sequences") == 0 && is_of_extension(relid);
}

/* The table of a trigger, invalid if there is none of that OID yet. */
static Oid
table_of_trigger(Oid trigger)
{
	Relation triggers = table_open(TriggerRelationId, AccessShareLock);
	HeapTuple tuple = get_catalog_object_by_oid(triggers, Anum_pg_trigger_oid, trigger);
	Oid relid = HeapTupleIsValid(tuple) ? ((Form_pg_trigger) GETSTRUCT(tuple))->tgrelid : InvalidOid;

	table_close(triggers, AccessShareLock);
	return relid;
}

/*
 * A column of a user's own would be in a dump of the table's rows, but not in
 * the table that CREATE EXTENSION makes: no row could be restored. Only an
 * update of the extension may add one to a table of its.
 */
static void
refuse_column(Oid relid)
{
	if (creating_extension && CurrentExtensionObject == get_extension_oid("idgen", true))
		return;
	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("cannot add a column to \"%s\"", get_rel_name(relid)),
	         errdetail("No dump with its rows could be restored, as the table belongs to extension idgen."),
	         errhint("Keep what you add in a table of your own.")));
}

static void
object_access(ObjectAccessType access, Oid class_id, Oid object_id,
              int sub_id, void *arg)
{
	if (previous_object_access)
		previous_object_access(access, class_id, object_id, sub_id, arg);

	switch (class_id)
	{
		case DatabaseRelationId:
			if (access == OAT_DROP)
			{
				idgen_changes_note_dropped_database(object_id);
				/* the server drops none that a worker is connected to */
				idgen_desk_stop_workers(object_id);
			}
			break;
		case ExtensionRelationId:
			if (access == OAT_DROP && object_id == get_extension_oid("idgen", true))
				idgen_changes_note_all_rows();
			break;
		case RelationRelationId:
		case InheritsRelationId: /* the table becomes a partition */
			if (access != OAT_POST_CREATE && is_table(object_id))
				idgen_changes_note_tables();
			if (access == OAT_POST_CREATE && class_id == RelationRelationId && sub_id > 0 && is_of_extension(object_id))
				refuse_column(object_id);
			if (access == OAT_TRUNCATE && running == UTILITY_RESTART_IDENTITY)
				truncated = lappend_oid(truncated, object_id);
			break;
		case TriggerRelationId:
			if (access != OAT_POST_CREATE && is_table(table_of_trigger(object_id)))
				idgen_changes_note_tables();
			break;
		case ForeignServerRelationId:
		case UserMappingRelationId:
			/* created, altered or dropped */
			idgen_changes_note_servers();
			break;
	}
}

/* Install the hooks. Called once per process. */
void
idgen_hooks_init(void)
{
	next_utility = ProcessUtility_hook ? ProcessUtility_hook : standard_ProcessUtility;
	ProcessUtility_hook = process_utility;
	previous_object_access = object_access_hook;
	object_access_hook = object_access;
}

/*
 * Having COPY store rows in batches
 */

/*
 * Can the current user draw ids of that name without running code that looks at
 * other tables? The answer is no if that is not known: there is no row yet, or
 * the row of a period is drawn from, or the table is locked. COPY does not wait
 * here, since it may draw without looking at the table.
 */
static bool
draws_without_code(Oid relid, const char *name)
{
	const IdgenSource *source = NULL;
	IdgenRow row;
	bool plain;
	bool answer;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	if (idgen_row_open(&row, relid, name) &&
	    slot_attisnull(row.slot, IDGEN_ATT_PERIOD))
		source = idgen_source_of_row(row.slot);
	answer = source != NULL && !source->runs_code &&
		idgen_check_code(row.rel, CMD_UPDATE, DEBUG5, &plain) && plain &&
		check_enable_rls(relid, InvalidOid, true) != RLS_ENABLED;
	idgen_row_close(&row);
	UnlockRelationOid(relid, AccessShareLock);
	return answer;
}

static bool
may_execute(Oid funcid)
{
	return object_aclcheck(ProcedureRelationId, funcid, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
}

/*
 * The function to take in place of idgen_next(name). Invalid if the owner of
 * the extension has changed functions, or if the user may not call both: then
 * idgen_next() says so.
 */
static Oid
function_in_copy(Oid funcid)
{
	static const Oid types[] = {TEXTOID, INTERNALOID};
	Oid found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
	                            CStringGetDatum("idgen_next_in_copy"),
	                            PointerGetDatum(buildoidvector(types, lengthof(types))),
	                            ObjectIdGetDatum(get_func_namespace(funcid)));

	return OidIsValid(found) && may_execute(funcid) && may_execute(found) ? found : InvalidOid;
}

/*
 * What to put in place of a call in a default of COPY; NULL for nothing. (A
 * constant is not null: the planner has replaced the call by null then.)
 */
static Node *
call_in_copy(const FuncExpr *call)
{
	Oid relid = get_relname_relid("id_sequences", get_func_namespace(call->funcid));
	Oid funcid = function_in_copy(call->funcid);
	Const *name = linitial(call->args);
	Const *internal;

	if (list_length(call->args) != 1 || !OidIsValid(relid) || !OidIsValid(funcid) ||
	    !IsA(name, Const) || name->constisnull ||
	    !draws_without_code(relid, TextDatumGetCString(name->constvalue)))
		return NULL;
	internal = makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), (Datum) 0, false, true);
	return (Node *) makeFuncExpr(funcid, call->funcresulttype, list_make2(name, internal),
	                             call->funccollid, call->inputcollid, COERCE_EXPLICIT_CALL);
}

/* The planner support function of idgen_next(name) */
Datum
idgen_next_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	Node *answer = NULL;

	if (IsA(request, SupportRequestSimplify) && idgen_in_copy_from() &&
	    ((SupportRequestSimplify *) request)->root == NULL)
		answer = call_in_copy(((SupportRequestSimplify *) request)->fcall);
	PG_RETURN_POINTER(answer);
}
