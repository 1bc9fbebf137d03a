/*
 * fit.h
 *		Can the ids that a call asks for be composed of sequence values? And
 *		what are they then?
 */
#ifndef IDGEN_FIT_H
#define IDGEN_FIT_H

#include "session/call.h"
#include "session/handle.h"

/*
 * The sequence values that a call wants: those that fit the layout, in the form
 * that the call asks for. As long as the row is only shown, there may be a key
 * for them in the end that is not known yet.
 */
static inline IdgenWanted
idgen_wanted(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;
	IdgenWanted wanted = {call->count, found->least_value, found->greatest_value};

	if (call->form == IDGEN_FORM_NUMERIC && !found->layout->scrambled)
		idgen_layout_big_limits(found->layout, found->big_base, &wanted.least, &wanted.greatest);
	else if (found->unmade && found->layout->scrambled)
		wanted.greatest = 0;
	return wanted;
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
