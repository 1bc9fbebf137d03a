/*
 * definition.c
 *		What a row of id_sequences says, and who may use it.
 *
 * Whoever may SELECT a row of id_sequences may draw from it (rule C3). The
 * answer is found once and remembered by the session until something it
 * depends on changes; idgen_epoch counts such changes. Row security can depend
 * on anything a policy's expression looks at, so its answer is remembered only
 * when all policies are immutable expressions over the row's own, rarely
 * changing columns, and until any function is replaced.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/definition.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "common/compat.h"

uint64 idgen_epoch = 1;
uint64 idgen_table_epoch = 1;

/* The table's OID as looked up under table_oid_epoch. */
static Oid table_oid = InvalidOid;
static uint64 table_oid_epoch = 0;

/* Has idgen_watch_relations() been called? */
static bool relations_matter = false;

/* Has row security had a say in anything that this session remembers? */
static bool functions_matter = false;

static void
relation_changed(Datum arg, Oid relid)
{
	if (relid == InvalidOid || relid == table_oid)
	{
		idgen_epoch++;
		idgen_table_epoch++;
	}
}

static void
catalog_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_epoch++;
}

static void
any_relation_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_relations_changed();
}

/* Policies' functions are not looked for one by one: they call others. */
static void
any_function_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	if (functions_matter)
		idgen_epoch++;
}

/*
 * Ask the server to tell us about changes. The owner of the database matters
 * to role pg_database_owner. Called once per process.
 */
void
idgen_definition_init(void)
{
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNDATAWRAPPEROID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(RELNAMENSP, any_relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(SEQRELID, any_relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, any_function_changed, (Datum) 0);
}

/* What names of relations stand for may have changed. */
void
idgen_relations_changed(void)
{
	if (relations_matter)
		idgen_epoch++;
}

/*
 * From now on idgen_epoch counts changes of any relation's catalog entries, and
 * of relations' names: this session draws from something that it has found by
 * name. Others are spared, since a relation changes more often than all the rest.
 */
void
idgen_watch_relations(void)
{
	relations_matter = true;
}

/*
 * The OID of id_sequences, given that of the SQL function being called: the
 * table lives in the function's schema. Raises 42P01 if it is not there.
 */
Oid
idgen_table_oid(Oid funcid)
{
	uint64 epoch = idgen_epoch;
	Oid found;

	if (table_oid_epoch == epoch)
		return table_oid;

	found = get_relname_relid("id_sequences", get_func_namespace(funcid));
	if (!OidIsValid(found))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"id_sequences\" of extension \"idgen\" does not exist")));
	table_oid = found;
	table_oid_epoch = epoch;
	return found;
}

static void
not_valid(const char *column, const char *value, const char *valid)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid %s \"%s\"", column, value),
	         errhint("Valid values are: %s.", valid)));
}

/*
 * The source of that name. Raises 22023 for one that is unknown, and what the source
 * says about a source_name (null if there is none) that can never be right.
 */
const IdgenSource *
idgen_check_source(const char *source, const char *source_name)
{
	const IdgenSource *found = idgen_source_get(source);

	if (found->check_syntax)
		found->check_syntax(source_name);
	return found;
}

/*
 * Is it a worker that refills? Raises 22023 for a refill mode that is unknown, and
 * 0A000 for one that the source does not have.
 */
bool
idgen_check_refill(const char *refill, const IdgenSource *source)
{
	if (strcmp(refill, "transaction") == 0)
		return false;
	if (strcmp(refill, "worker") != 0)
		not_valid("refill", refill, "transaction, worker");
	if (!source->for_worker)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("refill \"%s\" is not supported with source \"%s\"", refill, source->name),
		         errhint("Use refill \"transaction\".")));
	return true;
}

/* The layout of that name. Raises 22023 for one that is unknown. */
const IdgenLayout *
idgen_check_layout(const char *layout)
{
	const IdgenLayout *found = idgen_layout_find(layout);

	if (found == NULL)
		not_valid("layout", layout, "plain, prefixed, session, prefixed_reversed, session_reversed");
	return found;
}

/*
 * Read a row. Its constraints and triggers have checked all this, unless the
 * table's owner switched them off: hence the errors of 22004 and 22023.
 */
