/*
 * call_site.h
 *		What a place in a query remembers of the id sequence that it draws from.
 */
#ifndef IDGEN_CALL_SITE_H
#define IDGEN_CALL_SITE_H

#include "access/tupdesc.h"
#include "fmgr.h"

#include "session/handle.h"
#include "session/handle_table.h"

/* What a call site (one place in one query) remembers in fn_extra. */
typedef struct IdgenCallSite
{
	IdgenHandle *handle;      /* of the name in the last call */
	uint64 epoch;             /* idgen_handle_epoch at that time: if it differs, the
	                           * handle may be gone */
	uint64 constant_epoch;    /* the same if all calls have the same arguments,
	                           * otherwise 0 */
	const IdgenSource *asked; /* the source in the last call, NULL if it has none */
	bool constant;            /* do all calls have the same arguments? */
	TupleDesc desc;           /* the row type of the result, NULL if not known yet */
} IdgenCallSite;

extern IdgenCallSite *idgen_call_site_look_up(FunctionCallInfo fcinfo, int source_arg);

/*
 * The call site, with the handle and the source that this call asks for. The
 * source is the argument with that number, if there are as many. As long as
 * idgen_handle_epoch is the same, the handle exists, and so does its table.
 * Raises 22023 for an unknown source.
 */
static inline IdgenCallSite *
idgen_call_site(FunctionCallInfo fcinfo, int source_arg)
{
	IdgenCallSite *site = (IdgenCallSite *) fcinfo->flinfo->fn_extra;

	if (likely(site != NULL && site->constant_epoch == idgen_handle_epoch))
		return site;
	return idgen_call_site_look_up(fcinfo, source_arg);
}

#endif /* IDGEN_CALL_SITE_H */
