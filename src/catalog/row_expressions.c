/*
 * row_expressions.c
 *		The table owner's expressions: defaults, constraints, indexes.
 *
 * All of them are code of the owner of id_sequences. The role that draws has
 * not asked for them, so they run as the owner; see common/as_owner.c.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "catalog/row.h"
#include "catalog/row_constraints.h"
#include "catalog/row_expressions.h"
#include "common/as_owner.h"
#include "common/compat.h"

/*
 * Check the constraints of a row that is about to be written. Raises 23502,
 * 23514 and what that code raises.
 */
void
idgen_row_check_constraints(IdgenRowWrite *write, TupleTableSlot *row)
{
	IdgenIdentity before;

	if (RelationGetDescr(write->rel)->constr == NULL)
		return;
	idgen_act_as(write->rel->rd_rel->relowner, &before);
	idgen_row_lend_constraints(write->rri);
	ExecConstraints(write->rri, row, write->estate);
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

/* Give a column of a new row its default, if it has one. */
static void
set_default(IdgenRowWrite *write, TupleTableSlot *row, AttrNumber attnum)
{
	Node *expression = build_column_default(write->rel, attnum);

	if (expression != NULL)
		row->tts_values[attnum - 1] = ExecEvalExprSwitchContext(ExecPrepareExpr((Expr *) expression, write->estate),
		                                                        GetPerTupleExprContext(write->estate),
		                                                        &row->tts_isnull[attnum - 1]);
}

/* Give a column of a new row that value. */
static void
set_column(TupleTableSlot *row, AttrNumber attnum, Datum value)
{
	row->tts_values[attnum - 1] = value;
	row->tts_isnull[attnum - 1] = false;
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
 * a name that is too long, and what defaults raise.
 */
void
idgen_row_fill(IdgenRowWrite *write, const char *name, int32 block_size, const char *refill,
               TupleTableSlot *row)
{
	Datum name_value = name_to_store(write->rel, CStringGetTextDatum(name));
	IdgenIdentity before;

	ExecStoreAllNullTuple(row);
	idgen_act_as(write->rel->rd_rel->relowner, &before);
	for (AttrNumber attnum = 1; attnum <= IDGEN_ATT_LAST; attnum++)
	{
		switch (attnum)
		{
			case IDGEN_ATT_NAME:
				set_column(row, attnum, name_value);
				break;
			case IDGEN_ATT_NEXT_BLOCK_START:
				set_column(row, attnum, Int64GetDatum(1));
				break;
			case IDGEN_ATT_BLOCK_SIZE:
				set_column(row, attnum, Int32GetDatum(block_size));
				break;
			case IDGEN_ATT_REFILL:
				set_column(row, attnum, CStringGetTextDatum(refill));
				break;
			default:
				set_default(write, row, attnum);
		}
	}
	idgen_act_as_before(&before);
}

/*
 * Fill in a new row that is made from another one, with what "child" says.
 * Raises 22001 for a name that is too long.
 */
void
idgen_row_fill_child(IdgenRowWrite *write, TupleTableSlot *child, TupleTableSlot *row)
{
	ExecCopySlot(row, child);
	set_column(row, IDGEN_ATT_NAME, name_to_store(write->rel, idgen_row_attribute(child, IDGEN_ATT_NAME)));
}
