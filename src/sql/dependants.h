/*
 * dependants.h
 *		What depends on an object, as the server has noted it.
 */
#ifndef IDGEN_DEPENDANTS_H
#define IDGEN_DEPENDANTS_H

#include "catalog/objectaddress.h"
#include "nodes/pg_list.h"

#include "sql/column.h"

extern List *idgen_dependants(Oid class_id, Oid object_id);
extern const ObjectAddress *idgen_sequence_user(Oid sequence, const IdgenColumn *column);

#endif /* IDGEN_DEPENDANTS_H */
