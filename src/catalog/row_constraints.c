/*
 * row_constraints.c
 *		CHECK constraints of id_sequences, ready to be evaluated.
 *
 * For each statement, the server reads the constraints from their texts anew.
 * For a statement that writes one row, that takes longer than all else. So they
 * are prepared once, and again when the table has changed.
 *
 * That is done only if they call nothing but immutable functions of the server
 * itself, as idgen's own do. What is prepared must not be evaluated while it is
 * being evaluated, which code of users could lead to; nor may the code behind
 * it change unnoticed.
 */
#include "postgres.h"

#include "access/transam.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "catalog/row_constraints.h"
#include "common/compat.h"

/* Of the table with that OID, which is invalid if nothing is prepared. */
static struct
{
	Oid relid;
	EState *estate;     /* whose memory holds them; NULL if they are not kept */
	ExprState **checks; /* as ExecConstraints() has them */
} prepared;

/* A function that users have made, or could replace? */
static bool
is_of_users(Oid funcid, void *context)
{
	return funcid >= FirstGenbkiObjectId;
}

/* Walker: may the expression call code of users? */
static bool
calls_users_code(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CoerceToDomain) || check_functions_in_node(node, is_of_users, NULL))
		return true;
	return expression_tree_walker(node, calls_users_code, context);
}

/*
 * Prepare the constraints in the memory of prepared.estate, which is the
 * current one. Returns false if they must not be kept.
 */
static bool
prepare_checks(const TupleConstr *constr)
{
	prepared.checks = palloc0((constr->num_check + 1) * sizeof(ExprState *));
	for (int i = 0; i < constr->num_check; i++)
	{
		Expr *check = stringToNode(constr->check[i].ccbin);

		if (calls_users_code((Node *) check, NULL) || contain_mutable_functions((Node *) check))
			return false;
		if (idgen_check_is_enforced(&constr->check[i]))
			prepared.checks[i] = ExecPrepareExpr(check, prepared.estate);
	}
	return true;
}

/* Keep nothing prepared. */
static void
clear(void)
{
	if (prepared.estate != NULL)
		FreeExecutorState(prepared.estate);
	prepared.estate = NULL;
}

/* Prepare the constraints, if they can be kept. */
static void
prepare(Relation rel)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;
	MemoryContext before;
	bool kept;

	before = MemoryContextSwitchTo(CacheMemoryContext);
	prepared.estate = CreateExecutorState();
	MemoryContextSwitchTo(prepared.estate->es_query_cxt);
	kept = prepare_checks(constr);
	MemoryContextSwitchTo(before);
	if (!kept)
		clear();
}

/*
 * Have ExecConstraints() find the constraints of a table prepared, if they can
 * be. They are not used beyond the next call of this function.
 */
void
idgen_row_lend_constraints(ResultRelInfo *rri)
{
	Relation rel = rri->ri_RelationDesc;

	if (prepared.relid != RelationGetRelid(rel))
	{
		clear();
		prepare(rel);
		prepared.relid = RelationGetRelid(rel);
	}
	if (prepared.estate != NULL)
		rri->ri_CheckConstraintExprs = prepared.checks;
}

/* That table may have changed, or any table if it is invalid. */
void
idgen_row_constraints_forget(Oid relid)
{
	if (relid == prepared.relid || !OidIsValid(relid))
		prepared.relid = InvalidOid;
}
