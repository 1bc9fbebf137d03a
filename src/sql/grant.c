/*
 * grant.c
 *		idgen_grant(), idgen_revoke(): the privileges that a role needs, by what
 *		it is to do.
 *
 * They run GRANT and REVOKE with the caller's own rights, so they give nobody
 * what the caller could not give. An extension can have no role of its own that
 * others are made members of: roles belong to the whole cluster.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/epoch.h"
#include "catalog/table.h"
#include "common/compat.h"
#include "sql/column.h"
#include "sql/sql_support.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_grant);
PG_FUNCTION_INFO_V1(idgen_revoke);

/* What a role is to do. Each level includes the one before. */
typedef enum Level
{
	LEVEL_DRAW,    /* draw ids */
	LEVEL_MIGRATE, /* make, change and delete id sequences */
} Level;

static const char *const level_names[] = {
	[LEVEL_DRAW] = "draw",
	[LEVEL_MIGRATE] = "migrate",
};

/* A privilege, and the first level that it belongs to. */
typedef struct Privilege
{
	Oid classid; /* of what it is a privilege on: the schema, or id_sequences */
	const char *name;
	AclMode mode;
	Level level;
} Privilege;

static const Privilege privileges[] = {
	{NamespaceRelationId, "USAGE", ACL_USAGE, LEVEL_DRAW},
	{RelationRelationId, "SELECT", ACL_SELECT, LEVEL_DRAW},
	{RelationRelationId, "INSERT", ACL_INSERT, LEVEL_MIGRATE},
	{RelationRelationId, "UPDATE", ACL_UPDATE, LEVEL_MIGRATE},
	{RelationRelationId, "DELETE", ACL_DELETE, LEVEL_MIGRATE},
};

/* What a call is about. */
typedef struct Request
{
	Oid id_sequences;
	Oid schema;
	Oid role;
	const char *role_name;
	Level level;
} Request;

/* Some of the privileges. */
typedef struct Selection
{
	bool has[lengthof(privileges)];
	int n;
} Selection;

/* The level of that name. Raises 22023 for one that is unknown. */
static Level
get_level(const char *name)
{
	for (int i = 0; i < (int) lengthof(level_names); i++)
		if (strcmp(name, level_names[i]) == 0)
			return (Level) i;
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid level \"%s\"", name),
	         errhint("Valid values are: draw, migrate.")));
}

/* The arguments. Raises 22004, 25006, 25000, 22023; 42704 for no role. */
static Request
get_request(FunctionCallInfo fcinfo, const char *function)
{
	Request request;

	idgen_refuse_null(fcinfo, 0, "role");
	idgen_refuse_null(fcinfo, 1, "level");
	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);
	request.id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	request.schema = get_rel_namespace(request.id_sequences);
	request.role = PG_GETARG_OID(0);
	request.role_name = GetUserNameFromId(request.role, false);
	request.level = get_level(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	return request;
}

static bool
has_privilege(const Request *request, const Privilege *privilege, Oid role, AclMode mode)
{
	if (privilege->classid == NamespaceRelationId)
		return object_aclcheck(NamespaceRelationId, request->schema, role, mode) == ACLCHECK_OK;
	return pg_class_aclcheck(request->id_sequences, role, mode) == ACLCHECK_OK;
}

/* Does the role have it, from whomever? */
static bool
role_has(const Request *request, const Privilege *privilege)
{
	return has_privilege(request, privilege, request->role, privilege->mode);
}

/* May the caller grant it, and take back what was granted so? */
static bool
caller_may_grant(const Request *request, const Privilege *privilege)
{
	return has_privilege(request, privilege, GetUserId(), ACL_GRANT_OPTION_FOR(privilege->mode));
}

static void
add(Selection *selection, int privilege)
{
	selection->has[privilege] = true;
	selection->n++;
}

/* What the privilege is on, for a message. */
static const char *
object_title(const Request *request, const Privilege *privilege)
{
	if (privilege->classid == NamespaceRelationId)
		return psprintf("schema \"%s\"", get_namespace_name(request->schema));
	return psprintf("table \"%s\"", idgen_display_name(request->id_sequences));
}

