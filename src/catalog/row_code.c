/*
 * row_code.c
 *		What of users stands on a table of idgen, and whose code it is.
 *
 * Triggers, CHECKs, defaults and indexes may call functions of anybody. When
 * idgen writes a row for somebody (row_write.c), they run as the owner of the
 * table. So each function must belong to a role that could do all that anyway
 * (rule S1). The function of a trigger may also be SECURITY DEFINER: then it
 * runs as its own owner. (Elsewhere that would not do: whoever calls a function
 * computes what its arguments are by default.) A table that has another one
 * cannot be written to on anybody's behalf.
 *
 * Only roles with the owner's rights put anything on the table. So what an
 * expression passes to the server's own functions is the owner's choice. What
 * belongs to an operator class is not looked at: a superuser has made it.
 *
 * Most tables have nothing that a refill has to do with. What a table has is
 * looked at once, and again when it, a function or a role has changed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"

/*
 * What was found out of the table with that OID, which is invalid if nothing
 * is known, at that idgen_epoch.
 */
static struct
{
	Oid relid;
	uint64 epoch;
	uint32 passed; /* a bit for each command that runs no code which must not run */
	bool plain;    /* if UPDATE has passed: see idgen_check_code() */
} known;

/* Does this trigger of one of idgen's tables see to what SQL writes there? */
bool
idgen_trigger_is_own(Relation rel, const Trigger *trigger)
{
	const char *function = get_func_name(trigger->tgfoid);

	return function != NULL && get_func_namespace(trigger->tgfoid) == RelationGetNamespace(rel) &&
		(strcmp(function, "idgen_check_row") == 0 || strcmp(function, "idgen_row_changed") == 0 ||
	     strcmp(function, "idgen_mark_inserted") == 0);
}

/*
 * Is a trigger fired for each row that is written? One with transition tables
 * is for the rows of a statement, which idgen's writes are not.
 */
bool
idgen_trigger_is_for_rows(const Trigger *trigger)
{
	return TRIGGER_FOR_ROW(trigger->tgtype) && trigger->tgenabled != TRIGGER_DISABLED &&
		trigger->tgoldtable == NULL && trigger->tgnewtable == NULL;
}

/*
 * What a refill has to do with
 */

/* Can a refill change that column? */
static bool
refill_sets(AttrNumber attnum)
{
	return attnum == IDGEN_ATT_NEXT_BLOCK_START || attnum == IDGEN_ATT_EXHAUSTED ||
		attnum == IDGEN_ATT_REFILLED_AT;
}

/* Is a trigger for UPDATE only there for columns that no refill changes? */
static bool
is_of_other_columns(const Trigger *trigger)
{
	for (int i = 0; i < trigger->tgnattr; i++)
		if (refill_sets(trigger->tgattr[i]))
			return false;
	return trigger->tgnattr > 0;
}

/*
 * Are there any among these columns that a refill can change? The row as a
 * whole is one.
 */
static bool
include_set_column(const Bitmapset *attrs)
{
	int i = -1;

	while ((i = bms_next_member(attrs, i)) >= 0)
	{
		AttrNumber attnum = i + FirstLowInvalidHeapAttributeNumber;

		if (attnum == InvalidAttrNumber || refill_sets(attnum))
			return true;
	}
	return false;
}

/*
 * Does a trigger only see to a foreign key of another table, one that refers to
 * columns which no refill changes, as the name is? (That of a foreign key of
 * this table may have to check a row which is new, so it is none of these.)
 */
static bool
is_of_reference_to_others(Relation rel, const Trigger *trigger)
{
	return RI_FKey_trigger_type(trigger->tgfoid) == RI_TRIGGER_PK &&
		!include_set_column(RelationGetIndexAttrBitmap(rel, INDEX_ATTR_BITMAP_KEY));
}

/*
 * Whose code it is
 */

/* A look at the code on a table. */
typedef struct Look
{
	Relation rel;
	List *refused; /* what must not run: strings */
	Oid owner;     /* of the first of these, invalid if it must not run whosever it is */
	bool plain;    /* is there nothing so far that a refill has to do with? */
} Look;

static void
refuse(Look *look, char *what, Oid owner)
{
	if (look->refused == NIL)
		look->owner = owner;
	look->refused = lappend(look->refused, what);
}

/* Could a role do all that the owner of the table can? */
static bool
is_trusted(Relation rel, Oid role)
{
	return has_privs_of_role(role, rel->rd_rel->relowner);
}

/*
 * The role that a trigger's function has to run as, which idgen_check_code()
 * has let pass: invalid for the owner of the table, if the function's owner is
 * trusted. Else it was SECURITY DEFINER, and runs as its own owner, who may
 * have taken that back by now.
 */
