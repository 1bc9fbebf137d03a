/*
 * row_expressions.c
 *		The table owner's expressions: defaults, generated columns, constraints,
 *		domains, indexes.
 *
 * All of them are code of the owner of id_sequences. The role that draws has
 * not asked for them, so they run as the owner; see common/as_owner.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "catalog/row.h"
#include "catalog/row_constraints.h"
#include "catalog/row_expressions.h"
#include "common/as_owner.h"
#include "common/compat.h"

/* Raises 23514 if a column's type is a domain that refuses its new value. */
static void
check_domain(Relation rel, TupleTableSlot *row, AttrNumber attnum)
{
	Oid type = TupleDescAttr(RelationGetDescr(rel), attnum - 1)->atttypid;
	bool isnull;
	Datum value = slot_getattr(row, attnum, &isnull);

	if (get_typtype(type) == TYPTYPE_DOMAIN)
		domain_check(value, isnull, type, NULL, NULL);
}

/* Raises 23514 if a domain refuses what an update sets. */
void
idgen_row_check_domains(Relation rel, TupleTableSlot *row)
{
	IdgenIdentity before;

	idgen_act_as(rel->rd_rel->relowner, &before);
	check_domain(rel, row, IDGEN_ATT_NEXT_BLOCK_START);
	check_domain(rel, row, IDGEN_ATT_EXHAUSTED);
	check_domain(rel, row, IDGEN_ATT_REFILLED_AT);
	idgen_act_as_before(&before);
}

/*
 * Compute generated columns of a row that is about to be written, and check its
 * constraints. Raises 23502, 23514 and what that code raises.
 */
void
idgen_row_complete(IdgenRowWrite *write, TupleTableSlot *row)
{
	TupleConstr *constr = RelationGetDescr(write->rel)->constr;
	IdgenIdentity before;

	idgen_act_as(write->rel->rd_rel->relowner, &before);
	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(write->rri, write->estate, row, write->command);
	if (constr != NULL)
	{
		idgen_row_lend_constraints(write->rri);
		ExecConstraints(write->rri, row, write->estate);
	}
	idgen_act_as_before(&before);
}

/*
 * Insert index entries for a row that has been written. Returns what has to be
 * checked again at the end of the command. Raises 23505 and what that code
 * raises.
 */
List *
idgen_row_insert_index_entries(IdgenRowWrite *write, TupleTableSlot *row, TU_UpdateIndexes which)
{
	List *recheck;
	IdgenIdentity before;

	idgen_act_as(write->rel->rd_rel->relowner, &before);
	ExecOpenIndices(write->rri, false);
	recheck = ExecInsertIndexTuples(write->rri, write->estate,
	                                (write->command == CMD_UPDATE ? EIIT_IS_UPDATE : 0) |
	                                    (which == TU_Summarizing ? EIIT_ONLY_SUMMARIZING : 0),
	                                row, NIL, NULL);
	idgen_act_as_before(&before);
	return recheck;
}

/* The value of a column's default for a new row; false if it has none. */
static bool
default_value(IdgenRowWrite *write, AttrNumber attnum, Datum *value, bool *isnull)
{
	Node *expression = build_column_default(write->rel, attnum);

	if (expression == NULL)
		return false;
	*value = ExecEvalExprSwitchContext(ExecPrepareExpr((Expr *) expression, write->estate),
	                                   GetPerTupleExprContext(write->estate), isnull);
	return true;
}

/* Does a new row get a value in that column from whoever fills it in? */
static bool
is_filled_in(const IdgenRowWrite *write, AttrNumber attnum)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(write->rel), attnum - 1);

	return !att->attisdropped && att->attgenerated == '\0';
}

/* Give a column of a new row that value, which its domain may refuse. */
static void
set_column(IdgenRowWrite *write, TupleTableSlot *row, AttrNumber attnum, Datum value)
{
	row->tts_values[attnum - 1] = value;
	row->tts_isnull[attnum - 1] = false;
	check_domain(write->rel, row, attnum);
}

/* A name as its column stores it. Raises 22001 if it is too long. */
static Datum
name_to_store(Relation rel, Datum name)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), IDGEN_ATT_NAME - 1);

	return DirectFunctionCall3(varchar, name, Int32GetDatum(att->atttypmod), BoolGetDatum(false));
}

/*
 * Fill in a new row, with defaults for all columns but four. Raises 22001 for
 * a name that is too long, 23514, and what defaults raise.
 */
void
idgen_row_fill(IdgenRowWrite *write, const char *name, int32 block_size, const char *refill,
               TupleTableSlot *row)
{
	Datum name_value = name_to_store(write->rel, CStringGetTextDatum(name));
	IdgenIdentity before;

	ExecStoreAllNullTuple(row);
	idgen_act_as(write->rel->rd_rel->relowner, &before);
	for (int attnum = 1; attnum <= RelationGetDescr(write->rel)->natts; attnum++)
	{
		switch (attnum)
		{
			case IDGEN_ATT_NAME:
				set_column(write, row, attnum, name_value);
				break;
			case IDGEN_ATT_NEXT_BLOCK_START:
				set_column(write, row, attnum, Int64GetDatum(1));
				break;
			case IDGEN_ATT_BLOCK_SIZE:
				set_column(write, row, attnum, Int32GetDatum(block_size));
				break;
			case IDGEN_ATT_REFILL:
				set_column(write, row, attnum, CStringGetTextDatum(refill));
				break;
			default:
				if (is_filled_in(write, attnum))
					(void) default_value(write, attnum, &row->tts_values[attnum - 1], &row->tts_isnull[attnum - 1]);
		}
	}
	idgen_act_as_before(&before);
}

/*
 * Fill in a new row that is made from another one: with what "child" says, but
 * for columns of the owner's own that have a default. Raises 22001 for a name
 * that is too long, 23514, and what defaults raise.
 */
void
idgen_row_fill_child(IdgenRowWrite *write, TupleTableSlot *child, TupleTableSlot *row)
{
	Datum name_value = name_to_store(write->rel, idgen_row_attribute(child, IDGEN_ATT_NAME));
	IdgenIdentity before;

	ExecStoreAllNullTuple(row);
	idgen_act_as(write->rel->rd_rel->relowner, &before);
	for (int attnum = 1; attnum <= RelationGetDescr(write->rel)->natts; attnum++)
	{
		Datum *value = &row->tts_values[attnum - 1];
		bool *isnull = &row->tts_isnull[attnum - 1];

		if (!is_filled_in(write, attnum))
			continue;
		if (attnum == IDGEN_ATT_NAME)
			*value = name_value, *isnull = false;
		else if (attnum <= IDGEN_ATT_LAST || !default_value(write, attnum, value, isnull))
			*value = slot_getattr(child, attnum, isnull);
		check_domain(write->rel, row, attnum);
	}
	idgen_act_as_before(&before);
}
