/*
 * scramble_keys.h
 *		Table idgen_keys: the keys of id sequences that scramble their ids.
 */
#ifndef IDGEN_SCRAMBLE_KEYS_H
#define IDGEN_SCRAMBLE_KEYS_H

#include "utils/rel.h"

#include "catalog/scramble.h"

/* The columns of idgen_keys; "name" is the first one as in id_sequences. */
#define IDGEN_KEYS_ATT_NAME 1
#define IDGEN_KEYS_ATT_KEY  2

extern Oid idgen_keys_table(Oid id_sequences);
extern void idgen_keys_check_table(Relation keys);
extern bool idgen_key_exists(Oid id_sequences, const char *name);
extern bool idgen_key_read(Oid id_sequences, const char *name, int64 values,
                           IdgenScramble *scramble);
extern void idgen_keys_undone(void);
extern void idgen_key_make(Oid id_sequences, const char *name);
extern void idgen_key_rename(Oid id_sequences, const char *old_name, const char *new_name);
extern void idgen_key_delete(Oid id_sequences, const char *name);
extern void idgen_keys_delete_all(Oid id_sequences);

#endif /* IDGEN_SCRAMBLE_KEYS_H */
