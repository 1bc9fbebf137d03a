/*
 * fit.c
 *		Can the ids that a call asks for be composed of sequence values? And
 *		what are they then?
 */
#include "postgres.h"

#include "draw/draw.h"

/*
 * Raises 55000 if the id sequence scrambles its ids and has no key. To give it
 * another salt was turned down: ids may have been issued with the one it had.
 */
void
idgen_fit_check_key(const IdgenHandle *handle)
{
	if (handle->found.row.layout->scrambled && handle->found.scramble == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" has no key", handle->name),
		         handle->found.unmade ? errdetail("It gets one when its first id is drawn.") : errdetail("Its layout is \"%s\", and table \"idgen_secrets\" does not have the secret of its salt.", handle->found.row.layout->name),
		         handle->found.unmade ? 0 : errhint("Copy the row of \"idgen_secrets\" from where its row of \"id_sequences\" comes from.")));
}

/* Raises 0A000 unless consecutive sequence values make consecutive ids. */
static void
check_consecutive(const IdgenHandle *handle)
{
	const IdgenLayout *layout = handle->found.row.layout;

	if (layout->reversed || layout->scrambled)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("layout \"%s\" of id sequence \"%s\" does not give consecutive ids",
		                layout->name, handle->name),
		         layout->reversed ? errhint("Draw single ids, or use a layout that is not reversed.") : errhint("Draw single ids.")));
}

/*
 * Before anything is drawn: raise what keeps the call from getting ids of the
 * id sequence's layout (22003, 55000, 0A000). Sets the call's prefix.
 */
void
idgen_fit_check_call(const IdgenHandle *handle, IdgenCall *call)
{
	call->prefix = 0;
	if (handle->found.row.layout == &idgen_layout_plain)
		return;
	if (!handle->found.unmade)
		idgen_fit_check_key(handle);
	if (idgen_layout_is_composed(handle->found.row.layout))
		call->prefix = idgen_layout_prefix(handle->found.row.layout);
	if (call->form == IDGEN_FORM_RANGE)
		check_consecutive(handle);
}

/* Raises 22003 or 2200H for a sequence value that cannot be scrambled. */
static void
check_scrambled(const IdgenHandle *handle, int64 value)
{
	idgen_fit_check_key(handle);
	if (value >= handle->found.least_value && value <= handle->found.greatest_value)
		return;
	ereport(ERROR,
	        (errcode(value < handle->found.least_value ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id %lld of id sequence \"%s\" does not fit layout \"%s\"",
	                (long long) value, handle->name, handle->found.row.layout->name),
	         errdetail("It must be between %lld and max_value, %lld.",
	                   (long long) handle->found.least_value, (long long) handle->found.greatest_value)));
}

/* If a sequence value does not fit, raise the reason: 2200H, 22003. */
void
idgen_fit_check(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (handle->found.row.layout->scrambled)
		check_scrambled(handle, value);
	else if (call->form == IDGEN_FORM_NUMERIC)
		idgen_layout_check_big(handle->found.row.layout, handle->name, value, handle->found.row.big_base);
	else
		idgen_layout_check(handle->found.row.layout, handle->relid, handle->name, value);
}
