/*
 * sql_centre.c
 *		SQL functions about what this server remembers of centres.
 */
#include "postgres.h"

#include "catalog/pg_foreign_server.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"

#include "catalog/privileges.h"
#include "common/compat.h"
#include "remote/foreign_server.h"
#include "sources/went_back.h"
#include "sql/sql_support.h"

PG_FUNCTION_INFO_V1(idgen_accept_centre);
PG_FUNCTION_INFO_V1(idgen_centre_mark);

/*
 * idgen_accept_centre(server name, name text) returns bigint
 *
 * Forget how far a centre had got: with one id sequence; if name is null, with
 * all, and which database cluster it was. Returns the number of id sequences.
 * As with setval(), a rollback does not undo it. Raises 22004, 22023, 22001,
 * 25006, 42501 unless the caller owns the server, 42704 and 42809.
 */
Datum
idgen_accept_centre(PG_FUNCTION_ARGS)
{
	const char *name = NULL;
	const char *server;
	Oid serverid;

	idgen_refuse_null(fcinfo, 0, "server");
	PreventCommandIfReadOnly("idgen_accept_centre()");
	if (!PG_ARGISNULL(1))
	{
		idgen_check_name(PG_GETARG_TEXT_PP(1));
		name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	}
	server = NameStr(*PG_GETARG_NAME(0));
	AcceptInvalidationMessages();
	serverid = idgen_server_find(name != NULL ? name : "", server);
	if (!object_ownercheck(ForeignServerRelationId, serverid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_FOREIGN_SERVER, server);
	if (name != NULL)
	{
		IdgenServer found = idgen_server_get(serverid);

		name = idgen_server_remote_name(&found, name);
	}
	PG_RETURN_INT64(idgen_marks_forget(serverid, name));
}

/* May the current user know how far others have got with a server? */
static bool
may_know(Oid serverid)
{
	return idgen_may_monitor() ||
		object_aclcheck(ForeignServerRelationId, serverid, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
}

/*
 * idgen_centre_mark(name text, source_name text) returns record
 *
 * What is remembered of the id sequence of a row with source "server"; nulls if
 * there is nothing.
 */
Datum
idgen_centre_mark(PG_FUNCTION_ARGS)
{
	enum
	{
		SERVER,
		LAST_ID,
		SYSTEM_IDENTIFIER,
		TIMELINE,
		WENT_BACK,
		COLUMNS
	};
	TupleDesc desc = NULL;
	Datum values[COLUMNS] = {0};
	bool nulls[COLUMNS] = {true, true, true, true, true};
	const char *name = PG_ARGISNULL(0) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *source_name = PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid serverid = idgen_server_look_up(name, source_name);

	if (OidIsValid(serverid) && may_know(serverid))
	{
		IdgenServer server = idgen_server_get(serverid);
		const char *central_name = idgen_server_remote_name(&server, name);
		IdgenMark mark = idgen_mark_read(serverid, central_name);
		IdgenBackNote note = idgen_mark_find_back(serverid, central_name);

		nulls[SERVER] = false;
		values[SERVER] = DirectFunctionCall1(namein, CStringGetDatum(server.name));
		nulls[LAST_ID] = !mark.known;
		values[LAST_ID] = Int64GetDatum(mark.reserved);
		nulls[SYSTEM_IDENTIFIER] = nulls[TIMELINE] = mark.centre.system == 0;
		values[SYSTEM_IDENTIFIER] = Int64GetDatum((int64) mark.centre.system);
		values[TIMELINE] = Int64GetDatum(mark.centre.timeline);
		nulls[WENT_BACK] = note.how == IDGEN_NOT_BACK;
		if (!nulls[WENT_BACK])
			values[WENT_BACK] = CStringGetTextDatum(idgen_went_back_describe(&note, &mark));
	}
	PG_RETURN_DATUM(idgen_result_row(fcinfo, &desc, values, nulls));
}
