/*
 * fit.h
 *		Can the ids that a call asks for be composed of sequence values? And
 *		what are they then?
 */
#ifndef IDGEN_FIT_H
#define IDGEN_FIT_H

#include "session/call.h"
#include "session/handle.h"

/* Does a sequence value fit the layout, in the form that the call asks for? */
static inline bool
idgen_fits(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (call->form == IDGEN_FORM_NUMERIC && !handle->found.layout->scrambled)
		return idgen_layout_fits_big(handle->found.layout, value, handle->found.big_base);
	return value >= handle->found.least_value && value <= handle->found.greatest_value;
}

/* The bigint id of a sequence value that fits, and is scrambled already. */
static inline int64
idgen_compose(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (likely(handle->found.layout == &idgen_layout_plain))
		return value;
	return idgen_layout_compose(handle->found.layout, call->prefix, value);
}

extern void idgen_fit_check_key(const IdgenHandle *handle);
extern void idgen_fit_check_call(const IdgenHandle *handle, IdgenCall *call);
extern void idgen_fit_check(const IdgenHandle *handle, const IdgenCall *call, int64 value);

#endif /* IDGEN_FIT_H */
