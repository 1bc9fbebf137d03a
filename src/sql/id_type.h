/*
 * id_type.h
 *		What ids shall fit: the argument id_type of idgen_create().
 */
#ifndef IDGEN_ID_TYPE_H
#define IDGEN_ID_TYPE_H

#include "catalog/layout.h"
#include "catalog/source.h"

extern int64 idgen_id_type_max_value(const char *type, int64 start,
                                     const IdgenLayout *layout, const IdgenSource *source);

#endif /* IDGEN_ID_TYPE_H */