Oid
idgen_trigger_runs_as(Relation rel, const Trigger *trigger)
{
	Oid owner;
	bool security_definer;

	if (!idgen_owner_of_function(trigger->tgfoid, &owner, &security_definer) || is_trusted(rel, owner))
		return InvalidOid;
	return owner;
}

/* Look at a function; "may_change_role": SECURITY DEFINER lets it pass. */
static void
look_at_function(Look *look, Oid funcid, bool may_change_role)
{
	Oid owner;
	bool security_definer;

	/* To call one that is not there is an error of its own. */
	if (idgen_owner_of_function(funcid, &owner, &security_definer) &&
	    !is_trusted(look->rel, owner) && !(may_change_role && security_definer))
		refuse(look, psprintf("function %s", format_procedure_qualified(funcid)), owner);
}

/* Look at a function of an expression. Returns false: the walker goes on. */
static bool
look_at_call(Oid funcid, void *context)
{
	if (funcid >= FirstNormalObjectId)
		look_at_function((Look *) context, funcid, false);
	return false;
}

/*
 * Can a value be converted to that type without code of whoever has made the
 * type? A domain has constraints, which may call what they like, and a type
 * that is made of others may contain one.
 */
static bool
is_plain_type(Oid type)
{
	Oid element = get_element_type(type);
	char kind = get_typtype(OidIsValid(element) ? element : type);

	return type < FirstNormalObjectId || kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM;
}

/* Does a node make values of another type than it is given? */
static bool
is_conversion(Node *node)
{
#if PG_VERSION_NUM >= 170000
	if (IsA(node, JsonExpr))
		return true;
#endif
	return IsA(node, CoerceToDomain) || IsA(node, CoerceViaIO) || IsA(node, FuncExpr);
}

/* Walker: look at all that an expression calls, and at types it converts to. */
static bool
look_at_expression(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (is_conversion(node) && !is_plain_type(exprType(node)))
		refuse((Look *) context, psprintf("type %s", format_type_be_qualified(exprType(node))), InvalidOid);
	(void) check_functions_in_node(node, look_at_call, context);
	return expression_tree_walker(node, look_at_expression, context);
}

/* The same for one that a catalog has as a text. */
static void
look_at_text(const char *text, Look *look)
{
	if (text != NULL)
		(void) look_at_expression(stringToNode(text), look);
}

/* Is a trigger fired, for each row, by that command? */
static bool
is_fired(const Trigger *trigger, CmdType command)
{
	if (!idgen_trigger_is_for_rows(trigger))
		return false;
	return command == CMD_INSERT ? TRIGGER_FOR_INSERT(trigger->tgtype)
		: command == CMD_UPDATE  ? TRIGGER_FOR_UPDATE(trigger->tgtype)
								 : TRIGGER_FOR_DELETE(trigger->tgtype);
}

/*
 * The trigger of a foreign key may change rows of another table, and fires
 * triggers there, as the server's versions before 18 do it with the rights that
 * it has itself.
 */
static void
look_at_reference(Look *look, const Trigger *trigger)
{
	Oid owner = idgen_owner_of(trigger->tgconstrrelid);

	if (OidIsValid(owner) && !is_trusted(look->rel, owner))
		refuse(look, psprintf("foreign key \"%s\"", get_constraint_name(trigger->tgconstraint)), owner);
}

/* Does it change such rows when the command changes a row here? */
static bool
is_cascading(Relation rel, const Trigger *trigger, CmdType command)
{
	switch (trigger->tgfoid)
	{
		case F_RI_FKEY_CASCADE_DEL:
		case F_RI_FKEY_SETNULL_DEL:
		case F_RI_FKEY_SETDEFAULT_DEL:
			return command == CMD_DELETE;
		case F_RI_FKEY_CASCADE_UPD:
		case F_RI_FKEY_SETNULL_UPD:
		case F_RI_FKEY_SETDEFAULT_UPD:
			return command == CMD_UPDATE && !is_of_reference_to_others(rel, trigger);
		default:
			return false;
	}
}

static void
look_at_triggers(Look *look, CmdType command)
{
	TriggerDesc *desc = CopyTriggerDesc(look->rel->trigdesc);

	for (int i = 0; desc != NULL && i < desc->numtriggers; i++)
	{
		const Trigger *trigger = &desc->triggers[i];

		if (!is_fired(trigger, command))
			continue;
		if (!is_of_other_columns(trigger) && !is_of_reference_to_others(look->rel, trigger) &&
		    !idgen_trigger_is_own(look->rel, trigger))
			look->plain = false;
		look_at_function(look, trigger->tgfoid, true);
		look_at_text(trigger->tgqual, look);
		if (is_cascading(look->rel, trigger, command))
			look_at_reference(look, trigger);
	}
	FreeTriggerDesc(desc);
}