void
idgen_definition_from_row(TupleTableSlot *slot, const char *name,
                          IdgenDefinition *def)
{
	Datum start;
	Datum source_name;
	bool isnull;

	def->next_block_start = DatumGetInt64(idgen_row_attribute(slot, IDGEN_ATT_NEXT_BLOCK_START));
	def->block_size = DatumGetInt32(idgen_row_attribute(slot, IDGEN_ATT_BLOCK_SIZE));
	def->exhausted = DatumGetInt16(idgen_row_attribute(slot, IDGEN_ATT_EXHAUSTED)) != 0;
	def->max_value = DatumGetInt64(idgen_row_attribute(slot, IDGEN_ATT_MAX_VALUE));
	start = slot_getattr(slot, IDGEN_ATT_START_VALUE, &isnull);
	def->start_value = isnull ? def->next_block_start : DatumGetInt64(start);

	if (def->block_size <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("block_size of id sequence \"%s\" must be greater than zero", name)));
	source_name = slot_getattr(slot, IDGEN_ATT_SOURCE_NAME, &isnull);
	def->source_name = isnull ? NULL : TextDatumGetCString(source_name);
	def->source = idgen_check_source(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_SOURCE)),
	                                 def->source_name);
	def->by_worker = idgen_check_refill(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_REFILL)),
	                                    def->source);
	def->layout = idgen_check_layout(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_LAYOUT)));
}

/* Has the row no id left? */
bool
idgen_definition_is_exhausted(const IdgenDefinition *def)
{
	return def->exhausted || def->next_block_start > def->max_value;
}

/*
 * Are there no ids from next_block_start on? If there are, but the row is exhausted, then
 * somebody has raised max_value, or has exhausted it by hand. At the end of the type,
 * next_block_start cannot go beyond max_value.
 */
bool
idgen_is_at_end(int64 next_block_start, int64 max_value)
{
	return next_block_start > max_value || next_block_start == PG_INT64_MAX;
}

/*
 * The percentage of the range from start_value to max_value that no block holds yet,
 * rounded down.
 */
int
idgen_definition_percent_left(const IdgenDefinition *def)
{
	if (def->exhausted)
		return 0;
	return idgen_percent_of_range(Min(def->start_value, def->next_block_start),
	                              def->next_block_start, def->max_value);
}

/* Raises 2200H: the row has no id left. */
void
idgen_exhausted(const char *name, const IdgenDefinition *def)
{
	if (!idgen_is_at_end(def->next_block_start, def->max_value))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", name),
		         errdetail("Its max_value is %lld, but its column \"exhausted\" is 1.", (long long) def->max_value),
		         errhint("Set exhausted to 0.")));
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" is exhausted", name),
	         errdetail("Its last id is %lld.", (long long) def->max_value),
	         errhint("%s", def->max_value < PG_INT64_MAX ? "Raise max_value and set exhausted to 0." : "Use another id sequence, or start again at a lower id with idgen_restart().")));
}

/* Raises 2200H: there are ids left up to the last one, but not so many in a row. */
void
idgen_too_few(const char *name, int64 count, int64 last)
{
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" has no %lld ids in a row left", name, (long long) count),
	         errdetail("Its last id is %lld.", (long long) last)));
}

/* Raises 42501 unless the current user may SELECT from id_sequences. */
void
idgen_check_select(Oid relid)
{
	AclResult result = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(relid));
}

/*
 * May a role have others run its code: those who write to id_sequences, by a trigger, and
 * those who draw, by a row that names a function?
 */
bool
idgen_may_lend_code(Oid relid, Oid roleid)
{
	return object_ownercheck(RelationRelationId, relid, roleid) ||
		pg_class_aclcheck(relid, roleid, ACL_TRIGGER) == ACLCHECK_OK;
}

/*
 * Walker: does an expression look at anything in the row that a refill may
 * write, or at what changes without our notice? The latter is what a domain
 * checks; functions are is_immutable()'s business. There are no subqueries, see
 * idgen_row_visible(). "context" is the relation.
 */
static bool
looks_at_changes(Node *node, void *context)
{
	Relation rel = (Relation) context;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		AttrNumber attno = ((Var *) node)->varattno;

		if (attno <= 0 ||
		    attno == IDGEN_ATT_NEXT_BLOCK_START ||
		    attno == IDGEN_ATT_EXHAUSTED)
			return true;
		if (attno <= IDGEN_ATT_LAST)
			return false;
		if (TupleDescAttr(RelationGetDescr(rel), attno - 1)->attgenerated == ATTRIBUTE_GENERATED_STORED)
			return looks_at_changes(build_column_default(rel, attno), context);
		return idgen_row_writes_others(rel);
	}
	if (IsA(node, CoerceToDomain))
		return true;
	return expression_tree_walker(node, looks_at_changes, context);
}