/* "USAGE on schema "s"; SELECT, INSERT on table "t"" */
static const char *
selection_title(const Request *request, const Selection *selection)
{
	const Privilege *before = NULL;
	StringInfoData title;

	initStringInfo(&title);
	for (int i = 0; i < (int) lengthof(privileges); i++)
	{
		if (!selection->has[i])
			continue;
		if (before != NULL && before->classid == privileges[i].classid)
			appendStringInfoString(&title, ", ");
		else if (before != NULL)
			appendStringInfo(&title, " on %s; ", object_title(request, before));
		appendStringInfoString(&title, privileges[i].name);
		before = &privileges[i];
	}
	appendStringInfo(&title, " on %s", object_title(request, before));
	return title.data;
}

/* Run "GRANT <privilege> ON <object> TO <role>", or REVOKE with FROM. */
static void
run(const Request *request, const char *verb, const Privilege *privilege, const char *preposition)
{
	const char *object;

	if (privilege->classid == NamespaceRelationId)
		object = psprintf("SCHEMA %s", quote_identifier(get_namespace_name(request->schema)));
	else
		object = psprintf("TABLE %s", idgen_table_name(request->id_sequences));
	idgen_run_command(psprintf("%s %s ON %s %s %s", verb, privilege->name, object, preposition,
	                           quote_identifier(request->role_name)));
}

/* Raises 42501: the caller may not grant that, or take it back. */
pg_noreturn static void
may_not(const Request *request, const char *verb, const Privilege *privilege)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
	         errmsg("permission denied to %s %s on %s", verb, privilege->name, object_title(request, privilege)),
	         errhint("Its owner can do that, and a role that has the privilege WITH GRANT OPTION.")));
}

/*
 * idgen_grant(role regrole, level text) returns text
 *
 * Grant the role what it takes to draw ids or, with level "migrate", to change
 * id sequences as well. Says what it has granted. What the caller may not grant
 * is left alone if the role has it already. Raises 22004, 25006, 25000, 22023
 * for an unknown level, 42704 if there is no such role, and 42501.
 */
Datum
idgen_grant(PG_FUNCTION_ARGS)
{
	Request request = get_request(fcinfo, "idgen_grant()");
	Selection granted = {0};
	Selection had = {0};
	StringInfoData report;

	for (int i = 0; i < (int) lengthof(privileges); i++)
	{
		if (privileges[i].level > request.level)
			continue;
		if (caller_may_grant(&request, &privileges[i]))
		{
			run(&request, "GRANT", &privileges[i], "TO");
			add(&granted, i);
		}
		else if (role_has(&request, &privileges[i]))
			add(&had, i);
		else
			may_not(&request, "grant", &privileges[i]);
	}

	initStringInfo(&report);
	appendStringInfo(&report, "role \"%s\"", request.role_name);
	if (granted.n > 0)
		appendStringInfo(&report, " was granted %s", selection_title(&request, &granted));
	if (had.n > 0)
		appendStringInfo(&report, "%s already has %s", granted.n > 0 ? "; it" : "", selection_title(&request, &had));
	PG_RETURN_TEXT_P(cstring_to_text(report.data));
}

/*
 * idgen_revoke(role regrole, level text) returns text
 *
 * Take back what idgen_grant() grants for that level and those above: with
 * "migrate", the role can still draw. Says what the role has lost, and what it
 * still has from PUBLIC, from other roles, or as the owner. Raises what
 * idgen_grant() does; 42501 if nothing of it is the caller's to take.
 */
Datum
idgen_revoke(PG_FUNCTION_ARGS)
{
	Request request = get_request(fcinfo, "idgen_revoke()");
	const Privilege *not_ours = NULL;
	Selection lost = {0};
	Selection kept = {0};
	bool any_ours = false;
	StringInfoData report;

	for (int i = 0; i < (int) lengthof(privileges); i++)
	{
		bool had;

		if (privileges[i].level < request.level)
			continue;
		had = role_has(&request, &privileges[i]);
		if (caller_may_grant(&request, &privileges[i]))
		{
			run(&request, "REVOKE", &privileges[i], "FROM");
			any_ours = true;
		}
		else
			not_ours = &privileges[i];
		if (role_has(&request, &privileges[i]))
			add(&kept, i);
		else if (had)
			add(&lost, i);
	}
	if (!any_ours)
		may_not(&request, "revoke", not_ours);

	initStringInfo(&report);
	appendStringInfo(&report, "role \"%s\" lost %s", request.role_name,
	                 lost.n > 0 ? selection_title(&request, &lost) : "nothing");
	if (kept.n > 0)
		appendStringInfo(&report, "; it still has %s", selection_title(&request, &kept));
	PG_RETURN_TEXT_P(cstring_to_text(report.data));
}