/* A CHECK matters to a refill if it looks at what that sets. */
static void
look_at_constraints(Look *look, CmdType command)
{
	TupleDesc desc = RelationGetDescr(look->rel);
	const TupleConstr *constr = desc->constr;
	Bitmapset *attrs = NULL;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
	{
		look_at_text(constr->check[i].ccbin, look);
		pull_varattnos(stringToNode(constr->check[i].ccbin), 1, &attrs);
	}
	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
		if (command == CMD_INSERT || TupleDescAttr(desc, constr->defval[i].adnum - 1)->attgenerated)
			look_at_text(constr->defval[i].adbin, look);
	if (include_set_column(attrs) || (constr != NULL && constr->has_generated_stored))
		look->plain = false;
}

/*
 * The catalog is asked, since what the server makes of it may run functions
 * already.
 */
static void
look_at_indexes(Look *look)
{
	static const AttrNumber expressions[] = {Anum_pg_index_indexprs, Anum_pg_index_indpred};
	List *indexes = RelationGetIndexList(look->rel);
	ListCell *cell;

	foreach(cell, indexes)
	{
		HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));

		for (int i = 0; HeapTupleIsValid(tuple) && i < (int) lengthof(expressions); i++)
		{
			bool isnull;
			Datum expression = SysCacheGetAttr(INDEXRELID, tuple, expressions[i], &isnull);

			look_at_text(isnull ? NULL : TextDatumGetCString(expression), look);
		}
		if (HeapTupleIsValid(tuple))
			ReleaseSysCache(tuple);
	}
	list_free(indexes);
}

/*
 * Look at what a command on rows of the table runs, and note what of that must
 * not run; see Look.
 */
static Look
look_at(Relation rel, CmdType command)
{
	Look look = {.rel = rel, .plain = true};

	look_at_triggers(&look, command);
	if (command != CMD_DELETE)
	{
		look_at_constraints(&look, command);
		look_at_indexes(&look);
	}
	return look;
}

/* Report 42501 at that level: something must not run. */
static void
report(const Look *look, int elevel)
{
	const char *owner = OidIsValid(look->owner) ? GetUserNameFromId(look->owner, false) : NULL;

	ereport(elevel,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("%s on table \"%s\" may not run with the rights of role \"%s\"",
	                (char *) linitial(look->refused), RelationGetRelationName(look->rel),
	                GetUserNameFromId(look->rel->rd_rel->relowner, false)),
	         owner != NULL
	             ? errdetail("It belongs to role \"%s\", which does not have these rights.", owner)
	             : errdetail("It is, or may contain, a domain, whose constraints may call anything."),
	         owner != NULL
	             ? errhint("Give it another owner or, if it is the function of a trigger, make it SECURITY DEFINER by ALTER FUNCTION.")
	             : errhint("Convert to a base type.")));
}

/*
 * May all that a command on rows of the table runs have the rights of its
 * owner? Reports 42501 at that level if not. With UPDATE, *plain says (unless
 * it is NULL) whether a refill is just another version of the row, and an entry
 * of an index at most. Caller has locked the table.
 */
bool
idgen_check_code(Relation rel, CmdType command, int elevel, bool *plain)
{
	Look look;

	if (known.relid != RelationGetRelid(rel) || known.epoch != idgen_epoch)
		known.passed = 0;
	if (plain != NULL)
		*plain = known.plain;
	if (known.passed & (1 << command))
		return true;
	idgen_watch_relation(RelationGetRelid(rel));
	known.relid = RelationGetRelid(rel);
	known.epoch = idgen_epoch;
	look = look_at(rel, command);
	if (look.refused != NIL)
		report(&look, elevel);

	/* It is remembered if nothing has changed meanwhile. */
	else if (known.relid == RelationGetRelid(rel) && known.epoch == idgen_epoch)
	{
		known.passed |= 1 << command;
		if (command == CMD_UPDATE)
			known.plain = look.plain;
	}
	if (plain != NULL)
		*plain = look.plain;
	return look.refused == NIL;
}

/* What idgen_check_code() refuses of any command: a list of strings. */
List *
idgen_code_refused(Relation rel)
{
	static const CmdType commands[] = {CMD_INSERT, CMD_UPDATE, CMD_DELETE};
	List *result = NIL;

	for (int i = 0; i < (int) lengthof(commands); i++)
		result = list_concat(result, look_at(rel, commands[i]).refused);
	return result;
}

static void
function_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	known.relid = InvalidOid;
}

/* Ask the server to tell us about functions. Called once per process. */
void
idgen_row_code_init(void)
{
	CacheRegisterSyscacheCallback(PROCOID, function_changed, (Datum) 0);
}
