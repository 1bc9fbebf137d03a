/*
 * went_back.h
 *		Centres that have gone back: what users are told.
 */
#ifndef IDGEN_WENT_BACK_H
#define IDGEN_WENT_BACK_H

#include "shmem/centre_marks.h"
#include "sources/centre.h"

extern IdgenWentBack idgen_went_back_read(const char *word);
extern const char *idgen_went_back_describe(const IdgenBackNote *note, const IdgenMark *mark);
extern const char *idgen_went_back_hint(Oid relid, IdgenWentBack how, const char *server, const char *name);
pg_noreturn extern void idgen_went_back_refuse(const IdgenHandle *handle, const IdgenCentre *centre,
                                               const IdgenBackNote *note);
extern void idgen_went_back_log(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenMark *before,
                                const IdgenBackNote *note, int64 first);
extern int64 idgen_went_back_next_id(const IdgenHandle *handle, const IdgenCentre *centre,
                                     const IdgenMark *mark, int64 next);

#endif /* IDGEN_WENT_BACK_H */
