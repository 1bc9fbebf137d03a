/*
 * watermark.h
 *		The id up to which none will appear any more.
 */
#ifndef IDGEN_WATERMARK_H
#define IDGEN_WATERMARK_H

#include "session/call.h"
#include "session/handle.h"

extern void idgen_watermark_begin(IdgenHandle *handle);
extern bool idgen_watermark_before_refill(IdgenHandle *handle);
extern int64 idgen_watermark_find(IdgenHandle *handle, IdgenCall *call);

#endif /* IDGEN_WATERMARK_H */
