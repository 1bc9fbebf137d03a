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

/*
 * In the table, zeros precede a key, so that it gets into no message: of a row,
 * the server shows 64 characters of each column, and of a line that is copied,
 * 100.
 */
#define IDGEN_KEY_ZEROS        48
#define IDGEN_STORED_KEY_BYTES (IDGEN_KEY_ZEROS + IDGEN_KEY_BYTES)

extern Oid idgen_keys_table(Oid id_sequences);
extern void idgen_keys_check_table(Relation keys);
extern bytea *idgen_key_to_store(const uint8 *key);
extern const uint8 *idgen_key_stored(const bytea *stored);
extern bool idgen_key_exists(Oid id_sequences, const char *name);
extern bool idgen_key_read(Oid id_sequences, const char *name, int64 values,
                           IdgenScramble *scramble);
extern void idgen_keys_undone(void);
extern void idgen_key_make(Oid id_sequences, const char *name);
extern void idgen_key_rename(Oid id_sequences, const char *old_name, const char *new_name);
extern void idgen_key_delete(Oid id_sequences, const char *name);
extern void idgen_keys_delete_all(Oid id_sequences);

#endif /* IDGEN_SCRAMBLE_KEYS_H */
