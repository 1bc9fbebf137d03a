/*
 * definition.c
 *		What a row of id_sequences says, and who may use it.
 *
 * Whoever may SELECT a row of id_sequences may draw from it (rule C3). The
 * answer is found once and remembered by the session until something it
 * depends on changes; idgen_epoch counts such changes. Row security can depend
 * on anything a policy's expression looks at, so its answer is remembered only
 * when all policies are expressions over the row's own, rarely changing
 * columns.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "definition.h"
#include "row.h"

uint64 idgen_epoch = 1;
uint64 idgen_table_epoch = 1;

/* The table's OID as looked up under table_oid_epoch. */
static Oid table_oid = InvalidOid;
static uint64 table_oid_epoch = 0;

/* The plan that asks whether the current user sees a row. */
static SPIPlanPtr visible_plan = NULL;
static Oid visible_plan_relid = InvalidOid;
static uint64 visible_plan_epoch = 0;

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
roles_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_epoch++;
}

/* Ask the server to tell us about changes. Called once per process. */
void
idgen_definition_init(void)
{
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, roles_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, roles_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, roles_changed, (Datum) 0);
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
not_supported(const char *column, const char *value)
{
	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("%s \"%s\" is not supported", column, value)));
}

static void
not_valid(const char *column, const char *value, const char *valid)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid %s \"%s\"", column, value),
	         errhint("Valid values are: %s.", valid)));
}

/* Raises 0A000 for a source that is planned, 22023 for one that is unknown. */
void
idgen_check_source(const char *source)
{
	if (strcmp(source, "table") == 0)
		return;
	if (strcmp(source, "sequence") == 0 ||
	    strcmp(source, "function") == 0 ||
	    strcmp(source, "server") == 0)
		not_supported("source", source);
	not_valid("source", source, "table");
}

/* As idgen_check_source(), for the refill mode. */
void
idgen_check_refill(const char *refill)
{
	if (strcmp(refill, "transaction") == 0)
		return;
	if (strcmp(refill, "worker") == 0)
		not_supported("refill", refill);
	not_valid("refill", refill, "transaction");
}

/* As idgen_check_source(), for the layout. */
void
idgen_check_layout(const char *layout)
{
	if (strcmp(layout, "plain") == 0)
		return;
	if (strcmp(layout, "prefixed") == 0 ||
	    strcmp(layout, "session") == 0 ||
	    strcmp(layout, "prefixed_reversed") == 0 ||
	    strcmp(layout, "session_reversed") == 0)
		not_supported("layout", layout);
	not_valid("layout", layout, "plain");
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
	idgen_check_source(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_SOURCE)));
	idgen_check_refill(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_REFILL)));
	idgen_check_layout(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_LAYOUT)));
}

/* Has the row no id left? */
bool
idgen_definition_is_exhausted(const IdgenDefinition *def)
{
	return def->exhausted || def->next_block_start > def->max_value;
}

/* Raises 2200H: the row has no id left. */
void
idgen_exhausted(const char *name, const IdgenDefinition *def)
{
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" is exhausted", name),
	         errdetail("Its last id is %lld.", (long long) def->max_value),
	         errhint("Raise max_value and set exhausted to 0.")));
}

/* The row's big_base, allocated in the current memory context. */
Numeric
idgen_big_base_from_row(TupleTableSlot *slot)
{
	return DatumGetNumericCopy(idgen_row_attribute(slot, IDGEN_ATT_BIG_BASE));
}

/* Raises 42501 unless the current user may SELECT from id_sequences. */
void
idgen_check_select(Oid relid)
{
	AclResult result = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(relid));
}

static bool
is_not_immutable(Oid funcid, void *context)
{
	return func_volatile(funcid) != PROVOLATILE_IMMUTABLE;
}

/*
 * Walker: does a policy look at anything besides constants, the current user
 * (a change of which is noticed) and columns that a refill does not write?
 */
static bool
depends_on_more_than_row(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		AttrNumber attno = ((Var *) node)->varattno;

		return attno <= 0 ||
			attno == IDGEN_ATT_NEXT_BLOCK_START ||
			attno == IDGEN_ATT_EXHAUSTED;
	}
	if (IsA(node, SQLValueFunction))
	{
		SQLValueFunctionOp op = ((SQLValueFunction *) node)->op;

		return op != SVFOP_CURRENT_USER && op != SVFOP_CURRENT_ROLE && op != SVFOP_USER;
	}
	if (IsA(node, SubLink) || IsA(node, NextValueExpr))
		return true;
	if (check_functions_in_node(node, is_not_immutable, NULL))
		return true;
	return expression_tree_walker(node, depends_on_more_than_row, context);
}

/* Can the policies' answer for a row change unnoticed? */
static bool
policies_are_cacheable(Relation rel)
{
	ListCell *lc;

	if (rel->rd_rsdesc == NULL)
		return true; /* enabled without a policy: nothing visible */
	foreach(lc, rel->rd_rsdesc->policies)
	{
		RowSecurityPolicy *policy = (RowSecurityPolicy *) lfirst(lc);

		if (policy->hassublinks ||
		    depends_on_more_than_row((Node *) policy->qual, NULL))
			return false;
	}
	return true;
}

/* Prepare (once) the query that asks whether the current user sees a row. */
static SPIPlanPtr
get_visible_plan(Relation rel)
{
	Oid argtypes[] = {TEXTOID};
	char *query;

	if (visible_plan != NULL &&
	    visible_plan_relid == RelationGetRelid(rel) &&
	    visible_plan_epoch == idgen_table_epoch)
		return visible_plan;

	if (visible_plan != NULL)
	{
		SPI_freeplan(visible_plan);
		visible_plan = NULL;
	}
	query = psprintf("SELECT 1 FROM %s WHERE name OPERATOR(pg_catalog.=) $1",
	                 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(rel)),
	                                            RelationGetRelationName(rel)));
	visible_plan_relid = RelationGetRelid(rel);
	visible_plan_epoch = idgen_table_epoch;
	visible_plan = SPI_prepare(query, 1, argtypes);
	if (visible_plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	SPI_keepplan(visible_plan);
	return visible_plan;
}

/*
 * Does row security let the current user see the row of that name, which is
 * known to exist? *cacheable tells whether the answer holds until idgen_epoch
 * or the row changes.
 */
bool
idgen_row_visible(Oid relid, const char *name, int namelen, bool *cacheable)
{
	Relation rel;
	Datum values[1];
	bool visible;

	*cacheable = true;
	if (check_enable_rls(relid, InvalidOid, false) != RLS_ENABLED)
		return true;

	rel = idgen_table_open(relid, AccessShareLock);
	*cacheable = policies_are_cacheable(rel);

	SPI_connect();
	values[0] = PointerGetDatum(cstring_to_text_with_len(name, namelen));
	if (SPI_execute_snapshot(get_visible_plan(rel), values, NULL,
	                         GetLatestSnapshot(), InvalidSnapshot,
	                         true, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of query on \"id_sequences\"");
	visible = SPI_processed > 0;
	SPI_finish();

	table_close(rel, AccessShareLock);
	return visible;
}
