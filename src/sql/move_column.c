/*
 * move_column.c
 *		What idgen_adopt() and idgen_release() need besides SQL: they are in
 *		the script.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/native_sequence.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"

PG_FUNCTION_INFO_V1(idgen_lock_to_move);
PG_FUNCTION_INFO_V1(idgen_lock_sequence);
PG_FUNCTION_INFO_V1(idgen_serial_name);
PG_FUNCTION_INFO_V1(idgen_make_serial);
PG_FUNCTION_INFO_V1(idgen_set_not_null);

/* Raises 42501 unless the current user owns the relation. */
static void
check_owner(Oid relid)
{
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
}

/* The entry of a column in pg_attribute. Raises 42703 if there is none. */
static HeapTuple
find_column(Oid relid, const char *name)
{
	HeapTuple tuple = SearchSysCacheAttName(relid, name);

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_COLUMN),
		         errmsg("column \"%s\" of relation \"%s\" does not exist", name, get_rel_name(relid))));
	return tuple;
}

/*
 * idgen_lock_to_move(relation oid) returns void: lock a table, and all that
 * inherit from it, until the transaction ends. LOCK TABLE would lock what has
 * the name by then. Raises 42501.
 */
Datum
idgen_lock_to_move(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);

	PreventCommandIfParallelMode("LOCK TABLE");
	PreventCommandDuringRecovery("LOCK TABLE");
	check_owner(relid);
	LockRelationOid(relid, AccessExclusiveLock);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		(void) find_all_inheritors(relid, AccessExclusiveLock, NULL);
	PG_RETURN_VOID();
}

/*
 * idgen_lock_sequence(sequence oid, to_drop boolean) returns void: until the
 * transaction ends, keep a native sequence from being dropped; or wait for all
 * that draw from it, and keep them away, if it is to be dropped. Raises 42501.
 */
Datum
idgen_lock_sequence(PG_FUNCTION_ARGS)
{
	Oid sequence = PG_GETARG_OID(0);
	bool to_drop = PG_GETARG_BOOL(1);

	if (to_drop)
		check_owner(sequence);
	else
		idgen_native_check(sequence, ACL_USAGE | ACL_SELECT | ACL_UPDATE);
	LockRelationOid(sequence, to_drop ? AccessExclusiveLock : AccessShareLock);
	PG_RETURN_VOID();
}

/*
 * idgen_serial_name(table_name name, column_name name) returns name: how the
 * server calls the native sequence of a serial column, if that name is free
 */
Datum
idgen_serial_name(PG_FUNCTION_ARGS)
{
	char *name = makeObjectName(NameStr(*PG_GETARG_NAME(0)), NameStr(*PG_GETARG_NAME(1)), "seq");

	return DirectFunctionCall1(namein, CStringGetDatum(name));
}

/*
 * idgen_make_serial(relation oid, column_name name, start bigint) returns oid:
 * make a native sequence that begins with "start" and belongs to the column, in
 * a table that the caller has locked. Its name and its type are those that the
 * server gives it, and it belongs to the owner of the table, whoever calls
 * this: there is no SQL that says so. Raises 42501, 42703.
 */
Datum
idgen_make_serial(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	const char *column = NameStr(*PG_GETARG_NAME(1));
	int64 start = PG_GETARG_INT64(2);
	Oid schema = get_rel_namespace(relid);
	HeapTuple attribute;
	Oid type;
	PlannedStmt *planned = makeNode(PlannedStmt);
	CreateSeqStmt *statement;
	char *name;
	char *command;

	check_owner(relid);
	attribute = find_column(relid, column);
	type = getBaseType(((Form_pg_attribute) GETSTRUCT(attribute))->atttypid);
	ReleaseSysCache(attribute);
	name = ChooseRelationName(get_rel_name(relid), column, "seq", schema, false);
	command = psprintf("CREATE %sSEQUENCE %s AS %s START WITH %lld MINVALUE %lld OWNED BY %s.%s",
	                   get_rel_persistence(relid) == RELPERSISTENCE_PERMANENT ? "" : "UNLOGGED ",
	                   quote_qualified_identifier(get_namespace_name(schema), name),
	                   format_type_be_qualified(type), (long long) start, (long long) Min(start, 1),
	                   idgen_table_name(relid), quote_identifier(column));
	statement = castNode(CreateSeqStmt, linitial_node(RawStmt, raw_parser(command, RAW_PARSE_DEFAULT))->stmt);
	statement->ownerId = idgen_owner_of(relid);
	planned->commandType = CMD_UTILITY;
	planned->utilityStmt = (Node *) statement;
	ProcessUtility(planned, command, false, PROCESS_UTILITY_QUERY, NULL, NULL, None_Receiver, NULL);
	CommandCounterIncrement();
	PG_RETURN_OID(get_relname_relid(name, schema));
}

/* Does a table have CHECK constraints? */
static bool
has_checks(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool result = HeapTupleIsValid(tuple) && ((Form_pg_class) GETSTRUCT(tuple))->relchecks > 0;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Can a column have nulls? */
static bool
is_nullable(Oid relid, const char *name)
{
	HeapTuple tuple = find_column(relid, name);
	bool result = !((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;

	ReleaseSysCache(tuple);
	return result;
}

/*
 * idgen_set_not_null(relation oid, column_name name) returns void: have a
 * column refuse nulls, in a table that the caller has locked.
 *
 * The server looks whether CHECK constraints say so already, and may run
 * functions in them: so that is done as the owner of the tables. Raises 42501
 * if these have several owners, since none of them may run the code of another;
 * 23502 if the column has nulls.
 */
Datum
idgen_set_not_null(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	const char *name = NameStr(*PG_GETARG_NAME(1));
	Oid owner = idgen_owner_of(relid);
	bool checked = false;
	bool shared = false;
	IdgenIdentity before;
	ListCell *cell;

	check_owner(relid);
	foreach(cell, find_all_inheritors(relid, NoLock, NULL))
	{
		checked = checked || (has_checks(lfirst_oid(cell)) && is_nullable(lfirst_oid(cell), name));
		shared = shared || idgen_owner_of(lfirst_oid(cell)) != owner;
	}
	if (checked && shared)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("cannot set column \"%s\" of table \"%s\" NOT NULL for several owners", name, get_rel_name(relid)),
		         errdetail("Tables that inherit it have other owners, whose CHECK constraints could run with the rights of another."),
		         errhint("Set it NOT NULL in each table, as its owner, before.")));
	if (checked)
		idgen_act_as(owner, &before);
	SPI_connect();
	if (SPI_execute(psprintf("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL", idgen_table_name(relid), quote_identifier(name)),
	                false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not set a column NOT NULL");
	SPI_finish();
	if (checked)
		idgen_act_as_before(&before);
	PG_RETURN_VOID();
}