/* Mutator: a constant in place of the current user, a change of which is noticed. */
static Node *
without_current_user(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, SQLValueFunction))
	{
		SQLValueFunctionOp op = ((SQLValueFunction *) node)->op;

		if (op == SVFOP_CURRENT_USER || op == SVFOP_CURRENT_ROLE || op == SVFOP_USER)
			return (Node *) makeNullConst(NAMEOID, -1, C_COLLATION_OID);
	}
	return expression_tree_mutator(node, without_current_user, context);
}

/* For one user, has an expression the same value for the same row until a function is replaced? */
static bool
is_immutable(List *quals)
{
	return !contain_mutable_functions(without_current_user((Node *) quals, NULL));
}

/*
 * Ask by query whether the current user sees a row. The query is not kept
 * prepared: a policy's own subquery may come here again, and find that the plan
 * it is part of has to be thrown away.
 */
static bool
query_shows_row(Relation rel, TupleTableSlot *row)
{
	Oid argtypes[] = {TEXTOID};
	Datum values[] = {idgen_row_attribute(row, IDGEN_ATT_NAME)};
	char *query;
	bool visible;

	query = psprintf("SELECT 1 FROM ONLY %s WHERE name OPERATOR(pg_catalog.=) $1",
	                 idgen_table_name(RelationGetRelid(rel)));
	SPI_connect();
	PushCopiedSnapshot(GetLatestSnapshot());
	GetActiveSnapshot()->curcid = InvalidCommandId; /* this command's changes count */
	if (SPI_execute_with_args(query, 1, argtypes, values, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of query on \"id_sequences\"");
	visible = SPI_processed > 0;
	PopActiveSnapshot();
	SPI_finish();
	return visible;
}

/* Evaluate policies' expressions, as the planner has made them, for a row. */
static bool
policies_show_row(List *quals, TupleTableSlot *row)
{
	EState *estate = CreateExecutorState();
	ExprContext *econtext = GetPerTupleExprContext(estate);
	MemoryContext before = MemoryContextSwitchTo(estate->es_query_cxt);
	ExprState *state = ExecInitQual(quals, NULL);
	bool visible;

	MemoryContextSwitchTo(before);
	econtext->ecxt_scantuple = row;
	visible = ExecQual(state, econtext);
	FreeExecutorState(estate);
	return visible;
}

/*
 * Does row security let the current user see a row? *cacheable tells whether
 * the answer holds until idgen_epoch or the row changes.
 *
 * The server says which policies apply. Their expressions are evaluated right
 * here, on the newest version of the row, unless there are subqueries in them:
 * then it takes a query, with the usual consequences (the user needs USAGE on
 * the schema, and a serializable transaction remembers the read).
 */
bool
idgen_row_visible(Relation rel, TupleTableSlot *row, bool *cacheable)
{
	Query *query;
	RangeTblEntry *rte;
	List *quals;
	List *planned;
	List *checks;
	bool enabled;
	bool subqueries;

	*cacheable = true;
	if (check_enable_rls(RelationGetRelid(rel), InvalidOid, false) != RLS_ENABLED)
		return true;

	query = makeNode(Query);
	query->commandType = CMD_SELECT;
	rte = makeNode(RangeTblEntry);
	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = RELKIND_RELATION;
	rte->rellockmode = AccessShareLock;
	idgen_request_select(query, rte);
	query->rtable = list_make1(rte);
	get_row_security_policies(query, rte, 1, &quals, &checks, &enabled, &subqueries);

	if (subqueries)
	{
		*cacheable = false;
		return query_shows_row(rel, row);
	}

	/*
	 * The planner replaces what an expression says by what that stands for: so
	 * default arguments are judged, too, but no domain without a check, which
	 * may get one.
	 */
	functions_matter = true;
	quals = (List *) expand_generated_columns_in_expr((Node *) quals, rel, 1);
	planned = (List *) expression_planner((Expr *) quals);
	*cacheable = !looks_at_changes((Node *) quals, rel) && is_immutable(planned);
	return policies_show_row(planned, row);
}
