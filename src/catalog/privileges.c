/*
 * privileges.c
 *		Which roles may use a row of id_sequences.
 *
 * A role that may SELECT a row of id_sequences may draw from it (rule C3). Row
 * security can depend on anything that a policy's expression looks at. So it is
 * asked at each call.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"

/* A part of ereport(): the command that grants the current user that. */
int
idgen_grant_hint(Oid relid, const char *privilege)
{
	return errhint("The owner of the table can GRANT %s ON %s TO %s.", privilege, idgen_table_name(relid),
	               quote_identifier(GetUserNameFromId(GetUserId(), false)));
}

/* Raises 42501, as the server does for any table. */
pg_noreturn static void
permission_denied(Oid relid, const char *privilege)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("permission denied for table %s", get_rel_name(relid)),
	         idgen_grant_hint(relid, privilege)));
}

/*
 * Raises 42501 unless the current user may SELECT from id_sequences, and 42P01
 * if it is gone.
 */
void
idgen_check_select(Oid relid)
{
	bool is_missing = false;
	AclResult result = pg_class_aclcheck_ext(relid, GetUserId(), ACL_SELECT, &is_missing);

	if (is_missing)
		idgen_no_table("id_sequences");
	if (result != ACLCHECK_OK)
		permission_denied(relid, "SELECT");
}

/*
 * Raises 42501 if the current user may update no column of id_sequences. Called
 * before SQL that does so with the caller's own rights: the server would refuse
 * that as well, but later, and without saying what helps. It has the last word
 * where only some columns are granted.
 */
void
idgen_check_may_update(Oid relid)
{
	if (pg_class_aclcheck(relid, GetUserId(), ACL_UPDATE) != ACLCHECK_OK &&
	    pg_attribute_aclcheck_all(relid, GetUserId(), ACL_UPDATE, ACLMASK_ANY) != ACLCHECK_OK)
		permission_denied(relid, "UPDATE");
}

/*
 * Does the current user see how all id sequences stand, whoever may draw from
 * them? Members of pg_monitor do, and superusers.
 */
bool
idgen_may_monitor(void)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}

/*
 * Ask by query whether the current user sees a row, or with ACL_UPDATE, may
 * write it too. The query is not kept prepared: a policy's own subquery may get
 * here as well, and find that the plan that it is part of has to be thrown
 * away. The lock is one that a refill does not wait for, nor does it wait for
 * one.
 */
static bool
query_shows_row(Relation rel, TupleTableSlot *row, AclMode perms)
{
	Oid argtypes[] = {TEXTOID};
	Datum values[] = {idgen_row_attribute(row, IDGEN_ATT_NAME)};
	char *query;
	bool visible;

	query = psprintf("SELECT 1 FROM ONLY %s WHERE name OPERATOR(pg_catalog.=) $1%s",
	                 idgen_table_name(RelationGetRelid(rel)),
	                 perms & ACL_UPDATE ? " FOR KEY SHARE" : "");
	SPI_connect();
	PushCopiedSnapshot(GetLatestSnapshot());
	GetActiveSnapshot()->curcid = InvalidCommandId; /* this command's changes count */
	if (SPI_execute_with_args(query, 1, argtypes, values, NULL, !(perms & ACL_UPDATE), 1) != SPI_OK_SELECT)
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
 * Does row security let the current user see all rows of id_sequences? Raises
 * 42501 if the user has switched row security off that would hide some.
 */
bool
idgen_rows_all_visible(Oid relid)
{
	return check_enable_rls(relid, InvalidOid, false) != RLS_ENABLED;
}

/*
 * Does row security let the current user see a row, and with ACL_UPDATE, write
 * it?
 *
 * The server says which policies apply. Their expressions are evaluated right
 * here, on the newest version of the row, unless there are subqueries in them:
 * then it takes a query, with the usual consequences (the user needs USAGE on
 * the schema, and a serializable transaction remembers the read).
 */
static bool
row_security_allows(Relation rel, TupleTableSlot *row, AclMode perms)
{
	Query *query = makeNode(Query);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	List *quals;
	List *checks;
	bool enabled;
	bool subqueries;

	if (idgen_rows_all_visible(RelationGetRelid(rel)))
		return true;

	/*
	 * A query over the table alone, as the planner would get it; with
	 * ACL_UPDATE, one that locks rows.
	 */
	query->commandType = CMD_SELECT;
	rte->rtekind = RTE_RELATION;
	rte->relid = RelationGetRelid(rel);
	rte->relkind = RELKIND_RELATION;
	rte->rellockmode = AccessShareLock;
	idgen_request_perms(query, rte, perms);
	query->rtable = list_make1(rte);
	get_row_security_policies(query, rte, 1, &quals, &checks, &enabled, &subqueries);
	if (subqueries)
		return query_shows_row(rel, row, perms);
	return policies_show_row((List *) expression_planner((Expr *) quals), row);
}

/*
 * May the current user draw from a row, as far as row security has a say? See
 * row_security_allows().
 */
bool
idgen_row_visible(Relation rel, TupleTableSlot *row)
{
	return row_security_allows(rel, row, ACL_SELECT);
}

/* Raises 42501 unless the current user may update a row that is visible. */
void
idgen_check_may_write(Relation rel, TupleTableSlot *row)
{
	if (pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		permission_denied(RelationGetRelid(rel), "UPDATE");
	if (!row_security_allows(rel, row, ACL_SELECT | ACL_UPDATE))
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("row security of table \"%s\" does not let you write the row",
		                RelationGetRelationName(rel))));
}
