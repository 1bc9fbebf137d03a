/*
 * messages.c
 *		What users are told of an id sequence, whatever its source.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "catalog/table.h"
#include "common/guc.h"
#include "session/messages.h"

/* Can there be an id sequence of that name? */
bool
idgen_is_possible_name(const char *name)
{
	return name[0] != '\0' && pg_mbstrlen(name) <= IDGEN_NAME_CHARACTERS;
}

/*
 * How to create an id sequence with that source, NULL for the default. First
 * comes what holds good if a column draws from it that has ids already: else
 * these would be issued once more.
 */
static const char *
hint_to_create(Oid relid, const char *name, const IdgenSource *source)
{
	StringInfoData hint;
	bool by_default = source == NULL || source == &idgen_source_table;

	initStringInfo(&hint);
	if (by_default)
		appendStringInfo(&hint, "If defaults of columns draw from it, %s() creates it, past the ids that these have. Otherwise create",
		                 idgen_function_name(relid, "idgen_sync"));
	else
		appendStringInfoString(&hint, "Create");
	appendStringInfo(&hint, " it with SELECT %s(%s", idgen_function_name(relid, "idgen_create"), quote_literal_cstr(name));
	if (!by_default)
		appendStringInfo(&hint, ", source => '%s'", source->name);
	if (source != NULL && source->runs_code)
		appendStringInfoString(&hint, ", source_name => '...'");
	appendStringInfoString(&hint, ").");
	if (!by_default && source->has_object)
		appendStringInfo(&hint, " If its column has ids already, call %s() then.", idgen_function_name(relid, "idgen_sync"));
	return hint.data;
}

/*
 * Raises 42704: there is no id sequence of that name, or none that the user may
 * see. "asked" is the source that the caller has asked for, or NULL.
 */
void
idgen_no_such_sequence(Oid relid, const char *name, const IdgenSource *asked)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_OBJECT),
	         errmsg("id sequence \"%s\" does not exist", name),
	         idgen_is_possible_name(name) ? errhint("%s", hint_to_create(relid, name, asked)) : errhint("A name has 1 to %d characters.", IDGEN_NAME_CHARACTERS)));
}

/*
 * Raises 42704: there is no id sequence of that name yet, but a draw would make
 * one, from a parent that the user may see.
 */
void
idgen_not_made_yet(Oid relid, const char *name, const char *parent)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_OBJECT),
	         errmsg("id sequence \"%s\" does not exist", name),
	         errdetail("The first draw of that name makes it, from \"%s\".", parent),
	         errhint("Call %s() first.", idgen_function_name(relid, "idgen_next"))));
}

static void
refill_error_context(void *arg)
{
	errcontext("while refilling id sequence \"%s\"", (const char *) arg);
}

/*
 * Have errors, and lines of the log, say from here on that they happened while
 * refilling the id sequence of that name. The caller ends that with
 * error_context_stack = context->previous.
 */
void
idgen_refill_context_push(const char *name, ErrorContextCallback *context)
{
	context->callback = refill_error_context;
	context->arg = unconstify(char *, name);
	context->previous = error_context_stack;
	error_context_stack = context;
}

/* Say in the server's log that ids are running out, once for each percent. */
void
idgen_warn_low(const IdgenHandle *handle, const IdgenRangeLeft *left)
{
	IdgenSlot *slot;
	bool news = true;

	if (left->percent >= idgen_warn_remaining)
		return;
	slot = idgen_handle_lock_slot(handle);
	if (slot != NULL)
	{
		news = left->percent < slot->told_percent;
		slot->told_percent = left->percent;
		LWLockRelease(&slot->lock);
	}
	if (news)
		ereport(LOG,
		        (errmsg("id sequence \"%s\" has %d%% of its ids left",
		                handle->name, left->percent),
		         left->column != IDGEN_NO_COLUMN ? errdetail("Its limit is that of %s.", idgen_owning_column_title(left->column)) : 0,
		         errhidestmt(true), errhidecontext(true)));
}
