/*
 * fit.c
 *		Can the ids that a call asks for be composed of sequence values?
 */
#include "postgres.h"

#include "draw/fit.h"

/*
 * Before anything is drawn: raise what keeps the call from getting ids of the
 * id sequence's layout (22003, 0A000). Sets the call's prefix.
 */
void
idgen_fit_check_call(const IdgenHandle *handle, IdgenCall *call)
{
	if (handle->found.layout == &idgen_layout_plain)
		return;
	call->prefix = idgen_layout_prefix(handle->found.layout);
	if (call->form == IDGEN_FORM_RANGE && handle->found.layout->reversed)
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("layout \"%s\" of id sequence \"%s\" does not give consecutive ids",
		                handle->found.layout->name, handle->name),
		         errhint("Draw single ids, or use a layout that is not reversed.")));
}

/* If a sequence value does not fit, raise the reason: 2200H, 22003. */
void
idgen_fit_check(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (call->form == IDGEN_FORM_NUMERIC)
		idgen_layout_check_big(handle->found.layout, handle->name, value, handle->found.big_base);
	else
		idgen_layout_check(handle->found.layout, handle->name, value);
}
