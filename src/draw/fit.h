/*
 * fit.h
 *		Can the ids that a call asks for be composed of sequence values?
 */
#ifndef IDGEN_FIT_H
#define IDGEN_FIT_H

#include "session/call.h"
#include "session/handle.h"

/* Does a sequence value fit the layout, in the form that the call asks for? */
static inline bool
idgen_fits(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (call->form == IDGEN_FORM_NUMERIC)
		return idgen_layout_fits_big(handle->found.layout, value, handle->found.big_base);
	return idgen_layout_fits(handle->found.layout, value);
}

/* The bigint id that a sequence value makes, which fits the layout. */
static inline int64
idgen_compose(const IdgenHandle *handle, const IdgenCall *call, int64 value)
{
	if (likely(handle->found.layout == &idgen_layout_plain))
		return value;
	return idgen_layout_compose(handle->found.layout, call->prefix, value);
}

extern void idgen_fit_check_call(const IdgenHandle *handle, IdgenCall *call);
extern void idgen_fit_check(const IdgenHandle *handle, const IdgenCall *call, int64 value);

#endif /* IDGEN_FIT_H */
