/*
 * dependants.h
 *		What depends on an object, as the server has noted it.
 */
#ifndef IDGEN_DEPENDANTS_H
#define IDGEN_DEPENDANTS_H

#include "nodes/pg_list.h"

extern List *idgen_dependants(Oid class_id, Oid object_id);

#endif /* IDGEN_DEPENDANTS_H */
