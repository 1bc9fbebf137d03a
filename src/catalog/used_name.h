/*
 * used_name.h
 *		May a column have ids of a name that has no row?
 */
#ifndef IDGEN_USED_NAME_H
#define IDGEN_USED_NAME_H

extern bool idgen_name_is_used(Oid id_sequences, const char *name);

#endif /* IDGEN_USED_NAME_H */
