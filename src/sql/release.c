/*
 * release.c
 *		idgen_release(): moving a column back to a native sequence.
 *
 * The steps: lock the column, check that nothing else draws from its id
 * sequence, find out how far its ids have gone, make an identity that goes on
 * from there in place of the default, or a sequence as that of a serial column,
 * and delete the row.
 *
 * Locks, in this order: the table, all its inheritors and the native sequences
 * of the column, as in adopt.c; then the row, and the native sequence that its
 * blocks come from. Other sessions may still draw cached ids until this
 * transaction commits, but these lie below where the new sequence begins.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/epoch.h"
#include "catalog/table.h"
#include "common/as_owner.h"
#include "common/compat.h"
#include "session/handle_table.h"
#include "session/messages.h"
#include "sql/column.h"
#include "sql/column_default.h"
#include "sql/column_row.h"
#include "sql/column_sequences.h"
#include "sql/column_users.h"
#include "sql/ids_in_use.h"
#include "sql/serial_sequence.h"
#include "sql/user_sql.h"

PG_FUNCTION_INFO_V1(idgen_release);

/* What the column becomes. */
typedef enum Kind
{
	KIND_IDENTITY,
	KIND_SERIAL,
} Kind;

/* The kind of that name. Raises 22023 for one that is unknown. */
static Kind
get_kind(const char *kind)
{
	if (strcmp(kind, "identity") == 0)
		return KIND_IDENTITY;
	if (strcmp(kind, "serial") != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("invalid kind \"%s\"", kind),
		         errhint("Valid values are: identity, serial.")));
	return KIND_SERIAL;
}

/*
 * Raises 42501 if row security lets the caller see the row but not delete it.
 */
static void
delete_row(Oid id_sequences, const char *name)
{
	if (!idgen_run_on_row(id_sequences, name, "DELETE", ""))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(id_sequences));
}

/*
 * The id sequence of a column that has lost its default: the one that belongs
 * to it. Raises 55000 if the column draws from something else, or if none or
 * several belong to it.
 */
static const char *
find_undrawn(const IdgenColumn *column, Oid id_sequences)
{
	List *names = idgen_column_rows(id_sequences, column);

	if (list_length(names) != 1)
		idgen_does_not_draw(column->name, column->table);
	if (column->default_expr != NULL || column->identity)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("column \"%s\" of table \"%s\" does not draw from id sequence \"%s\", which belongs to it",
		                column->name, column->table, (char *) linitial(names)),
		         errdetail("It has another default, or is an identity column."),
		         errhint("To keep that, delete the row of the id sequence. To have the column draw from it again, call %s().",
		                 idgen_function_name(id_sequences, "idgen_adopt"))));
	return linitial(names);
}

/*
 * The id sequence that the column draws from, or did. Raises 55000 if there is
 * none or several, 0A000 if it cannot be a column of that kind, 2BP01 if
 * another column or a domain draws from the id sequence.
 */
static const char *
check_column(const IdgenColumn *column, Oid id_sequences, Kind kind)
{
	Oid idgen_schema = get_rel_namespace(id_sequences);
	const char *name = idgen_default_id_sequence(column, idgen_schema);

	if (name == NULL)
		name = find_undrawn(column, id_sequences);
	if (kind == KIND_IDENTITY && !column->partitioned && list_length(column->members) > 1)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot make an identity column of a column that other tables have inherited"),
		         errdetail("Table \"%s\" has inheritance children, and they would not inherit the identity.",
		                   column->table),
		         errhint("Children inherit the default of a column of kind \"serial\".")));
	idgen_check_draws_from_no_other(column, name, idgen_schema);
	idgen_check_no_other_user(column, name, id_sequences);
	return name;
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

/*
 * Have the column refuse nulls. The server looks whether CHECK constraints say
 * so already, and may run functions in them: so that is done as the owner of
 * the tables. Raises 42501 if these have several owners, since none of them may
 * run the code of another; 23502 if the column has nulls.
 */
static void
set_not_null(const IdgenColumn *column)
{
	const char *command = psprintf("%s SET NOT NULL", idgen_alter_column(column, column->table_oid));
	Oid owner = idgen_owner_of(column->table_oid);
	bool checked = false;
	bool shared = false;
	IdgenIdentity before;
	ListCell *cell;

	foreach(cell, column->members)
	{
		checked = checked || (has_checks(lfirst_oid(cell)) && !idgen_column_attribute(lfirst_oid(cell), column->name)->attnotnull);
		shared = shared || idgen_owner_of(lfirst_oid(cell)) != owner;
	}
	if (!checked)
	{
		idgen_run_command(command);
		return;
	}
	if (shared)
		ereport(ERROR,
		        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		         errmsg("cannot set column \"%s\" of table \"%s\" NOT NULL for several owners", column->name, column->table),
		         errdetail("Tables that inherit it have other owners, whose CHECK constraints could run with the rights of another."),
		         errhint("Set it NOT NULL in each table, as its owner, before.")));
	idgen_act_as(owner, &before);
	idgen_run_command(command);
	idgen_act_as_before(&before);
}

/*
 * Replace the default by an identity. Raises what set_not_null() does, and
 * 22023 for a domain.
 */
static void
make_identity(const IdgenColumn *column, int64 start)
{
	const char *name = quote_identifier(column->name);

	set_not_null(column);
	idgen_run_command(psprintf("ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT,"
	                           " ALTER COLUMN %s ADD GENERATED BY DEFAULT AS IDENTITY"
	                           " (START WITH %lld MINVALUE %lld)",
	                           idgen_table_name(column->table_oid), name, name,
	                           (long long) start, (long long) Min(start, 1)));
}

/*
 * Replace the default by one that draws from a new sequence, which is returned.
 * Raises what set_not_null() does.
 */
static Oid
make_serial(const IdgenColumn *column, int64 start)
{
	Oid sequence = idgen_make_serial_sequence(column, start);

	set_not_null(column);
	idgen_run_command(psprintf("%s SET DEFAULT pg_catalog.nextval(%s::pg_catalog.regclass)",
	                           idgen_alter_column(column, column->table_oid),
	                           quote_literal_cstr(idgen_table_name(sequence))));
	return sequence;
}

/* Does each partition have the identity, as since 17, or only the table? */
static bool
identity_is_inherited(const IdgenColumn *column)
{
	return idgen_column_attribute(llast_oid(column->members), column->name)->attidentity != '\0';
}

/*
 * Make the column one of that kind, which begins with "start". The answer says
 * what it is now, and begins what idgen_release() returns.
 */
static StringInfoData
make_column(const IdgenColumn *column, Kind kind, int64 start)
{
	StringInfoData report;

	initStringInfo(&report);
	appendStringInfo(&report, "column \"%s\" of table \"%s\" ", column->name, column->table);
	switch (kind)
	{
		case KIND_IDENTITY:
			make_identity(column, start);
			appendStringInfoString(&report, "is now an identity column");
			break;
		case KIND_SERIAL:
			appendStringInfo(&report, "now draws from sequence \"%s\"",
			                 idgen_display_name(make_serial(column, start)));
			break;
	}
	appendStringInfo(&report, ", beginning with %lld", (long long) start);
	return report;
}

/*
 * idgen_release(relation regclass, column_name name, kind text) returns text
 *
 * Have a column that draws from an id sequence draw from a native one, as an
 * identity column or a serial one. Raises 25006, 25000; 22023 for an unknown
 * kind; what idgen_column_lock(), check_column() and make_column() do; 42704 if
 * the row is gone; 2200H if no id is left; and what the source says if it
 * cannot tell the next id.
 */
Datum
idgen_release(PG_FUNCTION_ARGS)
{
	Oid id_sequences = idgen_table_oid(fcinfo->flinfo->fn_oid);
	IdgenColumn column = {.table_oid = PG_GETARG_OID(0), .name = NameStr(*PG_GETARG_NAME(1))};
	Kind kind;
	const char *name;
	IdgenColumnSequences sequences;
	IdgenIdsInUse ids = {0};
	StringInfoData report;

	PreventCommandIfReadOnly("idgen_release()");
	PreventCommandIfParallelMode("idgen_release()");
	kind = get_kind(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	idgen_column_lock(&column, id_sequences, ACL_SELECT | ACL_UPDATE | ACL_DELETE);
	name = check_column(&column, id_sequences, kind);
	idgen_column_lock_sequences(&column, &sequences);

	idgen_count_sequences(&sequences, &ids);
	idgen_lock_row(id_sequences, name);
	idgen_count_id_sequence(idgen_handle_get(id_sequences, name, strlen(name)), &ids);
	idgen_count_table(&column, &ids);

	report = make_column(&column, kind, idgen_first_free_id(&column, &ids));
	delete_row(id_sequences, name);
	appendStringInfo(&report, "; id sequence \"%s\" was deleted", name);
	if (kind == KIND_IDENTITY && !identity_is_inherited(&column))
		appendStringInfoString(&report, "; rows inserted directly into a partition get no id");
	PG_RETURN_TEXT_P(cstring_to_text(report.data));
}
